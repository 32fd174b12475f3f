// Titles and actions of the edits in parameter_edits.h.
#include "core/edit/parameter_edits.h"

#include <utility>

namespace tessera {

Edit settingShape(const Module& module, InstructionId parameter, Shape shape) {
  fillDefaultLayouts(shape);
  return {"Shape of " + std::string(module.at(parameter).name), {SetParameterShape{parameter, std::move(shape)}}};
}

std::string whyNoLayout(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  if (instruction.opcode == Opcode::Parameter) return {};
  if (!instruction.shape->isArray()) return "A tuple's layouts are those of its elements.";
  switch (instruction.opcode) {
    case Opcode::Constant: return "A constant has the layout of its value.";
    case Opcode::GetTupleElement: return "An element has the layout that it has in its tuple.";
    case Opcode::Bitcast: return "A bitcast is defined by its layouts.";
    default: return {};
  }
}

Edit settingLayout(const Module& module, InstructionId id, Shape shape) {
  const std::string title = "Layout of " + std::string(module.at(id).name);
  if (module.at(id).opcode == Opcode::Parameter) return {title, {SetParameterShape{id, std::move(shape)}}};
  return {title, {SetShape{id, std::move(shape)}}};
}

}  // namespace tessera
