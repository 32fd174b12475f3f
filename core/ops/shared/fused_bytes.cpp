// See fused_bytes.h.
#include "core/ops/shared/fused_bytes.h"

namespace tessera {
namespace {

double writtenBytes(const Module& module, InstructionId root) {
  const Instruction& in = module.at(root);
  if (in.opcode == Opcode::DynamicUpdateSlice)
    return in.operands.size() > 1 ? bytesOf(module.shapeOf(in.operands[1])) : 0;
  if (in.opcode != Opcode::Tuple) return bytesOf(*in.shape);
  double sum = 0;
  for (InstructionId each : in.operands) sum += writtenBytes(module, each);
  return sum;
}

// Slices read themselves, each broadcast and reshape reads all of the parameter, all else shares one full read.
double readBytes(const Module& module, const Computation& body, InstructionId parameter) {
  const double all = bytesOf(module.shapeOf(parameter));
  double parts = 0;
  bool whole = false;
  for (InstructionId id : body.instructions) {
    const Instruction& user = module.at(id);
    for (size_t i = 0; i < user.operands.size(); ++i) {
      if (user.operands[i] != parameter) continue;
      const bool updated = user.opcode == Opcode::DynamicUpdateSlice && i == 0;
      if (user.opcode == Opcode::Slice || (user.opcode == Opcode::DynamicSlice && i == 0))
        parts += bytesOf(*user.shape);
      else if (user.opcode == Opcode::Broadcast || user.opcode == Opcode::Reshape)
        parts += all;
      else if (!updated)
        whole = true;
    }
  }
  return parts + (whole ? all : 0);
}

}  // namespace

double fusionBytes(const CostContext& fusion) {
  const Module& module = fusion.module;
  const auto callees = module.callees(fusion.instruction);
  if (callees.empty() || !module.contains(callees.front()) || !module.at(callees.front()).root.valid())
    return operandBytes(fusion) + bytesOf(fusion.shape());
  const Computation& body = module.at(callees.front());
  double sum = writtenBytes(module, body.root);
  for (InstructionId parameter : body.parameters) sum += readBytes(module, body, parameter);
  return sum;
}

}  // namespace tessera
