// See view_items.h.
#include "core/arrange/view_items.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/op.h"

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

bool isCallLike(Opcode opcode) { return opcode == Opcode::Call || opcode == Opcode::Fusion; }

std::string inputName(const Instruction& user, int32_t operand) {
  const OpDef* op = findOp(user.opcode);
  if (!op || op->operands.empty()) return fmt::format("input {}", operand);
  if (arityOf(user.opcode) < 0 && user.operands.size() > op->operands.size()) return std::to_string(operand);
  return std::string(op->operands[std::min(static_cast<size_t>(operand), op->operands.size() - 1)].name);
}

std::string portName(const Module& module, const Instruction& user, size_t operand,
                     const std::vector<ComputationId>& callees) {
  if (callees.size() == 1 && module.contains(callees[0])) {
    const Computation& callee = module.at(callees[0]);
    if (isCallLike(user.opcode) && callee.parameters.size() == user.operands.size()) {
      const std::string_view name = module.at(callee.parameters[operand]).name;
      return std::string(name.substr(0, name.find('.')));
    }
  }
  const OpDef* op = findOp(user.opcode);
  if (!op || op->operands.empty() || operand >= op->operands.size() ||
      (arityOf(user.opcode) < 0 && user.operands.size() > op->operands.size()))
    return std::to_string(operand);
  std::string_view name = op->operands[operand].name;
  if (name.ends_with("_value")) name.remove_suffix(std::string_view("_value").size());
  return std::string(name);
}

ViewPort portOf(const Shape& shape) {
  ViewPort out;
  out.kind = shape.isTuple() ? ViewPort::Kind::Tuple : shape.isArray() ? ViewPort::Kind::Array : ViewPort::Kind::Token;
  out.type = shape.type;
  return out;
}

}  // namespace tessera
