// The call graph by an iterative depth-first walk; linear in instructions and calls.
#include "core/ops/inference/callgraph.h"

namespace tessera {
namespace {

struct Call {
  InstructionId site;
  ComputationId callee;
};

std::vector<Call> callsOf(const Module& module, ComputationId id) {
  std::vector<Call> out;
  for (InstructionId instruction : module.at(id).instructions)
    for (ComputationId callee : module.callees(module.at(instruction)))
      if (module.contains(callee)) out.push_back({instruction, callee});
  return out;
}

}  // namespace

CallGraph::CallGraph(const Module& module, std::span<const ComputationId> starts)
    : callers_(module.computationSlots()) {
  enum : uint8_t { Unseen, Open, Done };
  struct Frame {
    ComputationId id;
    std::vector<Call> calls;
    size_t next = 0;
  };
  std::vector<uint8_t> state(module.computationSlots(), Unseen);
  std::vector<Frame> stack;
  auto open = [&](ComputationId id) {
    state[id.value] = Open;
    stack.push_back({id, callsOf(module, id)});
    for (const Call& call : stack.back().calls) callers_[call.callee.value].push_back(call.site);
  };
  for (ComputationId start : starts) {
    if (state[start.value] == Unseen) open(start);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.calls.size()) {
        state[frame.id.value] = Done;
        order_.push_back(frame.id);
        stack.pop_back();
        continue;
      }
      Call call = frame.calls[frame.next++];
      if (state[call.callee.value] == Open) recursive_.push_back(call.site);
      if (state[call.callee.value] == Unseen) open(call.callee);
    }
  }
}

std::vector<ComputationId> calledBy(const Module& module, const Instruction& instruction) {
  const Instruction* at = &instruction;
  std::vector<ComputationId> out = module.callees(*at);
  for (size_t links = module.instructionCount(); out.empty() && links > 0; --links) {
    const bool follows = at->opcode == Opcode::AsyncUpdate || at->opcode == Opcode::AsyncDone;
    if (!follows || at->operands.empty() || !module.contains(at->operands[0])) break;
    at = &module.at(at->operands[0]);
    out = module.callees(*at);
  }
  return out;
}

}  // namespace tessera
