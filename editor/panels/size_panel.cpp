// See size_panel.h. The module is a snapshot; an edit made meanwhile closes the panel.
#include "editor/panels/size_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kSizePanelWidth = 400, kSizePanelMargin = 8, kPreviewWaitMs = 120, kKind = Qt::UserRole,
              kIndex = Qt::UserRole + 1;
constexpr size_t kMaxShownSizes = 300;
constexpr size_t kFollowedAtOnce = 3000;  // instructions whose sizes are followed within a frame or two
enum Kind { kOther, kNumber };

QString text(const std::string& words) { return QString::fromStdString(words); }

// With the snapshot that they are of.
std::shared_ptr<const Sizes> sizesOf(const Module& module) {
  struct Both {
    Module module;
    Sizes sizes{module};
  };
  auto both = std::make_shared<Both>(module);
  return {both, &both->sizes};
}

int64_t sizeAt(const Module& module, DimensionSpot spot) {
  return leavesOf(module.shapeOf(spot.instruction))[static_cast<size_t>(spot.leaf)]
      .shape->dimensions[static_cast<size_t>(spot.dimension)];
}

}  // namespace

SizePanel::SizePanel(Document& document, QWidget* parent)
    : QFrame(parent),
      document_(document),
      dimension_(new QComboBox(this)),
      size_(new QLineEdit(this)),
      name_(new QLineEdit(this)),
      choices_(new QListWidget(this)),
      changes_(new QListWidget(this)),
      summary_(new PlainLabel(this)),
      take_(new QPushButton(tr("Change everywhere"), this)),
      timer_(new QTimer(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setFocusPolicy(Qt::StrongFocus);
  setFixedWidth(kSizePanelWidth);  // beside the canvas, not over what it speaks of
  size_->setAccessibleName(tr("New size"));
  name_->setAccessibleName(tr("Name of the size"));
  name_->setPlaceholderText(tr("B, T, H …"));
  dimension_->setAccessibleName(tr("Dimension"));
  summary_->setWordWrap(true);
  for (QListWidget* list : {choices_, changes_})
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff), list->setTextElideMode(Qt::ElideMiddle);
  auto* form = new QFormLayout;
  form->addRow(tr("Dimension"), dimension_);
  form->addRow(tr("New size"), size_);
  form->addRow(tr("Name"), name_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kSizePanelMargin, kSizePanelMargin, kSizePanelMargin, kSizePanelMargin);
  layout->addLayout(form);
  layout->addWidget(choices_, 1);
  layout->addWidget(summary_);
  layout->addWidget(changes_, 2);
  layout->addWidget(take_, 0, Qt::AlignRight);
  timer_->setSingleShot(true);
  timer_->setInterval(kPreviewWaitMs);
  connectParts();
  hide();
}

void SizePanel::connectParts() {
  connect(timer_, &QTimer::timeout, this, &SizePanel::look);
  connect(size_, &QLineEdit::textEdited, timer_, qOverload<>(&QTimer::start));
  connect(dimension_, &QComboBox::currentIndexChanged, this, &SizePanel::showDimension);
  connect(choices_, &QListWidget::itemChanged, this, [this] { look(); });
  connect(name_, &QLineEdit::editingFinished, this, &SizePanel::rename);
  connect(take_, &QPushButton::clicked, this, &SizePanel::take);
  connect(&document_, &Document::moduleChanged, this, [this] {
    if (isVisible()) leave();
  });
  connect(&document_, &Document::opened, this, [this] {
    if (isVisible()) dismiss();  // a name in the field was meant for the document before
  });
  for (QWidget* each : std::initializer_list<QWidget*>{dimension_, size_, name_, choices_, changes_, take_})
    each->installEventFilter(this);
}

SizePanel::~SizePanel() {
  pool_.clear();
  pool_.waitForDone();
}

void SizePanel::work(std::function<Answer()> question) {
  const uint64_t request = ++asked_;
  if (module_.instructionCount() <= kFollowedAtOnce) return question()();
  pool_.setMaxThreadCount(1);
  pool_.clear();
  pool_.start([this, request, question = std::move(question)] {
    QMetaObject::invokeMethod(
        this,
        [this, request, answer = question()] {
          if (request == asked_) answer();
        },
        Qt::QueuedConnection);
  });
}

bool SizePanel::openFor(InstructionId id, int32_t preferred) {
  if (!document_.isOpen() || document_.isPlainGraph() || !document_.module().contains(id)) return false;
  module_ = document_.module();
  sizes_.reset();
  spots_.clear();
  const auto leaves = leavesOf(module_.shapeOf(id));
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (size_t d = 0; d < leaves[leaf].shape->dimensions.size(); ++d)
      spots_.push_back({id, static_cast<int32_t>(leaf), static_cast<int32_t>(d)});
  if (spots_.empty()) return false;
  fillDimensions(std::clamp(preferred, 0, static_cast<int32_t>(spots_.size()) - 1));
  show();
  showDimension();
  size_->setFocus();
  work([this, module = module_] {
    return [this, sizes = sizesOf(module)] {
      sizes_ = sizes;
      fillDimensions(dimension_->currentIndex());
      showFlow();
    };
  });
  return true;
}

