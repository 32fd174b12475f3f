// See computations_panel.h. Rows are made when their caller is opened: thousands of fusions hang below one entry, and a
// computation that is called from many places stands below each.
#include "editor/panels/inspect/computations_panel.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "editor/document/document.h"
#include "editor/panels/popups/quick_list.h"
#include "editor/panels/popups/row_menu.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kComputation = Qt::UserRole, kFilled = Qt::UserRole + 1;
constexpr size_t kMostFoundComputations = 500, kFewComputations = 1000;
constexpr int kAfterPictureMs = 150;
constexpr int kMostLevels = 24;  // as many as have room, and Qt's tree calls itself for each
constexpr int kLeastWidth = 260, kIndentation = 12;

ComputationId computationOf(const QTreeWidgetItem& item) { return ComputationId(item.data(0, kComputation).toUInt()); }

int levelOf(const QTreeWidgetItem& item) {
  int level = 1;
  for (const QTreeWidgetItem* above = item.parent(); above; above = above->parent()) ++level;
  return level;
}

}  // namespace

ComputationsPanel::ComputationsPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      field_(new QLineEdit(this)),
      tree_(new QTreeWidget(this)),
      state_(new PlainLabel(this)) {
  field_->setPlaceholderText(tr("Search the computations"));
  field_->setAccessibleName(tr("Search the computations"));
  field_->setClearButtonEnabled(true);
  field_->installEventFilter(this);
  tree_->setHeaderLabels({tr("Computation"), tr("Instr.")});
  tree_->setUniformRowHeights(true);
  addRowMenu(*tree_);
  tree_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
  tree_->setIndentation(kIndentation);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  tree_->setAccessibleName(tr("Computations by caller"));
  state_->setEnabled(false);
  setMinimumWidth(kLeastWidth);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(field_);
  layout->addWidget(tree_, 1);
  layout->addWidget(state_);
  connect(field_, &QLineEdit::textChanged, this, &ComputationsPanel::refill);
  connect(tree_, &QTreeWidget::itemExpanded, this, [this](QTreeWidgetItem* item) { fill(*item); });
  connect(tree_, &QTreeWidget::itemClicked, this, &ComputationsPanel::go);
  connect(tree_, &QTreeWidget::itemActivated, this, &ComputationsPanel::go);
  connect(&document_, &Document::opened, this, &ComputationsPanel::moduleChanged);
  connect(&document_, &Document::moduleChanged, this, &ComputationsPanel::moduleChanged);
  connect(&document_.view(), &SceneView::changed, this, &ComputationsPanel::showCurrent);
}

QString ComputationsPanel::stateText() const { return state_->text(); }

void ComputationsPanel::begin() {
  field_->setFocus();
  field_->selectAll();
}

// While nobody sees it, nothing is worked out.
void ComputationsPanel::moduleChanged() {
  calls_.reset();
  if (isVisible()) refillSoon();
}

void ComputationsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!calls_) refillSoon();
}

// Thousands of rows take longer than a frame: the picture of a file that was just opened goes before them.
void ComputationsPanel::refillSoon() {
  if (!document_.isOpen() || document_.module().order().size() <= kFewComputations) return refill();
  if (std::exchange(waits_, true)) return;
  QTimer::singleShot(kAfterPictureMs, this, [this] {
    waits_ = false;
    if (!calls_) refill();
  });
}

void ComputationsPanel::refill() {
  tree_->clear();
  state_->clear();
  if (!document_.isOpen() || document_.isPlainGraph() || !isVisible()) return calls_.reset();
  if (!calls_) calls_.emplace(document_.module());
  if (!field_->text().trimmed().isEmpty()) return fillFound();
  for (ComputationId root : calls_->roots()) tree_->addTopLevelItem(makeItem({root, {}, 0}, true));
  if (QTreeWidgetItem* entry = tree_->topLevelItem(0)) entry->setExpanded(true);
  const size_t count = document_.module().order().size();
  state_->setText(count == 1 ? tr("1 computation") : tr("%L1 computations").arg(count));
  showCurrent();
}

