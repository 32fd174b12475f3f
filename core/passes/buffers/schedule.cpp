// Schedule. Edges are operands, control predecessors, the order of side effects, and, so that in-place updates find
// their old value dead, every other reader of an array before the instruction that writes over it.
#include "core/passes/buffers/schedule.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/ops/verify/verify_groups.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/fusion/update_in_place.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

// Of what is ready, always that which frees most and takes least; of equals the one that is listed first.
class ListSchedule {
 public:
  using Lists = std::vector<std::vector<uint32_t>>;
  ListSchedule(const Lists& predecessors, const Lists& owners, const Lists& reads, const std::vector<int64_t>& bytes)
      : owners_(owners),
        reads_(reads),
        bytes_(bytes),
        successors_(reads.size()),
        readers_(reads.size()),
        waits_(reads.size()),
        left_(reads.size()),
        score_(reads.size()),
        done_(reads.size()) {
    for (uint32_t i = 0; i < reads.size(); ++i) {
      for (uint32_t p : predecessors[i]) successors_[p].push_back(i);
      waits_[i] = static_cast<uint32_t>(predecessors[i].size());
      for (uint32_t owner : reads[i]) readers_[owner].push_back(i), ++left_[owner];
    }
  }

  std::vector<uint32_t> run() {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < waits_.size(); ++i)
      if (waits_[i] == 0) makeReady(i);
    while (!ready_.empty()) {
      const uint32_t i = ready_.begin()->second;
      ready_.erase(ready_.begin());
      done_[i] = true;
      order.push_back(i);
      for (uint32_t owner : reads_[i])
        if (--left_[owner] == 1) rescoreLastReader(owner);
      for (uint32_t s : successors_[i])
        if (--waits_[s] == 0) makeReady(s);
    }
    return order;
  }

 private:
  int64_t scoreOf(uint32_t i) const {                                    // bytes taken less bytes freed
    if (owners_[i].size() != 1 || owners_[i][0] != i) return INT64_MIN;  // no work: whoever waits for it may go on
    int64_t score = bytes_[i];
    for (uint32_t owner : reads_[i]) score -= left_[owner] == 1 ? bytes_[owner] : 0;
    return score;
  }
  void makeReady(uint32_t i) {
    score_[i] = scoreOf(i);
    ready_.insert({score_[i], i});
  }
  void rescoreLastReader(uint32_t owner) {
    for (uint32_t i : readers_[owner]) {
      if (done_[i] || waits_[i] != 0 || !ready_.erase({score_[i], i})) continue;
      makeReady(i);
    }
  }

  const Lists &owners_, &reads_;
  const std::vector<int64_t>& bytes_;
  Lists successors_, readers_;
  std::vector<uint32_t> waits_, left_;
  std::vector<int64_t> score_;
  std::vector<bool> done_;
  std::set<std::pair<int64_t, uint32_t>> ready_;
};

class Scheduler {
 public:
  Scheduler(const Module& module, ComputationId computation)
      : module_(module),
        computation_(module.at(computation)),
        instructions_(computation_.instructions),
        count_(static_cast<uint32_t>(instructions_.size())),
        predecessors_(count_),
        users_(count_) {}

