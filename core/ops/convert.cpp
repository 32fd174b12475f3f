// convert: the same values in another element type. Floats round to nearest even; floats to integers truncate and
// saturate, NaN gives 0; integers to narrower integers wrap; anything to pred is "not zero"; real to complex has a
// zero imaginary part. The result's element type is a fact of the instruction.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

Result<Shape> inferConvert(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  const Shape& operand = context.operand(0);
  if (isComplex(operand.type) && !isComplex(written->type)) {
    return context.violated("C1", "a complex number does not convert to a real one; take real or imag first",
                            "a complex type", std::string(nameOf(written->type)));
  }
  Shape shape = elementwiseShape(context, operand, written->type);
  return shape;
}

// From integers: through the target's own precision, so that a value is rounded once.
Result<Literal> convertIntegers(const EvaluateContext& context, ElementType from, ElementType to) {
  if (!isFloat(to) && !isComplex(to)) return mapElements<int64_t, int64_t>(context, [](int64_t x) { return x; });
  const bool single = to == ElementType::F32 || to == ElementType::C64;
  return mapElements<double, int64_t>(context, [&](int64_t x) -> double {
    if (isUnsigned(from))
      return single ? static_cast<float>(static_cast<uint64_t>(x)) : static_cast<double>(static_cast<uint64_t>(x));
    return single ? static_cast<float>(x) : static_cast<double>(x);
  });
}

Result<Literal> evaluateConvert(const EvaluateContext& context) {
  using Complex128 = std::complex<double>;
  const ElementType from = context.operands[0].shape().type, to = context.shape.type;
  if (from == to) return Literal::fromBytes(context.shape, context.operands[0].bytes());
  if (isComplex(from)) return mapElements<Complex128, Complex128>(context, [](Complex128 z) { return z; });
  if (isFloat(from)) return mapElements<double, double>(context, [](double x) { return x; });
  return convertIntegers(context, from, to);
}

Status convertElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  context.results = {context.builder.convert(context.shape().type, value)};
  return {};
}

constexpr OperandDoc kConvertOperands[] = {{"operand", "The array to convert."}};
constexpr Constraint kConvertConstraints[] = {{"C1", "A complex operand converts to complex types only."}};

}  // namespace

const OpDef kConvert = {
    .opcode = Opcode::Convert,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise | kWrittenShape},
    .summary = "Values in another element type",
    .doc =
        "Floats round to nearest, ties to even. A float becomes an integer by truncation toward zero and saturation; "
        "NaN becomes 0. Integers wrap. Pred is 0 or 1, and anything that is not zero is true.",
    .synonyms = "cast astype",
    .operands = kConvertOperands,
    .attributes = {},
    .constraints = kConvertConstraints,
    .inferShape = inferConvert,
    .inferLayout = followOperandLayout,
    .cost = flopPerElement,
    .evaluate = evaluateConvert,
    .element = convertElement,
};

}  // namespace tessera
