// See diff_panel.h. A worker compares snapshots; an edit of either graph compares again.
#include "editor/panels/compare/diff_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <array>

#include "core/base/units.h"
#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/look/columns.h"
#include "editor/panels/number_item.h"
#include "editor/panels/popups/row_menu.h"
#include "editor/text/status_line.h"

namespace tessera {
namespace {

InstructionId idIn(const QTreeWidgetItem& item, int role) { return InstructionId(item.data(0, role).toUInt()); }

}  // namespace

struct DiffPanel::Compared {
  std::shared_ptr<const DiffResult> result;
  CostDelta costs;
  std::vector<std::pair<double, double>> rowCosts;
};

DiffPanel::DiffPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new QTreeWidget(this)) {
  pool_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(table_, 1);
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  addRowMenu(*table_);
  table_->setAlternatingRowColors(true);
  table_->setAllColumnsShowFocus(true);
  table_->setHeaderLabels(
      {QString(), tr("Instruction"), tr("Before"), tr("What differs"), tr("Δ flops"), tr("Δ bytes"), tr("Δ time")});
  setColumnLetters(*table_, std::array{11, 26, 26, 60, 12, 12, 12});
  connect(table_, &QTreeWidget::itemSelectionChanged, this, &DiffPanel::selectRow);
  connect(table_, &QTreeWidget::itemDoubleClicked, this, [this](const QTreeWidgetItem* item) {
    const InstructionId left = idIn(*item, kLeftId), right = idIn(*item, kRightId);
    if (right.valid()) emit revealWanted(right);
    if (left.valid()) emit revealInOtherWanted(left);
  });
  connect(&document_, &Document::moduleChanged, this, &DiffPanel::again);
  connect(&document_, &Document::opened, this, &DiffPanel::again);
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, [this] {
    if (result_) fill();
  });
  connect(&document_, &Document::selectionChanged, this, [this] { followSelection(false); });
  showWords();
}

DiffPanel::~DiffPanel() {
  pool_.waitForDone();
  if (other_) other_->view().tint({});
}

QWidget* DiffPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  choice_ = new QComboBox(bar);
  choice_->setMinimumContentsLength(18);
  choice_->setToolTip(tr("The graph before; this one is the graph after"));
  connect(choice_, &QComboBox::activated, this, &DiffPanel::chooseOther);
  row->addWidget(choice_);
  const auto button = [&](const QString& tip, bool checkable) {
    auto* out = new QToolButton(bar);
    out->setAutoRaise(true);
    out->setToolTip(tip);
    out->setCheckable(checkable);
    out->setChecked(checkable);
    if (checkable) connect(out, &QToolButton::toggled, this, &DiffPanel::fill);
    row->addWidget(out);
    return out;
  };
  changed_ = button(tr("List what is in both and differs"), true);
  added_ = button(tr("List what only this graph has"), true);
  removed_ = button(tr("List what only the graph before has"), true);
  for (const int by : {-1, 1}) {
    QToolButton* step = button(by < 0 ? tr("The difference before") : tr("The next difference"), false);
    step->setArrowType(by < 0 ? Qt::UpArrow : Qt::DownArrow);
    connect(step, &QToolButton::clicked, this, [this, by] { this->step(by); });
  }
  merged_ = button(tr("Both as one graph: this one, with what only the graph before has beside it"), false);
  merged_->setText(tr("Merged"));
  connect(merged_, &QToolButton::clicked, this, &DiffPanel::mergedWanted);
  words_ = new StatusLine(bar);
  row->addWidget(words_, 1);
  return bar;
}

QToolButton* DiffPanel::stateButton(DiffState state) const {
  return state == DiffState::Added ? added_ : state == DiffState::Removed ? removed_ : changed_;
}

QString DiffPanel::words() const { return words_->text(); }
Document* DiffPanel::other() const { return other_; }

// --- the other graph

void DiffPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  listOthers();
  if (std::exchange(pending_, false)) compare();
}

void DiffPanel::listOthers() {
  choice_->clear();
  choice_->addItem(tr("Compare with …"));
  if (others_)
    for (const auto& [name, document] : others_()) {
      choice_->addItem(name, QVariant::fromValue(QPointer<QObject>(document)));
      if (document == other_) choice_->setCurrentIndex(choice_->count() - 1);
    }
  choice_->addItem(tr("A file …"));
}

void DiffPanel::chooseOther(int index) {
  if (index == choice_->count() - 1) {
    listOthers();
    return emit fileWanted();
  }
  const auto chosen = choice_->itemData(index).value<QPointer<QObject>>();  // null: closed since it was listed
  compareWith(qobject_cast<Document*>(chosen.data()));
  if (other_) emit otherChosen(other_);
}

