// See dot_dimensions.h.
#include "core/ops/shared/dot_dimensions.h"

#include <fmt/format.h>

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

void appendDimensions(Inferred& out, const Shape& source, const IndexVector& dims, std::string_view of,
                      std::string_view kind) {
  for (int64_t d : dims) {
    const int64_t size = source.dimensions[static_cast<size_t>(d)];
    out.reasons.push_back(
        fmt::format("dimension {} = {} from {} {} of {}", out.shape.dimensions.size(), size, kind, d, of));
    out.shape.dimensions.push_back(size);
    out.shape.dynamic.push_back(source.isDynamicDimension(d));
  }
}

}  // namespace tessera
