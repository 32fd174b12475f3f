// See custom_calls.h: the table of tables, and the targets that need no file of their own.
#include "core/custom_calls/custom_calls.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/base/result.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/devices/communicator.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/shared/topk_lines.h"

namespace tessera {
namespace {

// Annotations may have several operands and give them as a tuple.
Result<Literal> handOn(const EvaluateContext& context) {
  Literal value = context.operands.size() == 1
                      ? context.operands[0]
                      : Literal::tuple(std::vector<Literal>(context.operands.begin(), context.operands.end()));
  if (compatible(value.shape(), context.shape)) return value;
  return fail({.kind = ErrorKind::Unsupported,
               .message = "\"" + std::string(context.instruction.attributes->textOr(Attr::custom_call_target, "")) +
                          "\" hands its operand on, and the result has another shape",
               .expected = toString(context.shape, false),
               .found = toString(value.shape(), false)});
}

// The k largest of each line of the last dimension; k is what the result has room for.
Result<Literal> topK(const EvaluateContext& context) {
  const bool fits = context.operands.size() == 1 && context.operands[0].shape().isArray() &&
                    context.operands[0].shape().rank() > 0 && context.shape.isTuple() &&
                    context.shape.elements.size() == 2;
  if (!fits) return failUnsupported("\"TopK\" takes an array of rank 1 or more and gives values and indices");
  const Shape& operand = context.operands[0].shape();
  Shape values = operand, indices = operand;
  values.dimensions.back() = indices.dimensions.back() =
      context.shape.elements[0].rank() > 0 ? context.shape.elements[0].dimensions.back() : -1;
  indices.type = ElementType::S32;
  const bool ordered = isFloat(operand.type) || isInteger(operand.type);
  if (!ordered || values.dimensions.back() < 0 || values.dimensions.back() > operand.dimensions.back() ||
      !compatible(Shape::tuple({values, indices}), context.shape))
    return failUnsupported("\"TopK\" cannot give " + toString(context.shape, false) + " from " +
                           toString(operand, false));
  return largestOfLines(context, context.operands[0], values.dimensions.back(), true);
}

// A buffer that is filled later; what it holds at first is unspecified.
Result<Literal> allocateBuffer(const EvaluateContext& context) {
  if (!context.shape.isArray())
    return failUnsupported("a buffer has the shape of an array, not " + toString(context.shape, false));
  return Literal::zeros(withoutLayout(context.shape));
}

constexpr CustomCallTarget kAnnotations[] = {
    {"Sharding", handOn},
    {"xla.sdy.Sharding", handOn},
    {"xla.sdy.FuncResultSharding", handOn},
    {"xla.sdy.PropagationBarrier", handOn},
    {"LayoutConstraint", handOn},
    {"annotate_device_placement", handOn},
    {"MoveToHost", handOn},
    {"MoveToDevice", handOn},
    {"AssumeGatherIndicesInBound", handOn},
    {"Pin", handOn},
    {"Unpin", handOn},
};
constexpr CustomCallTarget kBuffers[] = {
    {"TopK", topK}, {"AllocateBuffer", allocateBuffer}, {"CreateBuffer", allocateBuffer}};

std::string targetOf(const Instruction& instruction) {
  return std::string(instruction.attributes->textOr(Attr::custom_call_target, ""));
}

}  // namespace

std::span<const CustomCallTarget> annotationTargets() { return kAnnotations; }
std::span<const CustomCallTarget> bufferTargets() { return kBuffers; }

CustomCallFunction findBuiltInTarget(std::string_view name) {
  static const auto kTable = [] {
    std::unordered_map<std::string_view, CustomCallFunction> out;
    for (const auto targets : {annotationTargets(), manualRegionTargets(), bufferTargets(), lapackTargets(),
                               cudaTargets(), decompositionTargets(), arrayTargets()})
      for (const CustomCallTarget& target : targets) out.emplace(target.name, target.run);
    return out;
  }();
  const auto found = kTable.find(name);
  return found == kTable.end() ? nullptr : found->second;
}

Status checkTarget(const Instruction& instruction, const CustomCallLibrary* library) {
  const std::string target = targetOf(instruction);
  if ((library && library->has(target)) || findBuiltInTarget(target)) return {};
  return failUnsupported("nobody knows the custom-call target \"" + target + "\"");
}

Status checkTargets(const Module& module, const CustomCallLibrary* library) {
  std::vector<ComputationId> pending{module.entry()};
  std::vector<bool> seen(module.computationSlots(), false);
  while (!pending.empty()) {
    const ComputationId id = pending.back();
    pending.pop_back();
    if (seen[id.value]) continue;
    seen[id.value] = true;
    for (InstructionId each : module.at(id).instructions) {
      const Instruction& instruction = module.at(each);
      for (ComputationId callee : module.callees(instruction)) pending.push_back(callee);
      if (instruction.opcode != Opcode::CustomCall) continue;
      if (auto known = checkTarget(instruction, library); !known)
        return std::unexpected(placedAt(instruction, std::move(known).error()));
    }
  }
  return {};
}

Result<Literal> runCustomCall(const EvaluateContext& context) {
  const CustomCallLibrary* library = context.communicator ? context.communicator->customCalls() : nullptr;
  TESSERA_TRY(checkTarget(context.instruction, library));
  const std::string target = targetOf(context.instruction);
  if (library && library->has(target)) return library->call(target, context);
  return findBuiltInTarget(target)(context);
}

}  // namespace tessera
