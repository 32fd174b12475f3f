// Schedule. Edges are operands, control predecessors, the order of side effects, and, so that in-place updates find
// their old value dead, every other reader of an array before the instruction that writes over it.
#include "core/passes/schedule.h"

#include <algorithm>
#include <unordered_map>

#include "core/passes/alias_analysis.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

class Scheduler {
 public:
  Scheduler(const Module& module, ComputationId computation)
      : module_(module), computation_(module.at(computation)), instructions_(computation_.instructions),
        count_(static_cast<uint32_t>(instructions_.size())), predecessors_(count_), users_(count_) {}

  std::vector<InstructionId> run() {
    collectEdges();
    orderWritesAfterReads();
    const std::vector<uint32_t> bySize = depthFirst(true), byOrder = depthFirst(false);
    std::vector<uint32_t> best = byOrder;
    if (peak(bySize) < peak(byOrder)) best = bySize;
    std::vector<InstructionId> out;
    for (uint32_t i : best) out.push_back(instructions_[i]);
    return out;
  }

 private:
  const Instruction& at(uint32_t i) const { return module_.at(instructions_[i]); }

  void collectEdges() {
    for (uint32_t i = 0; i < count_; ++i) local_[instructions_[i].value] = i;
    uint32_t lastEffect = UINT32_MAX;
    for (uint32_t i = 0; i < count_; ++i) {
      const Instruction& in = at(i);
      for (InstructionId operand : in.operands) addEdge(local_.at(operand.value), i);
      for (InstructionId operand : in.operands) users_[local_.at(operand.value)].push_back(i);
      if (const auto* before = in.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors))
        for (InstructionId predecessor : *before)
          if (auto it = local_.find(predecessor.value); it != local_.end()) addEdge(it->second, i);
      if (!hasSideEffect(in)) continue;
      if (lastEffect != UINT32_MAX) addEdge(lastEffect, i);
      lastEffect = i;
    }
  }
  void addEdge(uint32_t before, uint32_t after) { predecessors_[after].push_back(before); }

  // `from` is computed out of `ancestor`; a bounded search, true when it cannot tell.
  bool dependsOn(uint32_t from, uint32_t ancestor) {
    constexpr size_t kMostVisits = 200;
    std::vector<uint32_t> stack{from}, seen{from};
    while (!stack.empty()) {
      uint32_t i = stack.back();
      stack.pop_back();
      if (i == ancestor || seen.size() > kMostVisits || ++visits_ > 40ull * count_ + 10000) return true;
      for (uint32_t p : predecessors_[i])
        if (std::ranges::find(seen, p) == seen.end()) seen.push_back(p), stack.push_back(p);
    }
    return false;
  }

  void readersBefore(uint32_t value, uint32_t writer) {
    if (users_[value].size() < 2 || users_[value].size() > 16) return;
    for (uint32_t reader : users_[value])
      if (reader != writer && !isAliasOnly(at(reader).opcode) && !dependsOn(reader, writer)) addEdge(reader, writer);
  }
  void orderWritesAfterReads() {
    for (uint32_t i = 0; i < count_; ++i) {
      const Instruction& in = at(i);
      if (in.opcode == Opcode::DynamicUpdateSlice || in.opcode == Opcode::Scatter) readersBefore(local_.at(in.operands[0].value), i);
    }
    orderCarries();
  }
  // A body's next value of carry k should be made after the last reader of the old one.
  void orderCarries() {
    const Instruction& root = module_.at(computation_.root);
    if (root.opcode != Opcode::Tuple || computation_.parameters.size() != 1) return;
    for (uint32_t user : std::vector<uint32_t>(users_[local_.at(computation_.parameters[0].value)])) {
      const Instruction& element = at(user);
      if (element.opcode != Opcode::GetTupleElement) continue;
      auto k = static_cast<size_t>(element.attributes->intOr(Attr::index, 0));
      if (k >= root.operands.size()) continue;
      uint32_t next = local_.at(root.operands[k].value);
      if (next != user && !isAliasOnly(at(next).opcode)) readersBefore(user, next);
    }
  }

  int64_t bytes(uint32_t i) const {
    const Instruction& in = at(i);
    if (isAliasOnly(in.opcode) || in.opcode == Opcode::Parameter || in.opcode == Opcode::Constant) return 0;
    return in.shape->denseBytes().value_or(0);
  }

  // Operands before users. Heavy subtrees first (what they need is gone before the light ones begin), or as listed.
  std::vector<uint32_t> depthFirst(bool heavyFirst) {
    std::vector<std::vector<uint32_t>> next = predecessors_;
    if (heavyFirst) {
      std::vector<int64_t> weight(count_);
      for (uint32_t i = 0; i < count_; ++i) {
        weight[i] = bytes(i);
        for (InstructionId operand : at(i).operands) weight[i] = std::max(weight[i], weight[local_.at(operand.value)]);
      }
      for (auto& list : next) std::ranges::stable_sort(list, [&](uint32_t a, uint32_t b) { return weight[a] > weight[b]; });
    }
    std::vector<uint32_t> order;
    std::vector<uint8_t> state(count_);
    const uint32_t root = local_.at(computation_.root.value);
    for (InstructionId parameter : computation_.parameters) visit(local_.at(parameter.value), next, state, order);
    if (heavyFirst) {
      visit(root, next, state, order);
    }
    for (uint32_t i = 0; i < count_; ++i) visit(i, next, state, order);
    return order;
  }
  static void visit(uint32_t start, const std::vector<std::vector<uint32_t>>& next, std::vector<uint8_t>& state, std::vector<uint32_t>& order) {
    if (state[start]) return;
    std::vector<std::pair<uint32_t, uint32_t>> stack{{start, 0}};
    state[start] = 1;
    while (!stack.empty()) {
      auto& [i, k] = stack.back();
      if (k == next[i].size()) {
        order.push_back(i);
        stack.pop_back();
        continue;
      }
      uint32_t p = next[i][k++];
      if (!state[p]) state[p] = 1, stack.push_back({p, 0});
    }
  }

  int64_t peak(const std::vector<uint32_t>& order) const {
    std::vector<uint32_t> left(count_);
    for (uint32_t i = 0; i < count_; ++i) left[i] = static_cast<uint32_t>(users_[i].size());
    ++left[local_.at(computation_.root.value)];
    int64_t live = 0, most = 0;
    for (uint32_t i : order) {
      live += bytes(i);
      most = std::max(most, live);
      for (InstructionId operand : at(i).operands) {
        uint32_t o = local_.at(operand.value);
        if (--left[o] == 0) live -= bytes(o);
      }
    }
    return most;
  }

  const Module& module_;
  const Computation& computation_;
  const std::vector<InstructionId>& instructions_;
  uint32_t count_;
  std::unordered_map<uint32_t, uint32_t> local_;
  std::vector<std::vector<uint32_t>> predecessors_, users_;
  size_t visits_ = 0;
};

}  // namespace

Result<bool> scheduleModule(Module& module) {
  bool changed = false;
  for (ComputationId c : controlComputations(module)) {
    std::vector<InstructionId> order = Scheduler(module, c).run();
    if (order == module.at(c).instructions) continue;
    module.edit(c).instructions = std::move(order);
    changed = true;
  }
  ModuleConfig config = module.config();
  config.isScheduled = true;
  module.setConfig(std::move(config));
  return changed;
}

}  // namespace tessera
