// See view_ports.h.
#include "core/arrange/view_ports.h"

#include "core/arrange/view_items.h"
#include "core/ops/op.h"

namespace tessera {

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
  if (user.operands.size() > kMostPorts) own.inputs.clear();
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
