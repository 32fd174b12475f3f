// topk: the k largest or smallest elements of each line along the last dimension, in order, with their indices. Floats
// are ordered totally, so NaN with a positive sign is the largest; equal elements come in order of their indices.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/ops/evaluate_loops.h"
#include "core/ops/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr OperandDoc kOperands[] = {{"operand", "the array whose last dimension is searched"}};
constexpr AttributeRow kAttributes[] = {
    {Attr::k, true, "", "how many elements of each line are given"},
    {Attr::largest, false, "true", "the largest ones; false: the smallest"},
    {Attr::is_stable, false, "false", "equal elements keep their order, as they always do here"},
};
constexpr Constraint kConstraints[] = {
    {"C1", "The operand has at least one dimension."},
    {"C2", "k is not negative and not larger than the last dimension."},
    {"C3", "The elements are integers or floats."},
};

Result<Inferred> inferShape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  if (operand.rank() == 0) return context.violated("C1", "topk needs a dimension to search", "rank 1 or more", "a scalar");
  const int64_t k = context.attributes->intOr(Attr::k, -1);
  if (k < 0 || k > operand.dimensions.back())
    return context.violated("C2", "a line does not have that many elements", fmt::format("0 to {}", operand.dimensions.back()),
                            fmt::format("{}", k));
  if (!isFloat(operand.type) && !isInteger(operand.type))
    return context.violated("C3", "these elements have no order", "integers or floats", std::string(nameOf(operand.type)));
  std::vector<int64_t> dims = operand.dimensions;
  dims.back() = k;
  return Inferred{Shape::tuple({arrayOf(operand.type, dims), arrayOf(ElementType::S32, dims)}), {}};
}

// A number that orders like the element: integers themselves, floats by the bits of their double.
uint64_t orderKey(ElementType type, const std::byte* data) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (!isFloat(type)) {
    const auto bits = static_cast<uint64_t>(loadInt(type, data));
    return isUnsigned(type) ? bits : bits ^ kSign;
  }
  const double value = loadDouble(type, data);
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & kSign ? ~bits : bits | kSign;
}

Result<Literal> evaluate(const EvaluateContext& context) {
  const Literal& operand = context.operands[0];
  const ElementType type = operand.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  const auto n = static_cast<size_t>(operand.shape().dimensions.back());
  const auto k = static_cast<size_t>(context.instruction.attributes->intOr(Attr::k, 0));
  const uint64_t flip = context.instruction.attributes->boolOr(Attr::largest, true) ? ~uint64_t{0} : 0;
  TESSERA_ASSIGN_OR_RETURN(Literal values, Literal::allocate(context.shape.elements[0]));
  TESSERA_ASSIGN_OR_RETURN(Literal indices, Literal::allocate(context.shape.elements[1]));
  std::vector<uint64_t> keys(n);
  std::vector<int32_t> order(n);
  const size_t lines = n == 0 || k == 0 ? 0 : static_cast<size_t>(operand.elementCount()) / n;
  for (size_t line = 0; line < lines; ++line) {
    if (isCancelled(context)) return cancelledDiagnostic();
    const std::byte* from = operand.bytes().data() + line * n * width;
    for (size_t i = 0; i < n; ++i) keys[i] = orderKey(type, from + i * width) ^ flip;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(), [&](int32_t a, int32_t b) {
      const uint64_t x = keys[static_cast<size_t>(a)], y = keys[static_cast<size_t>(b)];
      return x != y ? x < y : a < b;
    });
    for (size_t i = 0; i < k; ++i) {
      std::memcpy(values.mutableBytes().data() + (line * k + i) * width, from + static_cast<size_t>(order[i]) * width, width);
      indices.mutableData<int32_t>()[line * k + i] = order[i];
    }
  }
  return Literal::tuple({std::move(values), std::move(indices)});
}

}  // namespace

const OpDef kTopk = {
    .opcode = Opcode::Topk,
    .kind = ExecutionKind::Library,
    .category = "Data movement",
    .summary = "The k largest or smallest elements of each line",
    .doc = "Along the last dimension the $k$ largest (or smallest) elements in descending (ascending) order, and their indices "
           "as s32. Of equal elements the one with the lower index comes first. Floats are in total order: $-0 < 0$, and NaN "
           "stands beyond infinity on the side of its sign.",
    .operands = kOperands,
    .attributes = kAttributes,
    .constraints = kConstraints,
    .inferShape = inferShape,
    .evaluate = evaluate,
};

}  // namespace tessera
