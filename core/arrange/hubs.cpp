#include "core/arrange/hubs.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr size_t kManyUsers = 8;  // a parameter with more users is a hub

bool isArrayConstant(const Instruction& i) { return i.opcode == Opcode::Constant && i.shape->isArray(); }

}  // namespace

bool isHub(const Module& module, const UserTable& users, const Instruction& i, const Computation& computation) {
  if (i.id == computation.root || users.users(i.id).empty()) return false;
  switch (i.opcode) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::PartitionId:
    case Opcode::ReplicaId: return true;
    case Opcode::Broadcast:
      return i.operands.size() == 1 && module.contains(i.operands[0]) && isArrayConstant(module.at(i.operands[0]));
    case Opcode::Parameter: return users.users(i.id).size() > kManyUsers;
    default: return false;
  }
}

const Instruction* constantBehind(const Module& module, const Instruction& i) {
  const Instruction* constant =
      i.opcode == Opcode::Broadcast && i.operands.size() == 1 && module.contains(i.operands[0])
          ? &module.at(i.operands[0])
          : &i;
  return isArrayConstant(*constant) && (constant == &i || constant->shape->isScalar()) ? constant : nullptr;
}

bool isReadOnce(const Module& module, const UserTable& users, const Instruction& i) {
  const auto readers = users.users(i.id);
  if (readers.size() != 1 || !module.contains(readers[0]) || module.at(i.computation).root == i.id) return false;
  return std::ranges::count(module.at(readers[0]).operands, i.id) == 1;
}

bool isField(const Module& module, const UserTable& users, const Instruction& i) {
  return (i.opcode == Opcode::Iota || constantBehind(module, i)) && isReadOnce(module, users, i);
}

}  // namespace tessera
