// Attributes of instructions to and from the fields of HloInstructionProto: one table of rows (attribute, field path,
// when it is there, how its words are written), read through protobuf's reflection by value kind. No opcode is known
// here but by the attribute rows of core/ops and by the few rows that differ for one opcode.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera::pb {
class HloInstructionProto;
}

namespace tessera::proto {

// What ids mean while one instruction is converted.
struct ReadScope {
  const Module& module;
  std::function<std::optional<ComputationId>(int64_t)> computation;
  std::function<std::optional<InstructionId>(int64_t)> instruction;
};
struct WriteScope {
  const Module& module;
  std::function<int64_t(ComputationId)> computation;
  std::function<int64_t(InstructionId)> instruction;
};

// Takes the attributes of an instruction (its opcode and operands must be in place) out of the message: fields that
// were understood are cleared there.
Result<AttributeSet> takeAttributes(pb::HloInstructionProto& message, const Instruction& instruction,
                                    const ReadScope& scope);
// Writes what the message has fields for; what it cannot say is left out (takeAttributes then gives another set).
void putAttributes(const Instruction& instruction, const WriteScope& scope, pb::HloInstructionProto& out);

}  // namespace tessera::proto
