// See call_order.h. A walk in depth without recursion: calls may nest as deeply as a file says.
#include "core/hlo/call_order.h"

namespace tessera {
namespace {

struct Frame {
  ComputationId id;
  std::vector<ComputationId> callees;
  size_t next = 0;
};

Frame frameOf(const Module& module, ComputationId id) {
  Frame frame{id, {}};
  for (InstructionId each : module.at(id).instructions)
    for (ComputationId callee : module.callees(module.at(each))) frame.callees.push_back(callee);
  return frame;
}

}  // namespace

Result<std::vector<ComputationId>> calleesFirst(const Module& module, std::span<const ComputationId> starts) {
  enum : uint8_t { Unseen, Open, Done };
  std::vector<uint8_t> states(module.computationSlots(), Unseen);
  std::vector<ComputationId> order;
  std::vector<Frame> stack;
  const auto enter = [&](ComputationId id) {
    states[id.value] = Open;
    stack.push_back(frameOf(module, id));
  };
  for (ComputationId start : starts) {
    if (states[start.value] == Unseen) enter(start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.callees.size()) {
        states[top.id.value] = Done;
        order.push_back(top.id);
        stack.pop_back();
        continue;
      }
      const ComputationId callee = top.callees[top.next++];
      if (!module.contains(callee)) return fail("a computation that is called does not exist");
      if (states[callee.value] == Open) return fail("computation %" + module.at(callee).name + " calls itself, directly or through others");
      if (states[callee.value] == Unseen) enter(callee);
    }
  }
  return order;
}

}  // namespace tessera
