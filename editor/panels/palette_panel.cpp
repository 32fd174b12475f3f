// The tree is made anew when the words, favourites, recents or blocks change: some 170 items.
#include "editor/panels/palette_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QScrollBar>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "editor/look/icon.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr size_t kEverything = 1000;
constexpr int kMaxRecents = 8;
constexpr auto kBlockMark = "block: ";

QString fromText(const std::string& text) { return QString::fromStdString(text); }

// "Data movement" has "data-movement"; a category without an icon of its own that of operations.
std::string iconNameOf(const std::string& category) {
  const QString name = fromText(category).toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
  return hasIcon(name) ? name.toStdString() : "operation";
}

}  // namespace

QMimeData* PaletteTree::mimeData(const QList<QTreeWidgetItem*>& items) const {
  if (items.isEmpty() || !items[0]->parent()) return nullptr;
  auto* out = new QMimeData;
  out->setData(QLatin1String(kPaletteMime), items[0]->data(0, Qt::UserRole).toString().toUtf8());
  return out;
}

PalettePanel::PalettePanel(QWidget* parent)
    : QWidget(parent), field_(new QLineEdit(this)), tree_(new PaletteTree(this)) {
  field_->setPlaceholderText(tr("Find an operation"));
  field_->setClearButtonEnabled(true);
  tree_->setHeaderHidden(true);
  tree_->setColumnCount(1);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(12);  // so that names have room in the narrowest palette
  tree_->setDragEnabled(true);
  tree_->setDragDropMode(QAbstractItemView::DragOnly);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  tree_->setAccessibleName(tr("Operations"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addWidget(field_);
  layout->addWidget(tree_, 1);
  connect(field_, &QLineEdit::textChanged, this, &PalettePanel::fill);
  connect(tree_, &QTreeWidget::itemActivated, this, &PalettePanel::take);
  connect(tree_, &QTreeWidget::itemDoubleClicked, this, &PalettePanel::take);
  connect(tree_, &QTreeWidget::customContextMenuRequested, this, &PalettePanel::openMenu);
  fill();
}

// In the next event: the tree is made anew, and the item is its own. Styles differ in whether a double click activates,
// too.
void PalettePanel::take(QTreeWidgetItem* item) {
  if (!item->parent() || taking_) return;
  taking_ = true;
  const auto chosen = [this, title = item->data(0, Qt::UserRole).toString()] {
    taking_ = false;
    choose(title);
  };
  QMetaObject::invokeMethod(this, chosen, Qt::QueuedConnection);
}

void PalettePanel::setBlocks(std::vector<Block> blocks) {
  blocks_ = std::move(blocks);
  fill();
}

void PalettePanel::setFavourites(const QStringList& titles) {
  favourites_ = titles;
  fill();
}

void PalettePanel::setRecents(const QStringList& titles) {
  recents_ = titles.mid(0, kMaxRecents);
  fill();
}

void PalettePanel::noteUse(const QString& title) {
  QStringList next = recents_;
  next.removeAll(title);
  next.prepend(title);
  setRecents(next);
}

QTreeWidgetItem* PalettePanel::section(const QString& name, bool openAtFirst, const char* icon) {
  auto* item = new QTreeWidgetItem(tree_, {name});
  item->setFlags(Qt::ItemIsEnabled);
  item->setIcon(0, iconOf(QLatin1String(icon)));
  if (!isOpen_.contains(name)) isOpen_[name] = openAtFirst;
  return item;
}

void PalettePanel::add(QTreeWidgetItem* section, const QString& title, const QString& summary) {
  const QString shown = title.startsWith(QLatin1String(kBlockMark)) ? title.mid(qstrlen(kBlockMark)) : title;
  auto* item = new QTreeWidgetItem(section, {shown});
  item->setData(0, Qt::UserRole, title);
  item->setToolTip(0, asPlainText(summary));
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
}

// The sections that the user opened or closed, by name; what a search opens is none of them.
void PalettePanel::rememberOpen() {
  if (!filledFor_.isEmpty()) return;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    isOpen_[tree_->topLevelItem(i)->text(0)] = tree_->topLevelItem(i)->isExpanded();
}

void PalettePanel::fill() {
  rememberOpen();
  const int scrolled = tree_->verticalScrollBar()->value();
  tree_->clear();
  const QString words = field_->text().trimmed();
  const bool same = std::exchange(filledFor_, words) == words;
  const std::vector<PaletteEntry> entries = searchPalette(words.toStdString(), kEverything);
  const bool all = words.isEmpty();
  if (all && !favourites_.isEmpty()) {
    QTreeWidgetItem* here = section(tr("Favourites"), true, "favourites");
    for (const QString& title : favourites_) add(here, title, {});
  }
  QTreeWidgetItem* own = nullptr;
  for (const Block& block : blocks_) {
    if (!all && !fromText(block.name).contains(words, Qt::CaseInsensitive)) continue;
    if (!own) own = section(tr("My blocks"), true, "blocks");
    add(own, QLatin1String(kBlockMark) + fromText(block.name),
        tr("%1 · version %2").arg(fromText(block.summary)).arg(block.version));
  }
  QHash<QString, QTreeWidgetItem*> sections;
  for (const PaletteEntry& entry : entries) {
    QTreeWidgetItem*& here = sections[fromText(entry.category)];
    if (!here) here = section(fromText(entry.category), false, iconNameOf(entry.category).c_str());
    add(here, fromText(entry.title), fromText(entry.summary));
  }
  // At the end, where it grows without moving a row that the pointer is about to take.
  if (all && !recents_.isEmpty()) {
    QTreeWidgetItem* here = section(tr("Recent"), true, "recent");
    for (const QString& title : recents_) add(here, title, {});
  }
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    tree_->topLevelItem(i)->setExpanded(!all || isOpen_.value(tree_->topLevelItem(i)->text(0)));
  if (all) keepNamesWhole();
  tree_->doItemsLayout();  // the scroll bar knows its range
  if (same) tree_->verticalScrollBar()->setValue(scrolled);
}

// The panel is never narrower than the names of its sections, in whatever font.
void PalettePanel::keepNamesWhole() {
  int widest = 0;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    widest = std::max(widest, tree_->sizeHintForIndex(tree_->model()->index(i, 0)).width());
  tree_->setMinimumWidth(widest + tree_->indentation() + 2 * tree_->frameWidth() +
                         tree_->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, tree_));
}

void PalettePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange && filledFor_.isEmpty()) keepNamesWhole();
}