// Those whose name has the words, each below the callers that lead to it, the nearest of very many.
void ComputationsPanel::fillFound() {
  const SearchWords words(field_->text());
  std::unordered_map<uint32_t, QTreeWidgetItem*> placed;
  size_t found = 0;
  QTreeWidgetItem* best = nullptr;  // the first that has the words as they stand, else the first
  bool bestHasWords = false;
  for (ComputationId id : document_.module().order()) {
    const std::string& name = document_.module().at(id).name;
    if (!words.match({name}) || ++found > kMostFoundComputations) continue;
    QTreeWidgetItem* above = nullptr;
    const std::vector<ComputationId> way = calls_->wayTo(id);
    for (ComputationId step : std::span(way).last(std::min<size_t>(way.size(), kMostLevels))) {
      QTreeWidgetItem*& item = placed[step.value];
      if (!item) {
        size_t count = 0;
        if (above)
          for (const CallTree::Call& call : calls_->callees(computationOf(*above)))
            if (call.computation == step) count = call.count;
        item = makeItem({step, {}, count}, false);
        above ? above->addChild(item) : tree_->addTopLevelItem(item);
      }
      above = item;
    }
    QFont bold = tree_->font();
    bold.setBold(true);
    above->setFont(0, bold);
    if (const bool hasWords = words.areIn({name}); !best || (hasWords && !bestHasWords))
      best = above, bestHasWords = hasWords;
  }
  tree_->expandAll();
  tree_->setCurrentItem(best);
  state_->setText(found == 0 ? tr("none")
                  : found > kMostFoundComputations
                      ? tr("%L1, the first %L2 are shown").arg(found).arg(kMostFoundComputations)
                      : tr("%L1 found").arg(found));
}

QTreeWidgetItem* ComputationsPanel::makeItem(const CallTree::Call& call, bool opens) const {
  const Computation& computation = document_.module().at(call.computation);
  const QString name = QString::fromStdString(computation.name);
  auto* item = new QTreeWidgetItem;
  item->setText(0, call.computation == document_.module().entry() ? tr("%1 (entry)").arg(name)
                   : call.count > 1                               ? tr("%1 ×%L2").arg(name).arg(call.count)
                                                                  : name);
  item->setToolTip(0, asPlainText(item->text(0)));
  item->setText(1, tr("%L1").arg(computation.instructions.size()));
  item->setTextAlignment(1, Qt::AlignRight);
  item->setData(0, kComputation, call.computation.value);
  if (opens && !calls_->callees(call.computation).empty())
    item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
  return item;
}

void ComputationsPanel::fill(QTreeWidgetItem& item) {
  if (!calls_ || item.childCount() > 0 || item.data(0, kFilled).toBool()) return;
  item.setData(0, kFilled, true);
  const int level = levelOf(item);
  if (level >= kMostLevels) return;  // what is further down is found by its name
  QList<QTreeWidgetItem*> children;
  for (const CallTree::Call& call : calls_->callees(computationOf(item)))
    children << makeItem(call, level + 1 < kMostLevels);
  item.addChildren(children);
}

QTreeWidgetItem* ComputationsPanel::placeOf(ComputationId id) {
  const std::vector<ComputationId> way = calls_->wayTo(id);
  if (way.size() > kMostLevels) return nullptr;
  QTreeWidgetItem* at = nullptr;
  for (ComputationId step : way) {
    if (at) fill(*at);
    const int count = at ? at->childCount() : tree_->topLevelItemCount();
    QTreeWidgetItem* next = nullptr;
    for (int k = 0; k < count && !next; ++k)
      if (QTreeWidgetItem* each = at ? at->child(k) : tree_->topLevelItem(k); computationOf(*each) == step) next = each;
    if (!next) return nullptr;
    at = next;
  }
  return at;
}

// Marks the computation that the canvas shows.
void ComputationsPanel::showCurrent() {
  if (!calls_ || !isVisible() || !field_->text().trimmed().isEmpty()) return;
  const ComputationId shown = document_.view().computation();
  if (!document_.module().contains(shown)) return;
  if (const QTreeWidgetItem* item = tree_->currentItem(); item && computationOf(*item) == shown) return;
  QTreeWidgetItem* item = placeOf(shown);
  tree_->setCurrentItem(item);
  if (item) tree_->scrollToItem(item);
}

void ComputationsPanel::go(const QTreeWidgetItem* item) {
  if (item && document_.module().contains(computationOf(*item))) document_.view().showComputation(computationOf(*item));
}

// Arrows choose in the tree while the field has the keys.
bool ComputationsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: return QCoreApplication::sendEvent(tree_, event), true;
    case Qt::Key_Return:
    case Qt::Key_Enter: return go(tree_->currentItem()), true;
    default: return QWidget::eventFilter(watched, event);
  }
}

}  // namespace tessera