void SizePanel::fillDimensions(int row) {
  const QSignalBlocker blocker(dimension_);
  dimension_->clear();
  for (DimensionSpot spot : spots_) {
    const QString name = nameOfSize(spot);
    dimension_->addItem(QStringLiteral("%1 = %2%3")
                            .arg(text(nameOf(module_, spot)))
                            .arg(sizeAt(module_, spot))
                            .arg(name.isEmpty() ? QString() : QStringLiteral("   %1").arg(name)));
    const auto dimensions = spot.leaf == 0 ? document_.view().huesOf(spot.instruction) : std::vector<DimensionHue>();
    const auto at = static_cast<size_t>(spot.dimension);
    if (at >= dimensions.size()) continue;
    const int last = dimension_->count() - 1;
    dimension_->setItemData(last, dimensionColor(dimensions, at, palette()), Qt::ForegroundRole);
    if (name.isEmpty())
      dimension_->setItemText(last, dimension_->itemText(last) + QStringLiteral("   ") + letterOf(dimensions, at));
  }
  dimension_->setCurrentIndex(row);
}

// A name belongs to all dimensions that are the same one.
QString SizePanel::nameOfSize(DimensionSpot spot) const {
  if (!sizes_) return {};
  for (const ProjectPage& page : document_.project().pages)
    for (const auto& [named, name] : page.sizeNames) {
      const auto id = module_.findInstruction(named.first);
      if (id && sizes_->same({*id, 0, named.second}, spot)) return text(name);
    }
  return {};
}

void SizePanel::showDimension() {
  const int row = dimension_->currentIndex();
  if (row < 0 || static_cast<size_t>(row) >= spots_.size()) return;
  const DimensionSpot spot = spots_[static_cast<size_t>(row)];
  size_->setText(QString::number(sizeAt(module_, spot)));
  size_->selectAll();
  showFlow();
}

// What is known once the sizes are; the size that is typed stays.
void SizePanel::showFlow() {
  const DimensionSpot spot = spots_[static_cast<size_t>(dimension_->currentIndex())];
  name_->setEnabled(sizes_ != nullptr);
  name_->setText(nameOfSize(spot));
  if (!sizes_) {
    take_->setEnabled(false);
    changes_->clear();
    choices_->hide();
    return summary_->setText(tr("Following the sizes …"));
  }
  others_ = sizes_->othersLike(spot);
  offered_.clear();
  listChoices(nullptr);
  look();
}

// Other dimensions of this size, ticked where they carry the same name, and numbers that may mean it.
void SizePanel::listChoices(const Resizing* resizing) {
  const QSignalBlocker blocker(choices_);
  const auto add = [&](const QString& words, Kind kind, size_t index, bool ticked) {
    auto* item = new QListWidgetItem(words, choices_);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    item->setData(kKind, kind);
    item->setData(kIndex, static_cast<uint>(index));
  };
  if (!resizing) {
    choices_->clear();
    for (size_t i = 0; i < others_.size(); ++i) {
      const QString name = nameOfSize(others_[i]);
      add(tr("%1 too: another dimension of this size%2")
              .arg(text(nameOf(module_, others_[i])), name.isEmpty() ? QString() : tr(", %1").arg(name)),
          kOther, i, !name.isEmpty() && name == name_->text());
    }
  } else {
    for (const Resizing::Number& number : resizing->numbers) {
      const bool known =
          std::ranges::any_of(offered_, [&](const auto& each) { return each.constant == number.constant; });
      if (known) continue;
      offered_.push_back(number);
      add(tr("%1 to %2: it is %3")
              .arg(text(std::string(module_.at(number.constant).name)), text(number.value), text(number.meaning)),
          kNumber, offered_.size() - 1, false);
    }
  }
  choices_->setVisible(choices_->count() > 0);
  int rows = 2 * choices_->frameWidth();
  for (int row = 0; row < choices_->count(); ++row) rows += choices_->sizeHintForRow(row);
  choices_->setMaximumHeight(rows);  // what they leave is the changes'
}

std::vector<SizeWish> SizePanel::wishes() const {
  bool fine = false;
  const int64_t size = size_->text().trimmed().toLongLong(&fine);
  const int row = dimension_->currentIndex();
  if (!fine || row < 0) return {};
  std::vector<SizeWish> out{{spots_[static_cast<size_t>(row)], size}};
  for (int i = 0; i < choices_->count(); ++i)
    if (const auto* item = choices_->item(i); item->checkState() == Qt::Checked && item->data(kKind).toInt() == kOther)
      out.push_back({others_[item->data(kIndex).toUInt()], size});
  return out;
}

