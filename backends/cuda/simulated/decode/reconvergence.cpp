#include "backends/cuda/simulated/decode/reconvergence.h"

#include <utility>
#include <vector>

namespace tessera::cuda::simulated {

namespace {

// Blocks of instructions that run together, and the way of post-dominance over them (Cooper, Harvey and Kennedy's
// iteration, on the graph with its edges reversed). The last node is the end, to which all exits lead.
class PostDominators {
 public:
  explicit PostDominators(const Kernel& kernel) : kernel_(kernel) {
    findBlocks();
    connect();
    order();
    iterate();
  }

  // The instruction that post-dominates the end of the block of this one; kNoJoin: none but the end.
  uint32_t joinOf(uint32_t instruction) const {
    const uint32_t dominator = dominators_[blockOf_[instruction]];
    return dominator == kNone || dominator == end() ? kNoJoin : begins_[dominator];
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t end() const { return static_cast<uint32_t>(begins_.size()); }

  void findBlocks() {
    const auto& code = kernel_.code;
    std::vector<bool> begins(code.size() + 1);
    begins[0] = true;
    for (size_t i = 0; i < code.size(); ++i) {
      if (!endsBlock(code[i])) continue;
      begins[i + 1] = true;
      forTargets(code[i], [&](uint32_t target) { begins[target] = true; });
    }
    blockOf_.resize(code.size());
    for (size_t i = 0; i < code.size(); ++i) {
      if (begins[i]) begins_.push_back(static_cast<uint32_t>(i));
      blockOf_[i] = static_cast<uint32_t>(begins_.size() - 1);
    }
  }

  static bool endsBlock(const Instruction& i) {
    return i.control == Control::Branch || i.control == Control::BranchTable || i.control == Control::Exit ||
           i.control == Control::Trap;
  }

  template <class Fn>
  void forTargets(const Instruction& i, Fn&& fn) const {
    if (i.control == Control::Branch) fn(i.target);
    if (i.control == Control::BranchTable)
      for (int64_t entry = 0; entry < i.offset; ++entry) fn(kernel_.lists[i.target + static_cast<size_t>(entry)]);
  }

  void connect() {
    successors_.resize(begins_.size() + 1);
    predecessors_.resize(begins_.size() + 1);
    for (uint32_t block = 0; block < end(); ++block) {
      const uint32_t next = block + 1 < end() ? begins_[block + 1] : static_cast<uint32_t>(kernel_.code.size());
      const Instruction& last = kernel_.code[next - 1];
      const bool fallsThrough = !endsBlock(last) || last.guard >= 0;
      forTargets(last, [&](uint32_t target) { link(block, target < blockOf_.size() ? blockOf_[target] : end()); });
      if (fallsThrough) link(block, block + 1);
      if (last.control == Control::Exit || last.control == Control::Trap) link(block, end());
    }
  }

  void link(uint32_t from, uint32_t to) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }

  // Post-order from the end along edges reversed; blocks that never come to the end are not in it.
  void order() {
    number_.assign(begins_.size() + 1, kNone);
    std::vector<std::pair<uint32_t, size_t>> stack{{end(), 0}};
    std::vector<bool> seen(begins_.size() + 1);
    seen[end()] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < predecessors_[block].size()) {
        const uint32_t before = predecessors_[block][next++];
        if (!seen[before]) {
          seen[before] = true;
          stack.emplace_back(before, 0);
        }
        continue;
      }
      number_[block] = static_cast<uint32_t>(order_.size());
      order_.push_back(block);
      stack.pop_back();
    }
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = dominators_[a];
      while (number_[b] < number_[a]) b = dominators_[b];
    }
    return a;
  }

  bool improve(uint32_t block) {
    uint32_t dominator = kNone;
    for (const uint32_t after : successors_[block])
      if (dominators_[after] != kNone) dominator = dominator == kNone ? after : common(dominator, after);
    return std::exchange(dominators_[block], dominator) != dominator;
  }

  void iterate() {
    dominators_.assign(begins_.size() + 1, kNone);
    dominators_[end()] = end();
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t i = order_.size(); i-- > 0;)
        if (order_[i] != end()) changes |= improve(order_[i]);
    }
  }

  const Kernel& kernel_;
  std::vector<uint32_t> begins_, blockOf_, number_, order_, dominators_;
  std::vector<std::vector<uint32_t>> successors_, predecessors_;
};

}  // namespace

void findJoins(Kernel& kernel) {
  const PostDominators dominators(kernel);
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    Instruction& instruction = kernel.code[i];
    const bool divides = (instruction.control == Control::Branch && instruction.guard >= 0) ||
                         instruction.control == Control::BranchTable;
    if (divides) instruction.join = dominators.joinOf(i);
    if (instruction.join != kNoJoin) kernel.code[instruction.join].isJoin = true;
  }
}

}  // namespace tessera::cuda::simulated
