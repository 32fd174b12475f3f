// Each member links to its successor; then each chain is followed to its last member. O(V).
#include "core/arrange/shape_chains.h"

#include "core/ops/op.h"

namespace tessera {
namespace {

bool changesFormAlone(const Module& module, const Instruction& i) {
  if (!hasTrait(i.opcode, kWrittenShape) || !hasTrait(i.opcode, kMovesData | kElementwise | kReinterprets))
    return false;
  return i.shapeWritten && i.operands.size() == 1 && module.contains(i.operands[0]) && i.shape->isArray();
}

}  // namespace

std::vector<int32_t> shapeChains(const Module& module, const Computation& computation, const UserTable& users,
                                 const std::vector<bool>& hubs, const std::vector<int32_t>& groupOf,
                                 const std::vector<int32_t>& positions, const std::set<std::string>& placed) {
  const size_t count = computation.instructions.size();
  std::vector<int32_t> last(count, -1), next(count, -1);
  const auto member = [&](size_t i) {
    return !hubs[i] && changesFormAlone(module, module.at(computation.instructions[i]));
  };
  std::vector<bool> follows(count);
  for (size_t i = 0; i < count; ++i) {
    const InstructionId id = computation.instructions[i];
    const auto readers = users.users(id);
    if (!member(i) || id == computation.root || readers.size() != 1) continue;
    const Instruction& reader = module.at(readers[0]);
    if (reader.computation != computation.id || placed.contains(std::string(module.at(id).name))) continue;
    const auto to = static_cast<size_t>(positions[reader.id.value]);
    if (!member(to) || groupOf[to] != groupOf[i]) continue;
    next[i] = static_cast<int32_t>(to);
    follows[to] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (next[i] < 0 || follows[i]) continue;  // not the first of a chain
    size_t end = i;
    while (next[end] >= 0) end = static_cast<size_t>(next[end]);
    for (size_t k = i; k != end; k = static_cast<size_t>(next[k])) last[k] = static_cast<int32_t>(end);
    last[end] = static_cast<int32_t>(end);
  }
  return last;
}

}  // namespace tessera
