// See hit_list.h. It is filled while it is seen, with the first of very many.
#include "editor/panels/popups/hit_list.h"

#include <QHeaderView>
#include <algorithm>

#include "core/base/units.h"
#include "core/cost/cost.h"
#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr size_t kMostListedHits = 1000, kLongestHitShape = 80;
constexpr int kHitId = Qt::UserRole, kHitListHeight = 170;

enum Column : int { kName, kOperation, kResult, kComputation, kFlops, kBytes };

// Costs are asked of complete graphs alone, and of those that are looked through in a few milliseconds.
bool hasCosts(const Module& module) {
  constexpr size_t kMost = 200000;
  return module.instructionCount() <= kMost && std::ranges::all_of(module.order(), [&](ComputationId computation) {
           return std::ranges::all_of(module.at(computation).instructions, [&](InstructionId id) {
             return std::ranges::all_of(module.at(id).operands, [&](InstructionId o) { return module.contains(o); });
           });
         });
}

QString hitText(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

HitList::HitList(Document& document, QWidget* parent) : QTreeWidget(parent), document_(document) {
  setHeaderLabels({tr("Instruction"), tr("Operation"), tr("Result"), tr("Computation"), tr("Flops"), tr("Bytes")});
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setTextElideMode(Qt::ElideMiddle);
  setAccessibleName(tr("What the search found"));
  setFixedHeight(kHitListHeight);
  header()->setSectionResizeMode(QHeaderView::Stretch);
  header()->setSectionsClickable(true);
  header()->setToolTip(tr("A click sorts: by cost the largest first; another one turns it round"));
  connect(header(), &QHeaderView::sectionClicked, this, &HitList::sortBy);
  hide();
  connect(&document_.search(), &ModuleSearch::changed, this, &HitList::fill);
  connect(&document_, &Document::selectionChanged, this, &HitList::markSelected);
  connect(this, &QTreeWidget::itemClicked, this, &HitList::go);
  connect(this, &QTreeWidget::itemActivated, this, &HitList::go);
}

void HitList::showEvent(QShowEvent* event) {
  QTreeWidget::showEvent(event);
  fill();
}

void HitList::sortBy(int column) {
  turned_ = column == sorted_ && !turned_;
  sorted_ = column;
  const bool falls = (column >= kFlops) != turned_;
  header()->setSortIndicatorShown(true);
  header()->setSortIndicator(column, falls ? Qt::DescendingOrder : Qt::AscendingOrder);
  fill();
}

// All hits, not only those that are listed.
void HitList::sort(std::vector<InstructionId>& hits, const std::unordered_map<InstructionId, Cost>& costs) const {
  const Module& module = document_.module();
  const auto number = [&](InstructionId id) {
    const auto found = costs.find(id);
    if (found == costs.end()) return 0.0;
    return sorted_ == kFlops ? found->second.flops : found->second.bytesAccessed;
  };
  const auto words = [&](InstructionId id) {
    const Instruction& in = module.at(id);
    switch (sorted_) {
      case kName: return std::string(in.name);
      case kOperation: return std::string(in.opcodeName());
      case kResult: return toString(*in.shape, false);
      default: return std::string(module.at(in.computation).name);
    }
  };
  if (sorted_ >= kFlops)
    std::ranges::stable_sort(hits, std::ranges::greater(), number);
  else if (sorted_ >= 0)
    std::ranges::stable_sort(hits, {}, words);
  if (turned_) std::ranges::reverse(hits);
}

void HitList::fill() {
  if (!isVisible()) return;
  clear();
  const Module& module = document_.module();
  std::vector<InstructionId> hits = document_.search().hits();
  std::erase_if(hits, [&](InstructionId id) { return !module.contains(id); });
  std::unordered_map<InstructionId, Cost> costs;
  if (hasCosts(module)) {
    CostCounter counter(module);
    const size_t counted = sorted_ >= kFlops ? hits.size() : std::min(hits.size(), kMostListedHits);
    for (InstructionId id : std::span(hits).first(counted)) costs.emplace(id, counter.of(id));
  }
  sort(hits, costs);
  QList<QTreeWidgetItem*> rows;
  for (InstructionId id : std::span(hits).first(std::min(hits.size(), kMostListedHits))) {
    const Instruction& in = module.at(id);
    auto* row = new QTreeWidgetItem({hitText(in.name), hitText(in.opcodeName()),
                                     hitText(toString(*in.shape, false).substr(0, kLongestHitShape)),
                                     hitText(module.at(in.computation).name)});
    row->setData(0, kHitId, id.value);
    if (const auto cost = costs.find(id); cost != costs.end()) {
      row->setText(kFlops, hitText(amountText(cost->second.flops)));
      row->setText(kBytes, hitText(bytesText(cost->second.bytesAccessed)));
    }
    for (int column : {kFlops, kBytes}) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    for (int column = 0; column < row->columnCount(); ++column) row->setToolTip(column, asPlainText(row->text(column)));
    rows << row;
  }
  if (hits.size() > kMostListedHits) {
    auto* rest = new QTreeWidgetItem({tr("… and %L1 more").arg(hits.size() - kMostListedHits)});
    rest->setFlags(Qt::NoItemFlags);
    rows << rest;
  }
  addTopLevelItems(rows);
  markSelected();
}

void HitList::markSelected() {
  if (!isVisible()) return;
  const InstructionId selected = document_.selected();
  for (int k = 0; selected.valid() && k < topLevelItemCount(); ++k)
    if (const QVariant id = topLevelItem(k)->data(0, kHitId); id.isValid() && id.toUInt() == selected.value)
      return setCurrentItem(topLevelItem(k));
  setCurrentItem(nullptr);
}

void HitList::go(const QTreeWidgetItem* item) {
  const QVariant id = item ? item->data(0, kHitId) : QVariant();
  if (id.isValid() && document_.module().contains(InstructionId(id.toUInt())))
    emit revealWanted(InstructionId(id.toUInt()));
}

}  // namespace tessera
