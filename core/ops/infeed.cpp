// infeed and outfeed: data from and to the outside of the device, in the order that tokens give. The user names source
// and sink of a run; the Communicator carries them.
#include "core/base/result.h"
#include "core/devices/communicator.h"
#include "core/ops/op.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr OperandDoc kInfeedOperands[] = {{"token", "what has to be done first"}};
constexpr OperandDoc kOutfeedOperands[] = {{"data", "an array or a tuple of arrays"},
                                           {"token", "what has to be done first"}};
constexpr AttributeRow kInfeedAttributes[] = {{Attr::infeed_config, false, "", "kept as written, for the device"}};
constexpr AttributeRow kOutfeedAttributes[] = {
    {Attr::outfeed_shape, false, "", "shape and layout of the data outside"},
    {Attr::outfeed_config, false, "", "kept as written, for the device"},
};
constexpr Constraint kInfeedConstraints[] = {
    {"C1", "the operand is a token"},
    {"C2", "the result is written as (data, token[])"},
    {"C3", "the data is an array or a tuple of arrays; nested tuples cannot be fed"},
};
constexpr Constraint kOutfeedConstraints[] = {
    {"C1", "the second operand is a token"},
    {"C2", "outfeed_shape is the shape of the data"},
};

bool isFlat(const Shape& data) {
  return data.isArray() || (data.isTuple() && std::ranges::all_of(data.elements, &Shape::isArray));
}

Result<Shape> inferInfeed(const InferContext& context) {
  if (!context.operand(0).isToken())
    return context.violated("C1", "the operand is no token", "token[]", toString(context.operand(0), false));
  const Shape* written = context.written;
  if (!written || !written->isTuple() || written->elements.size() != 2 || !written->elements[1].isToken())
    return context.violated("C2", "the result of an infeed is data and a token", "(data, token[])",
                            written ? toString(*written, false) : "");
  if (!isFlat(written->elements[0]))
    return context.violated("C3", "the data of an infeed cannot be nested", "an array or a tuple of arrays",
                            toString(written->elements[0], false));
  return withoutLayout(*written);
}

// An empty tuple reads nothing.
Result<Literal> evaluateInfeed(const EvaluateContext& context) {
  const Shape& data = context.shape.elements[0];
  if (data.isTuple() && data.elements.empty()) return Literal::tuple({Literal::tuple({}), Literal::token()});
  if (!context.communicator)
    return fail(ErrorKind::Runtime, "there is no source for %" + std::string(context.instruction.name));
  TESSERA_ASSIGN_OR_RETURN(Literal value, context.communicator->infeed(data));
  if (!compatible(value.shape(), data))
    return fail(ErrorKind::Runtime, "the source gives " + toString(value.shape(), false) + " to %" +
                                        std::string(context.instruction.name) + ", which reads " +
                                        toString(data, false));
  return Literal::tuple({std::move(value), Literal::token()});
}

Result<Shape> inferOutfeed(const InferContext& context) {
  if (!context.operand(1).isToken())
    return context.violated("C1", "the second operand is no token", "token[]", toString(context.operand(1), false));
  const Shape* outside = context.attributes->get<Shape>(Attr::outfeed_shape);
  if (outside && !compatible(*outside, context.operand(0)))
    return context.violated("C2", "outfeed_shape is another shape than the data's", toString(context.operand(0), false),
                            toString(*outside, false));
  return Shape::token();
}

// The value with the layouts that its sink sees.
Literal laidOutAs(const Literal& value, const Shape& shape) {
  if (value.shape().isTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < value.elements().size(); ++i)
      elements.push_back(laidOutAs(value.elements()[i], shape.elements[i]));
    return Literal::tuple(std::move(elements));
  }
  Literal out = value;
  out.setLayout(shape.layout);
  return out;
}

Result<Literal> evaluateOutfeed(const EvaluateContext& context) {
  if (!context.communicator)
    return fail(ErrorKind::Runtime, "there is no sink for %" + std::string(context.instruction.name));
  const Shape* outside = context.instruction.attributes->get<Shape>(Attr::outfeed_shape);
  TESSERA_TRY(
      context.communicator->outfeed(laidOutAs(context.operands[0], outside ? *outside : *context.operandShapes[0])));
  return Literal::token();
}

}  // namespace

const OpDef kInfeed = {
    .opcode = Opcode::Infeed,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kWrittenShape},
    .summary = "Takes data from outside.",
    .doc =
        "The result is the next data of the device's source, and a token. Infeeds are ordered by their tokens. An "
        "empty tuple reads nothing.",
    .operands = kInfeedOperands,
    .attributes = kInfeedAttributes,
    .constraints = kInfeedConstraints,
    .inferShape = inferInfeed,
    .evaluate = evaluateInfeed,
};
const OpDef kOutfeed = {
    .opcode = Opcode::Outfeed,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect},
    .summary = "Gives data to the outside.",
    .doc = "The data goes to the device's sink; the result is a token.",
    .operands = kOutfeedOperands,
    .attributes = kOutfeedAttributes,
    .constraints = kOutfeedConstraints,
    .inferShape = inferOutfeed,
    .evaluate = evaluateOutfeed,
};

}  // namespace tessera
