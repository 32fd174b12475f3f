// See diff_panel.h. A worker compares snapshots; an edit of either graph compares again.
#include "editor/panels/diff_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

#include "core/base/units.h"
#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/panels/number_item.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kLeftId = Qt::UserRole + 2, kRightId = Qt::UserRole + 3;
enum DiffColumn { kState, kNameAfter, kNameBefore, kWhat, kMoreFlops, kMoreBytes, kMoreTime, kDiffColumns };

QString nameInDiff(const Module& module, InstructionId id) {
  if (!module.contains(id)) return {};
  const std::string_view name = module.at(id).name;
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString signedWords(double value, const std::string& text) {
  return value == 0 ? QString()
                    : (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + QString::fromStdString(text);
}

QString changesWords(const std::vector<Change>& changes) {
  QStringList out;
  for (const Change& change : changes)
    out << QStringLiteral("%1: %2 → %3")
               .arg(QString::fromStdString(change.what),
                    change.inLeft.empty() ? QStringLiteral("–") : QString::fromStdString(change.inLeft).left(80),
                    change.inRight.empty() ? QStringLiteral("–") : QString::fromStdString(change.inRight).left(80));
  return out.join(QStringLiteral("; "));
}

double shownTimeOf(const Document& document, InstructionId id) {
  const auto& overlay = document.run().overlay();
  const Overlay::Entry* entry = overlay && id.valid() ? overlay->find(id) : nullptr;
  return entry ? entry->timeNs : 0;
}

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
  table_->setAlternatingRowColors(true);
  table_->setAllColumnsShowFocus(true);
  table_->setHeaderLabels(
      {QString(), tr("Instruction"), tr("Before"), tr("What differs"), tr("Δ flops"), tr("Δ bytes"), tr("Δ time")});
  const int em = table_->fontMetrics().averageCharWidth();
  const int widths[kDiffColumns] = {11, 26, 26, 60, 12, 12, 12};
  for (int column = 0; column < kDiffColumns; ++column) table_->setColumnWidth(column, widths[column] * em);
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
  row->setContentsMargins(6, 3, 6, 3);
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
  words_ = new PlainLabel(bar);
  row->addWidget(words_, 1);
  return bar;
}

QToolButton* DiffPanel::stateButton(DiffState state) const {
  return state == DiffState::Added ? added_ : state == DiffState::Removed ? removed_ : changed_;
}

QString DiffPanel::words() const { return words_->text(); }

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
      choice_->addItem(name, QVariant::fromValue<QObject*>(document));
      if (document == other_) choice_->setCurrentIndex(choice_->count() - 1);
    }
  choice_->addItem(tr("A file …"));
}

