// See dot_dimensions.h.
#include "core/ops/shared/dot_dimensions.h"

#include <fmt/format.h>

#include "core/ops/shared/dimension_relations.h"

namespace tessera {

Status checkNamedOnce(const InferContext& context, size_t operand, std::initializer_list<const IndexVector*> lists) {
  IndexVector all;
  for (const IndexVector* list : lists) all.insert(all.end(), list->begin(), list->end());
  const Shape& shape = context.operand(operand);
  if (const auto bad = badDimension(all, shape.rank()))
    return context.violated(
        "C2", fmt::format("{} has no dimension {} that is free to be used here", operand == 0 ? "lhs" : "rhs", *bad),
        fmt::format("distinct dimensions below {}", shape.rank()), std::to_string(*bad));
  return {};
}

Status checkDimensionPairs(const InferContext& context, std::string_view label, std::string_view kind,
                           const IndexVector& left, const IndexVector& right) {
  if (left.size() != right.size())
    return context.violated(label, fmt::format("lhs and rhs name different numbers of {} dimensions", kind),
                            std::to_string(left.size()), std::to_string(right.size()));
  for (size_t i = 0; i < left.size(); ++i) {
    const int64_t a = context.operand(0).dimensions[static_cast<size_t>(left[i])];
    const int64_t b = context.operand(1).dimensions[static_cast<size_t>(right[i])];
    if (a != b && a != Shape::kUnbounded && b != Shape::kUnbounded)
      return context.violated(
          label, fmt::format("{} dimension {} of lhs and {} of rhs differ in size", kind, left[i], right[i]),
          std::to_string(a), std::to_string(b));
  }
  return {};
}

void appendDimensions(Shape& out, const Shape& source, const IndexVector& dims) {
  for (int64_t d : dims) {
    out.dimensions.push_back(source.dimensions[static_cast<size_t>(d)]);
    out.dynamic.push_back(source.isDynamicDimension(d));
  }
}

void setIndices(std::vector<NodeId>& at, const IndexVector& dims, std::span<const NodeId> values) {
  for (size_t i = 0; i < dims.size(); ++i) at[static_cast<size_t>(dims[i])] = values[i];
}

void relateProduct(DimensionRelations& out, const InferContext& context, size_t next, const IndexVector& rhsHidden) {
  const AttributeSet& a = *context.attributes;
  const IndexVector &lb = a.ints(Attr::lhs_batch_dims), &rb = a.ints(Attr::rhs_batch_dims),
                    &lc = a.ints(Attr::lhs_contracting_dims), &rc = a.ints(Attr::rhs_contracting_dims);
  const auto at = [](size_t k, int64_t d) { return DimensionRef::operand(k, static_cast<size_t>(d)); };
  for (size_t i = 0; i < lc.size(); ++i)  // a sparse operand holds a part of it
    if (context.operand(0).dimensions[static_cast<size_t>(lc[i])] ==
        context.operand(1).dimensions[static_cast<size_t>(rc[i])])
      out.same(at(1, rc[i]), at(0, lc[i]));
  for (size_t i = 0; i < lb.size(); ++i, ++next) {
    out.same(DimensionRef::result(next), at(0, lb[i]));
    out.same(DimensionRef::result(next), at(1, rb[i]));
  }
  for (int64_t d : otherDims(context.operand(0).rank(), lb, lc)) out.same(DimensionRef::result(next++), at(0, d));
  IndexVector hidden = rc;
  hidden.insert(hidden.end(), rhsHidden.begin(), rhsHidden.end());
  for (int64_t d : otherDims(context.operand(1).rank(), rb, hidden)) out.same(DimensionRef::result(next++), at(1, d));
}

}  // namespace tessera