QTreeWidgetItem* PalettePanel::item(const QString& category, const QString& title) const {
  for (int s = 0; s < tree_->topLevelItemCount(); ++s) {
    QTreeWidgetItem* here = tree_->topLevelItem(s);
    for (int i = 0; here->text(0) == category && i < here->childCount(); ++i)
      if (here->child(i)->text(0) == title) return here->child(i);
  }
  return nullptr;
}

void PalettePanel::choose(const QString& title) {
  if (title.startsWith(QLatin1String(kBlockMark))) {
    noteUse(title);
    emit blockChosen(title.mid(qstrlen(kBlockMark)));
    return;
  }
  const std::vector<PaletteEntry> entries = searchPalette(std::string(), kEverything);
  const auto found = std::ranges::find(entries, title.toStdString(), &PaletteEntry::title);
  if (found == entries.end()) return;
  noteUse(title);
  emit entryChosen(*found);
}

void PalettePanel::openMenu(const QPoint& at) {
  const QTreeWidgetItem* item = tree_->itemAt(at);
  if (!item || !item->parent()) return;
  const QString title = item->data(0, Qt::UserRole).toString();
  const bool known = favourites_.contains(title);
  QMenu menu;
  QAction* action = menu.addAction(known ? tr("&Remove from favourites") : tr("&Add to favourites"));
  if (menu.exec(tree_->viewport()->mapToGlobal(at)) != action) return;
  QStringList next = favourites_;
  if (known)
    next.removeAll(title);
  else
    next << title;
  setFavourites(next);
  emit favouritesChanged();
}

}  // namespace tessera