void DiffPanel::compareWith(Document* other) {
  if (other == &document_) other = nullptr;
  if (other_) {
    disconnect(other_, nullptr, this, nullptr);
    disconnect(&other_->run(), nullptr, this, nullptr);
    other_->view().tint({});
  }
  other_ = other;
  clear();
  if (other_) connectOther();
  listOthers();
  compare();
}

void DiffPanel::connectOther() {
  connect(other_, &Document::moduleChanged, this, &DiffPanel::again);
  connect(other_, &Document::opened, this, &DiffPanel::again);
  connect(other_, &Document::selectionChanged, this, [this] { followSelection(true); });
  connect(&other_->run(), &ProgramRun::outcomeChanged, this, [this] {
    if (result_) fill();
  });
  connect(other_, &QObject::destroyed, this, [this] {
    clear();
    listOthers();
    showWords();
  });
}

// --- comparing

void DiffPanel::again() {
  if (!other_) return;
  if (isVisible())
    compare();
  else
    pending_ = true;
}

void DiffPanel::compare() {
  const uint64_t request = ++request_;
  if (!other_ || !document_.isOpen() || !other_->isOpen()) {
    clear();
    return showWords();
  }
  words_->setText(tr("comparing …"));
  ++busy_;
  pool_.start([this, request, left = other_->module(), right = document_.module()] {
    auto out = std::make_shared<Compared>();
    const auto found = std::make_shared<const DiffResult>(diff(left, right));
    out->result = found;
    out->costs = costDelta(left, right);
    CostCounter ofLeft(left), ofRight(right);
    const auto add = [&](InstructionId a, InstructionId b) {
      const Cost before = a.valid() ? ofLeft.of(a) : Cost(), after = b.valid() ? ofRight.of(b) : Cost();
      out->rowCosts.emplace_back(after.flops - before.flops, after.bytesAccessed - before.bytesAccessed);
    };
    for (const ChangedInstruction& one : found->changed) add(one.left, one.right);
    for (InstructionId id : found->added) add({}, id);
    for (InstructionId id : found->removed) add(id, {});
    QMetaObject::invokeMethod(
        this,
        [this, request, out] {
          --busy_;
          if (request == request_ && other_) take(*out);
        },
        Qt::QueuedConnection);
  });
}

void DiffPanel::take(Compared& compared) {
  result_ = compared.result;
  costs_ = compared.costs;
  rowCosts_ = std::move(compared.rowCosts);
  fill();
  showWords();
  paintBoth();
}

void DiffPanel::clear() {
  result_.reset();
  rowCosts_.clear();
  table_->clear();
  document_.view().tint({});
  if (other_) other_->view().tint({});
}

// --- selection

InstructionId DiffPanel::partnerOf(InstructionId id, bool ofOther) const {
  const auto& side = ofOther ? result_->left : result_->right;
  return id.valid() && id.value < side.size() ? side[id.value].partner : InstructionId();
}

void DiffPanel::selectRow() {
  if (choosing_ || table_->selectedItems().isEmpty() || !other_) return;
  const QTreeWidgetItem& item = *table_->selectedItems()[0];
  const InstructionId left = idIn(item, kLeftId), right = idIn(item, kRightId);
  choosing_ = true;
  if (document_.module().contains(right)) document_.select({right});
  if (other_->module().contains(left)) other_->select({left});
  choosing_ = false;
}

void DiffPanel::followSelection(bool fromOther) {
  if (choosing_ || !result_ || !other_) return;
  Document &from = fromOther ? *other_ : document_, &to = fromOther ? document_ : *other_;
  const InstructionId id = from.selected(), partner = partnerOf(id, fromOther);
  choosing_ = true;
  if (from.selection().size() == 1 && to.module().contains(partner)) to.select({partner});
  table_->clearSelection();
  for (int row = 0; row < table_->topLevelItemCount() && id.valid(); ++row) {
    QTreeWidgetItem* item = table_->topLevelItem(row);
    if (idIn(*item, fromOther ? kLeftId : kRightId) != id) continue;
    item->setSelected(true);
    table_->scrollToItem(item);
    break;
  }
  choosing_ = false;
}

void DiffPanel::step(int by) {
  const int count = table_->topLevelItemCount();
  if (count == 0) return;
  const QList<QTreeWidgetItem*> selected = table_->selectedItems();
  const int at = selected.isEmpty() ? (by > 0 ? -1 : 0) : table_->indexOfTopLevelItem(selected[0]);
  QTreeWidgetItem* to = table_->topLevelItem((at + by + count) % count);
  table_->setCurrentItem(to);
  const InstructionId left = idIn(*to, kLeftId), right = idIn(*to, kRightId);
  if (right.valid()) emit revealWanted(right);
  if (left.valid()) emit revealInOtherWanted(left);
}

}  // namespace tessera
