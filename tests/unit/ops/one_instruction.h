// A module of one instruction over parameters, one for each literal: the smallest program of an operation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera::test {

// The root of a new entry.
inline InstructionId addOver(Module& module, std::span<const Literal> arguments, Opcode opcode, const Shape& result,
                             AttributeSet attributes = {}) {
  const ComputationId entry = module.addComputation("main");
  module.setEntry(entry);
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(i);
    parameter.name = name;
    operands.push_back(module.add(entry, parameter, arguments[i].shape()));
  }
  const InstructionId id = module.add(entry, opcode, result, operands, std::move(attributes));
  module.setRoot(entry, id);
  return id;
}

}  // namespace tessera::test
