// See op_tree_model.h. An index knows its row by its place in the tree.
#include "editor/models/op_tree_model.h"

#include <QFont>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {

bool isOpText(OpColumn column) {
  return column == OpColumn::Name || column == OpColumn::Bound || column == OpColumn::Opcode ||
         column == OpColumn::Source;
}

QString opColumnTip(OpColumn column, const OpTree& tree) {
  switch (column) {
    case OpColumn::Total: return QObject::tr("With what is below: the members of a fusion, what a loop runs");
    case OpColumn::Self: return QObject::tr("Without what is below. ≈: estimated by counted work within a fusion");
    case OpColumn::Spread:
      return tree.spreadOf == "run" ? QObject::tr("The quickest and the slowest run")
                                    : QObject::tr("The median execution, the quickest and the slowest");
    case OpColumn::FlopRate:
    case OpColumn::ByteRate: return QObject::tr("Work by its own time; a loop has none, its body has");
    case OpColumn::Bound:
      return QObject::tr(
          "What the machine's roofline allows: bound by arithmetic, by memory, or by neither (overhead)");
    case OpColumn::Attainable: return QObject::tr("The time that the machine's roofline allows");
    case OpColumn::Wasted: return QObject::tr("Time above that bound");
    default: return {};
  }
}

}  // namespace

void OpTreeModel::setTree(OpTree tree) {
  beginResetModel();
  tree_ = std::move(tree);
  byInstruction_.clear();
  for (size_t i = 0; i < tree_.rows.size(); ++i) {
    const OpRow& row = tree_.rows[i];
    if (!row.facts.instruction.valid()) continue;
    const auto [at, isNew] = byInstruction_.try_emplace(row.facts.instruction, static_cast<int32_t>(i));
    if (!isNew && tree_.rows[static_cast<size_t>(at->second)].estimated() && !row.estimated())
      at->second = static_cast<int32_t>(i);
  }
  sortRows(tree_, sortColumn_, descending_);
  numberRows();
  endResetModel();
}

void OpTreeModel::numberRows() {
  rowInParent_.assign(tree_.rows.size(), 0);
  const auto number = [this](const std::vector<int32_t>& places) {
    for (size_t i = 0; i < places.size(); ++i) rowInParent_[static_cast<size_t>(places[i])] = static_cast<int>(i);
  };
  number(tree_.roots);
  for (const OpRow& row : tree_.rows) number(row.children);
}

const std::vector<int32_t>& OpTreeModel::childrenOf(const QModelIndex& parent) const {
  return parent.isValid() ? tree_.rows[static_cast<size_t>(placeOf(parent))].children : tree_.roots;
}

QModelIndex OpTreeModel::indexOf(int32_t place, int column) const {
  if (place < 0) return {};
  return createIndex(rowInParent_[static_cast<size_t>(place)], column, static_cast<quintptr>(place));
}

QModelIndex OpTreeModel::indexOf(InstructionId id) const {
  const auto found = byInstruction_.find(id);
  return found == byInstruction_.end() ? QModelIndex() : indexOf(found->second);
}

QModelIndex OpTreeModel::index(int row, int column, const QModelIndex& parent) const {
  const auto& children = childrenOf(parent);
  if (row < 0 || static_cast<size_t>(row) >= children.size() || column < 0 || column >= kOpColumns) return {};
  return createIndex(row, column, static_cast<quintptr>(children[static_cast<size_t>(row)]));
}

QModelIndex OpTreeModel::parent(const QModelIndex& index) const {
  return index.isValid() ? indexOf(tree_.rows[static_cast<size_t>(placeOf(index))].parent) : QModelIndex();
}

int OpTreeModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(parent).size());
}

int OpTreeModel::columnCount(const QModelIndex&) const { return kOpColumns; }

QString OpTreeModel::tipOf(const OpRow& row) const {
  QString out = QString::fromStdString(row.facts.name);
  if (!row.facts.scope.empty()) out += QLatin1Char('\n') + QString::fromStdString(row.facts.scope);
  if (!row.facts.source.empty()) out += QLatin1Char('\n') + QString::fromStdString(row.facts.source);
  if (!row.reason.empty()) out += QLatin1Char('\n') + QString::fromStdString(row.reason);
  if (row.kind == OpRowKind::Fusion)
    out += QLatin1Char('\n') + tr("Measured as one; its members share the time by counted work.");
  if (row.estimated()) out += QLatin1Char('\n') + tr("Estimated: it runs within the fusion above.");
  return out;
}

QVariant OpTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const OpRow& row = tree_.rows[static_cast<size_t>(placeOf(index))];
  const auto column = static_cast<OpColumn>(index.column());
  if (role == Qt::DisplayRole) return QString::fromStdString(textOf(tree_, row, column));
  if (role == Qt::ToolTipRole && column == OpColumn::Name) return asPlainText(tipOf(row));
  if (role == Qt::TextAlignmentRole && !isOpText(column)) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::FontRole && column == OpColumn::Name && row.kind != OpRowKind::Instruction) {
    QFont font;
    font.setItalic(row.estimated() || row.kind == OpRowKind::Lost);
    font.setBold(row.kind == OpRowKind::Group);
    return font;
  }
  return {};
}

QVariant OpTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const std::string_view title = titleOf(static_cast<OpColumn>(section));
  if (role == Qt::DisplayRole) return tr(std::string(title).c_str());
  if (role == Qt::ToolTipRole) return asPlainText(opColumnTip(static_cast<OpColumn>(section), tree_));
  return {};
}

void OpTreeModel::sort(int column, Qt::SortOrder order) {
  emit layoutAboutToBeChanged();
  sortColumn_ = static_cast<OpColumn>(column);
  descending_ = order == Qt::DescendingOrder;
  const QModelIndexList old = persistentIndexList();
  sortRows(tree_, sortColumn_, descending_);
  numberRows();
  for (const QModelIndex& index : old) changePersistentIndex(index, indexOf(placeOf(index), index.column()));
  emit layoutChanged();
}

}  // namespace tessera
