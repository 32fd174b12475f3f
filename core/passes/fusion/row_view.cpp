// See row_view.h.
#include "core/passes/fusion/row_view.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

int64_t lastDimension(const Shape& shape) { return shape.dimensions.empty() ? 1 : shape.dimensions.back(); }

bool isRowed(const Shape& shape) {
  const auto& limits = tuning().fusion;
  if (!shape.isArray() || shape.dimensions.empty() || isComplex(shape.type)) return false;
  const int64_t length = lastDimension(shape), count = shape.elementCount().value_or(0);
  return length >= limits.shortestRow && length <= limits.longestRow && count > 0 &&
         (count / length >= limits.fewestRows || count <= limits.littleWork);
}

// The reduction keeps all dimensions but the last, by an operation that vector lanes may share out.
bool reducesRows(const Module& module, const Instruction& reduce) {
  if (reduce.operands.size() != 2 || !reduce.shape->isArray()) return false;
  const Shape& operand = module.shapeOf(reduce.operands[0]);
  if (!isRowed(operand) || reduce.shape->rank() + 1 != operand.rank() || !isIota(alignedDimensions(module, reduce, 0)))
    return false;
  const auto* callee = reduce.attributes->get<ComputationId>(Attr::to_apply);
  if (!callee) return false;
  switch (module.at(module.at(*callee).root).opcode) {
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Multiply:
    case Opcode::And:
    case Opcode::Or: break;
    default: return false;
  }
  return module.at(*callee).instructions.size() == 3;
}

// [rows …] to [rows …, length], whatever dimensions of size 1 come and go.
bool repeatsStatistic(const Module& module, const Instruction& broadcast) {
  const Shape& to = *broadcast.shape;
  if (!isRowed(to)) return false;
  const std::vector<int64_t> from = alignedDimensions(module, broadcast, 0);
  if (from.back() >= 0) return false;
  int64_t next = 0;
  for (size_t d = 0; d + 1 < from.size(); ++d) {
    if (from[d] >= 0 && from[d] != next++) return false;
    if (from[d] < 0 && to.dimensions[d] != 1) return false;
  }
  return true;
}

}  // namespace

RowView rowViewOfRoot(const Instruction& root) {
  if (root.opcode == Opcode::Reduce && root.shape->isArray()) return RowView::Statistic;
  return isRowed(*root.shape) ? RowView::Aligned : RowView::Other;
}

RowView rowViewOfOperand(const Module& module, const Instruction& user, size_t operand, RowView view) {
  if (view == RowView::Other) return view;
  const Shape &from = module.shapeOf(user.operands[operand]), &to = *user.shape;
  if (!from.isArray()) return RowView::Other;
  switch (user.opcode) {
    case Opcode::Broadcast:
      return readsRow(view) && repeatsStatistic(module, user) ? RowView::Statistic : RowView::Other;
    case Opcode::Reduce:
      return view == RowView::Statistic && operand == 0 && reducesRows(module, user) ? RowView::InRow : RowView::Other;
    case Opcode::Reshape:
      return keepsBytes(from, to) && (view == RowView::Statistic || lastDimension(from) == lastDimension(to))
                 ? view
                 : RowView::Other;
    default: return isElementwise(user.opcode) && from.dimensions == to.dimensions ? view : RowView::Other;
  }
}

}  // namespace tessera