std::set<InstructionId> SizePanel::numbers() const {
  std::set<InstructionId> out;
  for (int i = 0; i < choices_->count(); ++i)
    if (const auto* item = choices_->item(i); item->checkState() == Qt::Checked && item->data(kKind).toInt() == kNumber)
      out.insert(offered_[item->data(kIndex).toUInt()].constant);
  return out;
}

void SizePanel::say(const std::vector<Resizing::Line>& lines, bool wrong) {
  for (const Resizing::Line& line : lines) {
    if (static_cast<size_t>(changes_->count()) >= kMaxShownSizes) return;
    const QString name =
        module_.contains(line.instruction) ? text(std::string(module_.at(line.instruction).name)) : QString();
    auto* item = new QListWidgetItem(
        (wrong ? tr("cannot follow · %1: %2") : QStringLiteral("%1: %2")).arg(name, text(line.text)), changes_);
    if (wrong) item->setForeground(errorColor(palette()));
  }
}

void SizePanel::look() {
  timer_->stop();
  changes_->clear();
  resizing_.reset();
  take_->setEnabled(false);
  if (!sizes_) return;
  const auto wanted = wishes();
  if (wanted.empty()) return summary_->setText(tr("The size is a number from 0."));
  summary_->setText(tr("Following the sizes …"));
  work([this, sizes = sizes_, wanted, numbers = numbers()]() -> Answer {
    auto made = std::make_shared<Result<Resizing>>(sizes->resized(wanted, numbers));
    return [this, made, wish = wanted[0]] { showResizing(std::move(*made), wish); };
  });
}

void SizePanel::showResizing(Result<Resizing> made, SizeWish wish) {
  if (!made) return summary_->setText(text(made.error().message));
  resizing_ = std::move(*made);
  if (wish.size != sizeAt(module_, wish.spot)) listChoices(&*resizing_);
  say(resizing_->stops, true);
  say(resizing_->changes, false);
  const bool any = !resizing_->edit.actions.empty();
  summary_->setText(!any ? tr("Nothing changes.")
                    : resizing_->stops.empty()
                        ? tr("%1 change, %2 more follow.").arg(resizing_->changes.size()).arg(resizing_->following)
                        : tr("%1 change, %2 more follow, %3 cannot.")
                              .arg(resizing_->changes.size())
                              .arg(resizing_->following)
                              .arg(resizing_->stops.size()));
  take_->setEnabled(any);
  std::vector<InstructionId> touched;
  for (const auto* lines : {&resizing_->changes, &resizing_->stops})
    for (const Resizing::Line& line : *lines) touched.push_back(line.instruction);
  emit previewed(std::move(touched));
}

// The name stands at the dimension that was asked; an empty one takes the name away.
void SizePanel::rename() {
  const int row = dimension_->currentIndex();
  if (!isVisible() || row < 0 || !sizes_) return;
  const DimensionSpot spot = spots_[static_cast<size_t>(row)];
  const QString name = name_->text().trimmed();
  if (spot.leaf != 0 || name == nameOfSize(spot)) return;
  std::vector<PageSpot> same;
  for (DimensionSpot each : sizes_->sameAs(spot))
    same.emplace_back(std::string(module_.at(each.instruction).name), each.dimension);
  const PageSpot at{std::string(module_.at(spot.instruction).name), spot.dimension};
  document_.arrange(tr("Name a size"), [same, at, name](ProjectPage& page) {
    for (const PageSpot& each : same) page.sizeNames.erase(each);
    if (!name.isEmpty()) page.sizeNames[at] = name.toStdString();
  });
}

void SizePanel::take() {
  if (timer_->isActive()) look();
  if (!resizing_ || resizing_->edit.actions.empty()) return;
  Edit edit = std::move(resizing_->edit);
  const InstructionId selected = document_.selected();
  leave();
  document_.perform(std::move(edit), selected);
}

void SizePanel::leave() {
  if (name_->hasFocus()) rename();
  dismiss();
}

void SizePanel::dismiss() {
  ++asked_;
  hide();
  sizes_.reset();
  resizing_.reset();
  emit closed();
}

void SizePanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return leave();
  QFrame::keyPressEvent(event);
}

bool SizePanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) event->accept();  // keys typed here are no shortcuts of the window
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Escape) return leave(), true;
  if ((key == Qt::Key_Return || key == Qt::Key_Enter) && watched != dimension_) return take(), true;
  return QFrame::eventFilter(watched, event);
}

}  // namespace tessera
