// Look-ups over the opcode table.
#include "core/hlo/opcode.h"

#include <array>
#include <unordered_map>

namespace tessera {
namespace {

struct OpcodeName {
  std::string_view name;
  int arity;
};

constexpr auto kOpcodes = std::to_array<OpcodeName>({
#define TESSERA_OPCODE(enumerator, name, arity) {name, arity},
#include "core/hlo/opcodes.inc"
#undef TESSERA_OPCODE
});

}  // namespace

std::string_view nameOf(Opcode opcode) {
  return opcode == Opcode::Unknown ? std::string_view() : kOpcodes[static_cast<size_t>(opcode)].name;
}

int arityOf(Opcode opcode) { return opcode == Opcode::Unknown ? -1 : kOpcodes[static_cast<size_t>(opcode)].arity; }

std::optional<Opcode> opcodeFromName(std::string_view name) {
  static const auto byName = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (size_t i = 0; i < kOpcodes.size(); ++i) map.emplace(kOpcodes[i].name, static_cast<Opcode>(i));
    return map;
  }();
  auto it = byName.find(name);
  if (it == byName.end()) return std::nullopt;
  return it->second;
}

}  // namespace tessera
