#include "core/arrange/view_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/op.h"

namespace tessera {
namespace {

bool isCallLike(Opcode opcode) { return opcode == Opcode::Call || opcode == Opcode::Fusion; }

}  // namespace

std::string inputName(const Instruction& user, int32_t operand) {
  const OpDef* op = findOp(user.opcode);
  if (!op || op->operands.empty()) return fmt::format("input {}", operand);
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

void setPorts(const Module& module, const Instruction& user, ViewNode& own,
              const std::function<bool(InstructionId)>& hasPort) {
  const auto callees = module.callees(user);
  own.operands = static_cast<int32_t>(user.operands.size());
  own.output = portOf(*user.shape);
  // Products have further operands in compiled programs alone.
  const bool product = user.opcode == Opcode::Dot || user.opcode == Opcode::Convolution;
  own.appends = user.opcode != Opcode::Unknown && arityOf(user.opcode) < 0 && callees.empty() && !product;
  std::string missing;
  for (size_t k = 0; k < user.operands.size(); ++k) {
    const bool open = !module.contains(user.operands[k]);
    if (!open && !hasPort(user.operands[k])) continue;
    ViewPort port = open ? ViewPort() : portOf(module.shapeOf(user.operands[k]));
    port.name = portName(module, user, k, callees);
    port.operand = static_cast<int32_t>(k);
    port.open = open;
    if (open) missing += (missing.empty() ? "needs " : ", ") + port.name;
    own.appends = own.appends && !open;
    own.inputs.push_back(std::move(port));
  }
  if (!missing.empty()) own.subtitle = missing;
}

std::string sourceOf(const Module& module, const Instruction& parameter, const std::vector<std::string>& sources) {
  if (sources.empty() || !parameter.shape->isArray()) return {};
  size_t leaf = 0;
  for (InstructionId each : module.entryComputation().parameters) {
    if (each == parameter.id) break;
    if (each.valid())
      for (const ShapeLeaf& one : leavesOf(module.shapeOf(each))) leaf += !one.shape->isToken();
  }
  return leaf < sources.size() ? sources[leaf] : std::string();
}

}  // namespace tessera
