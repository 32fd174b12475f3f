// The opcodes of HLO, from one table (opcodes.inc): text name and arity. Meaning is in core/ops.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class Opcode : uint8_t {
#define TESSERA_OPCODE(enumerator, name, arity) enumerator,
#include "core/hlo/opcodes.inc"
#undef TESSERA_OPCODE
  Unknown,  // an opcode that the table lacks; the instruction keeps its text name
};
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::Unknown);

std::string_view nameOf(Opcode opcode);  // "" for Unknown
int arityOf(Opcode opcode);              // -1: variadic
std::optional<Opcode> opcodeFromName(std::string_view name);

}  // namespace tessera