void DiffPanel::chooseOther(int index) {
  if (index == choice_->count() - 1) {
    listOthers();
    return emit fileWanted();
  }
  compareWith(qobject_cast<Document*>(choice_->itemData(index).value<QObject*>()));
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

// --- showing

void DiffPanel::showWords() {
  const auto count = [&](QToolButton* button, size_t number, const QString& what, NodeTint tint) {
    button->setText(tr("%L1 %2").arg(number).arg(what));
    button->setEnabled(result_ != nullptr);
    QPalette colors = palette();
    colors.setColor(QPalette::ButtonText, colorOf(tint, themeOf(palette())));
    button->setPalette(colors);
  };
  count(changed_, result_ ? result_->changed.size() : 0, tr("changed"), NodeTint::Changed);
  count(added_, result_ ? result_->added.size() : 0, tr("added"), NodeTint::Added);
  count(removed_, result_ ? result_->removed.size() : 0, tr("removed"), NodeTint::Removed);
  if (!result_) return words_->setText(tr("Choose the graph before: what differs is coloured in both"));
  const double flops = costs_.right.flops - costs_.left.flops,
               bytes = costs_.right.bytesAccessed - costs_.left.bytesAccessed;
  const auto peak = static_cast<double>(costs_.rightPeak - costs_.leftPeak);
  QStringList parts{result_->same() ? tr("nothing differs") : tr("%L1 matched").arg(result_->matched)};
  const auto part = [&](const QString& what, double value, const std::string& text) {
    parts << (value == 0 ? tr("same %1").arg(what) : tr("%1 %2").arg(signedWords(value, text), what));
  };
  part(tr("flops"), flops, amountText(std::abs(flops)));
  part(tr("of bytes accessed"), bytes, bytesText(std::abs(bytes)));
  part(tr("peak"), peak, bytesText(std::abs(peak)));
  const Profile *before = other_ ? other_->run().profile() : nullptr, *after = document_.run().profile();
  if (before && after) {
    const auto ns = [](const Profile& p) {
      return static_cast<double>(p.totalNs) / static_cast<double>(std::max<int64_t>(1, p.runs));
    };
    const double time = ns(*after) - ns(*before);
    part(tr("time of a run"), time, durationText(std::abs(time)));
  }
  words_->setText(parts.join(QStringLiteral(" · ")));
}

void DiffPanel::addRow(size_t place, DiffState state, InstructionId left, InstructionId right,
                       const std::vector<Change>* changes) {
  const auto& [flops, bytes] = rowCosts_[place];
  auto* item = new NumberItem(table_);
  const NodeTint tint = state == DiffState::Added     ? NodeTint::Added
                        : state == DiffState::Removed ? NodeTint::Removed
                                                      : NodeTint::Changed;
  item->setText(kState, state == DiffState::Added     ? tr("added")
                        : state == DiffState::Removed ? tr("removed")
                                                      : tr("changed"));
  item->setForeground(kState, colorOf(tint, themeOf(palette())));
  item->setText(kNameAfter, nameInDiff(document_.module(), right));
  item->setText(kNameBefore, nameInDiff(other_->module(), left));
  const Module& of = right.valid() ? document_.module() : other_->module();
  const InstructionId shown = right.valid() ? right : left;
  item->setText(kWhat, changes ? changesWords(*changes)
                               : QString::fromStdString(of.contains(shown) ? shortDescription(of, shown) : ""));
  item->setToolTip(kWhat, asPlainText(item->text(kWhat)));
  item->setNumber(kMoreFlops, flops, signedWords(flops, amountText(std::abs(flops))));
  item->setNumber(kMoreBytes, bytes, signedWords(bytes, bytesText(std::abs(bytes))));
  const double time = shownTimeOf(document_, right) - shownTimeOf(*other_, left);
  item->setNumber(kMoreTime, time, signedWords(time, durationText(std::abs(time))));
  item->setData(0, kLeftId, left.value);
  item->setData(0, kRightId, right.value);
}

void DiffPanel::fill() {
  constexpr int kMost = 10000;
  choosing_ = true;
  table_->setSortingEnabled(false);
  table_->clear();
  size_t next = 0;  // of rowCosts_
  const auto add = [&](const QToolButton* listed, DiffState state, InstructionId left, InstructionId right,
                       const std::vector<Change>* changes) {
    if (listed->isChecked() && table_->topLevelItemCount() < kMost) addRow(next, state, left, right, changes);
    ++next;
  };
  if (result_ && other_) {
    for (const ChangedInstruction& one : result_->changed)
      add(changed_, DiffState::Changed, one.left, one.right, &one.changes);
    for (InstructionId id : result_->added) add(added_, DiffState::Added, {}, id, nullptr);
    for (InstructionId id : result_->removed) add(removed_, DiffState::Removed, id, {}, nullptr);
    showWords();
  }
  table_->header()->setSortIndicator(-1, Qt::AscendingOrder);
  table_->setSortingEnabled(true);
  choosing_ = false;
}

void DiffPanel::paintBoth() {
  std::vector<std::pair<InstructionId, NodeTint>> mine, others;
  for (const ChangedInstruction& one : result_->changed) {
    others.emplace_back(one.left, NodeTint::Changed);
    mine.emplace_back(one.right, NodeTint::Changed);
  }
  for (InstructionId id : result_->added) mine.emplace_back(id, NodeTint::Added);
  for (InstructionId id : result_->removed) others.emplace_back(id, NodeTint::Removed);
  document_.view().tint(std::move(mine));
  other_->view().tint(std::move(others));
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
