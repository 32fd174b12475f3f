// The list of all operations: ops.inc as a table from Opcode to OpDef. Everything that needs to know an operation
// (reader, verifier, evaluator, code generation, palette, help) asks here.
#include <array>

#include "core/ops/op.h"

namespace tessera {

namespace {

constexpr const OpDef* kAllOps[] = {
#define TESSERA_OP(name) &k##name,
#include "core/ops/ops.inc"
#undef TESSERA_OP
};

constexpr std::array<const OpDef*, kOpcodeCount> byOpcode() {
  std::array<const OpDef*, kOpcodeCount> table{};
#define TESSERA_OP(name) table[static_cast<size_t>(Opcode::name)] = &k##name;
#include "core/ops/ops.inc"
#undef TESSERA_OP
  return table;
}
constexpr std::array<const OpDef*, kOpcodeCount> kByOpcode = byOpcode();

}  // namespace

const OpDef* findOp(Opcode opcode) {
  const auto slot = static_cast<size_t>(opcode);
  return slot < kByOpcode.size() ? kByOpcode[slot] : nullptr;
}

std::span<const OpDef* const> allOps() { return kAllOps; }

}  // namespace tessera
