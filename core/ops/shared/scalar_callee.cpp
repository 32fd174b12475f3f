// Called scalar computations: signature checks for inference and the reducer as nodes.
#include "core/ops/shared/scalar_callee.h"

#include <fmt/format.h>

#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

std::string signatureText(const ProgramShape& program) {
  std::string text = "(";
  for (size_t i = 0; i < program.parameters.size(); ++i)
    text += (i ? ", " : "") + toString(program.parameters[i], false);
  return text + ") -> " + toString(program.result, false);
}

std::string wantedText(const std::vector<ElementType>& types) {
  std::string list;
  for (size_t i = 0; i < types.size(); ++i) list += fmt::format("{}{}[]", i ? ", " : "", nameOf(types[i]));
  return fmt::format("({}, {}) -> {}", list, list, types.size() == 1 ? list : "(" + list + ")");
}

bool isSmallFloat(ElementType type) { return isFloat(type) && info(type).bits < 32; }

}  // namespace

std::vector<Shape> resultLeaves(const Shape& shape) {
  if (shape.isTuple()) return shape.elements;
  return {shape};
}

Shape arrayOrTuple(std::vector<Shape> shapes, bool tuple) {
  if (shapes.size() == 1 && !tuple) return std::move(shapes.front());
  return Shape::tuple(std::move(shapes));
}

Literal literalOrTuple(std::vector<Literal> literals, bool tuple) {
  if (literals.size() == 1 && !tuple) return std::move(literals.front());
  return Literal::tuple(std::move(literals));
}

bool givesTuple(const InferContext& context) {
  return !context.computations.empty() && context.computations[0].result.isTuple();
}

Result<std::vector<ElementType>> reducerTypes(const InferContext& context, std::string_view label,
                                              const std::vector<ElementType>& types) {
  if (context.computations.empty()) return context.violated(label, "the reducer computation is missing");
  const ProgramShape& program = context.computations.front();
  const std::vector<Shape> results = resultLeaves(program.result);
  bool fits = program.parameters.size() == 2 * types.size() && results.size() == types.size();
  for (size_t i = 0; fits && i < types.size(); ++i) {
    const Shape &accumulator = program.parameters[i], &value = program.parameters[types.size() + i];
    fits = accumulator.isScalar() && value.isScalar() && results[i].isScalar() && results[i].type == accumulator.type &&
           sameButPrecision(value.type, types[i]) && sameButPrecision(accumulator.type, types[i]);
  }
  if (!fits)
    return context.violated(label, "the reducer does not fit the values that it is to reduce", wantedText(types),
                            signatureText(program));
  std::vector<ElementType> out;
  for (const Shape& result : results) out.push_back(result.type);
  return out;
}

NodeId convertTo(ElementBuilder& builder, ElementType type, NodeId value) {
  return builder.typeOf(value) == type ? value : builder.convert(type, value);
}

ReducerNodes::ReducerNodes(const Module& module, const Instruction& instruction, size_t callee, ElementBuilder& builder,
                           CallFn call, std::vector<ElementType> types)
    : builder_(builder), callee_(callee), call_(std::move(call)), types_(std::move(types)) {
  if (types_.size() != 1 || !isSmallFloat(types_[0])) return;
  const auto plain = reducerOf(module, instruction, callee);
  if (!plain || (*plain != Opcode::Add && *plain != Opcode::Multiply)) return;
  wide_ = true;
  wideOp_ = *plain == Opcode::Add ? NodeOp::Add : NodeOp::Multiply;
}

std::vector<NodeId> ReducerNodes::start(std::span<const NodeId> inits) {
  std::vector<NodeId> out;
  for (size_t i = 0; i < inits.size(); ++i)
    out.push_back(convertTo(builder_, wide_ ? ElementType::F32 : types_[i], inits[i]));
  return out;
}

Result<std::vector<NodeId>> ReducerNodes::apply(std::span<const NodeId> accumulators, std::span<const NodeId> values) {
  if (wide_)
    return std::vector<NodeId>{
        builder_.binary(wideOp_, accumulators[0], convertTo(builder_, ElementType::F32, values[0]))};
  std::vector<NodeId> scalars(accumulators.begin(), accumulators.end());
  for (size_t i = 0; i < values.size(); ++i) scalars.push_back(convertTo(builder_, types_[i], values[i]));
  return call_(callee_, scalars);
}

std::vector<NodeId> ReducerNodes::finish(std::span<const NodeId> accumulators) {
  std::vector<NodeId> out;
  for (size_t i = 0; i < accumulators.size(); ++i) out.push_back(convertTo(builder_, types_[i], accumulators[i]));
  return out;
}

}  // namespace tessera
