// The sugar of asynchronous operations: OP-start, OP-update and OP-done stand for async-start and so on.
#include "core/formats/hlo_text/module_reader.h"

namespace tessera::text {

// Notes which root a start, and all that goes on with it, runs.
void ModuleReader::noteStarted(InstructionId id) {
  if (fatal_) return;  // a computation may not be there
  const Instruction& instruction = module_.at(id);
  if (instruction.opcode == Opcode::AsyncStart) {
    for (ComputationId callee : module_.callees(instruction)) started_[id.value] = module_.at(callee).root;
  } else if (!instruction.operands.empty()) {
    const auto before = started_.find(instruction.operands[0].value);
    if (before != started_.end()) started_[id.value] = InstructionId(before->second);
  }
}

// OP-update and OP-done go on with an OP, be it over any number of updates.
void ModuleReader::checkSugar(const Draft& draft, InstructionId id) {
  const Instruction& instruction = module_.at(id);
  const auto started = started_.find(id.value);
  if (instruction.opcode == Opcode::AsyncStart || fatal_ || started == started_.end() || !started->second.valid() ||
      module_.at(started->second).opcode == draft.wrapped)
    return;
  report(draft.opcodeOffset,
         instruction.reference() + " is of " + std::string(nameOf(draft.wrapped)) + ", and what was started is " +
             std::string(module_.at(started->second).opcodeName()),
         false);
}

bool ModuleReader::wrapInAsyncComputation(Draft& draft) {
  if (!draft.shape || !draft.shape->isTuple() || draft.shape->elements.size() < 2) {
    const char* const form = "((operand shapes), output, …)";
    return lexer_.failAt(draft.opcodeOffset, "an async start needs its shape written", form);
  }
  const std::vector<Shape>& inputs = draft.shape->elements[0].elements;  // of open inputs only the shape is known
  const AttributeSet all = draft.instruction.attributes ? *draft.instruction.attributes : AttributeSet();
  AttributeSet inner, outer;
  ComputationId id = beginComputation(uniqueComputationName(std::string(draft.instruction.name) + ".async_computation"),
                                      draft.nameOffset);
  outer.set(Attr::calls, id);
  for (const Attribute& attribute : all.items())
    (isCommon(attribute.name) || attribute.name == Attr::async_execution_thread ? outer : inner)
        .set(attribute.name, attribute.value);
  outer.unknown = all.unknown;
  Computation& computation = module_.edit(id);
  computation.asyncSugar = true;
  computation.executionThread = std::string(all.textOr(Attr::async_execution_thread, ""));
  std::vector<InstructionId> parameters;
  for (size_t i = 0; i < draft.operands.size(); ++i) {
    const std::string parameterName = "param_" + std::to_string(i);
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(i);
    parameter.name = parameterName;
    const bool open = !draft.operands[i].valid();
    if (open && i >= inputs.size())
      return lexer_.failAt(draft.opcodeOffset, "an async start's shape lacks that of an open input");
    parameters.push_back(
        module_.add(id, std::move(parameter), Shape(open ? inputs[i] : module_.shapeOf(draft.operands[i]))));
  }
  Instruction root;
  root.opcode = draft.wrapped;
  const std::string rootName = std::string(nameOf(draft.wrapped)) + ".wrapped";
  root.name = rootName;
  root.operands = parameters;
  root.attributes = std::make_shared<const AttributeSet>(std::move(inner));
  const InstructionId rootId = module_.add(id, std::move(root), draft.shape->elements[1]);
  module_.setRoot(id, rootId);
  nameLacking(draft, rootId);
  draft.instruction.attributes = std::make_shared<const AttributeSet>(std::move(outer));
  order_.push_back(id);
  return true;
}

}  // namespace tessera::text