  std::vector<InstructionId> run() {
    collectEdges();
    orderWritesAfterReads();
    collectOwners();
    std::vector<uint32_t> best = depthFirst(false);
    int64_t least = peak(best);
    for (std::vector<uint32_t> other : {depthFirst(true), ListSchedule(predecessors_, owners_, reads_, bytes_).run()}) {
      const int64_t most = other.size() == count_ ? peak(other) : INT64_MAX;
      if (most >= least) continue;
      least = most;
      best = std::move(other);
    }
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
    constexpr size_t kMaxVisits = 200;
    std::vector<uint32_t> stack{from}, seen{from};
    while (!stack.empty()) {
      uint32_t i = stack.back();
      stack.pop_back();
      if (i == ancestor || seen.size() > kMaxVisits || ++visits_ > 40ull * count_ + 10000) return true;
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
      if (const auto updated = updatedOperand(module_, in)) readersBefore(local_.at(in.operands[*updated].value), i);
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

  // What each value keeps in memory, and what each instruction reads: a bitcast, an element or a tuple stands for
  // others.
  void collectOwners() {
    constexpr size_t kMaxOwners = 64;
    owners_.resize(count_), reads_.resize(count_), bytes_.resize(count_);
    for (uint32_t i : depthFirst(false)) {
      const Instruction& in = at(i);
      for (InstructionId operand : in.operands)
        for (uint32_t owner : owners_[local_.at(operand.value)])
          if (reads_[i].size() < kMaxOwners || isAliasOnly(in.opcode)) reads_[i].push_back(owner);
      std::ranges::sort(reads_[i]);
      const auto tail = std::ranges::unique(reads_[i]);
      reads_[i].erase(tail.begin(), tail.end());
      if (isAliasOnly(in.opcode))
        owners_[i] = reads_[i];
      else
        owners_[i] = {i};
      const bool outside = isAliasOnly(in.opcode) || in.opcode == Opcode::Parameter || in.opcode == Opcode::Constant;
      bytes_[i] = outside ? 0 : in.shape->denseBytes().value_or(0);
    }
  }

  // Operands before users. Heavy subtrees first (what they need is gone before the light ones begin), or as listed.
  std::vector<uint32_t> depthFirst(bool heavyFirst) {
    std::vector<std::vector<uint32_t>> next = predecessors_;
    if (heavyFirst) {
      std::vector<int64_t> weight(count_);
      for (uint32_t i = 0; i < count_; ++i) {
        weight[i] = bytes_.empty() ? 0 : bytes_[i];
        for (InstructionId operand : at(i).operands) weight[i] = std::max(weight[i], weight[local_.at(operand.value)]);
      }
      for (auto& list : next)
        std::ranges::stable_sort(list, [&](uint32_t a, uint32_t b) { return weight[a] > weight[b]; });
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
  static void visit(uint32_t start, const std::vector<std::vector<uint32_t>>& next, std::vector<uint8_t>& state,
                    std::vector<uint32_t>& order) {
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
    for (const auto& reads : reads_)
      for (uint32_t owner : reads) ++left[owner];
    for (uint32_t owner : owners_[local_.at(computation_.root.value)]) ++left[owner];
    int64_t live = 0, most = 0;
    for (uint32_t i : order) {
      live += bytes_[i];
      most = std::max(most, live);
      for (uint32_t owner : reads_[i])
        if (--left[owner] == 0) live -= bytes_[owner];
      if (left[i] == 0) live -= bytes_[i];
    }
    return most;
  }

  const Module& module_;
  const Computation& computation_;
  const std::vector<InstructionId>& instructions_;
  uint32_t count_;
  std::unordered_map<uint32_t, uint32_t> local_;
  std::vector<std::vector<uint32_t>> predecessors_, users_, owners_, reads_;
  std::vector<int64_t> bytes_;
  size_t visits_ = 0;
};

// A module that calls itself scheduled says that its layouts are final: one whose layouts do not agree yet only has its
// order.
void markScheduled(Module& module) {
  const ModuleConfig before = module.config();
  ModuleConfig config = before;
  config.isScheduled = true;
  module.setConfig(std::move(config));
  Diagnostics problems;
  verifyLayouts(module, problems);
  if (problems.hasErrors()) module.setConfig(before);
}

}  // namespace

Result<bool> scheduleModule(Module& module) {
  bool changed = false;
  for (ComputationId c : controlComputations(module)) {
    std::vector<InstructionId> order = Scheduler(module, c).run();
    if (order == module.at(c).instructions) continue;
    module.edit(c).instructions = std::move(order);
    changed = true;
  }
  if (!module.config().isScheduled.value_or(false)) markScheduled(module);
  return changed;
}

}  // namespace tessera
