// One sweep over the instructions that the picture shows tells which part each is in, and what crosses the edge. A call
// that is closed has its share of what it calls, by how often it runs it: several calls may run one computation.
#include "core/overview/group_summary.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "core/base/sorting.h"
#include "core/ops/inference/trip_count.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr int32_t kOutside = -1, kInNoPart = -2;

// What is made where it is used is no value that crosses an edge.
bool isGenerated(const Module& module, const Instruction& i) {
  if (i.opcode == Opcode::Constant || i.opcode == Opcode::Iota) return true;
  return i.opcode == Opcode::Broadcast && i.operands.size() == 1 && module.contains(i.operands[0]) &&
         module.at(i.operands[0]).opcode == Opcode::Constant;
}

class Summarizer {
 public:
  Summarizer(const Workload& work, const GraphView& view, int32_t group)
      : work_(work),
        module_(work.module),
        view_(view),
        group_(group),
        partOf_(view.nodes.size(), kOutside),
        shownOf_(work.module.computationSlots()),
        inside_(work.module.computationSlots()) {}

  GroupSummary run() {
    const ViewNode& own = view_.nodes[at(group_)];
    out_.path = own.group, out_.title = own.title, out_.subtitle = own.subtitle;
    out_.totalWeight = work_.totalWeight();
    out_.measured = work_.measured();
    findParts();
    sumCalled();
    findShown();
    for (ComputationId computation : shown_)
      for (InstructionId id : module_.at(computation).instructions)
        if (isInside(id)) add(id);
    out_.cost = all_.cost, out_.weight = all_.weight;
    sort();
    return std::move(out_);
  }

 private:
  // Parents come before what they hold.
  void findParts() {
    for (size_t n = 0; n < view_.nodes.size(); ++n) {
      const ViewNode& node = view_.nodes[n];
      const int32_t parent = node.owner >= 0 ? node.owner : node.parent;
      if (parent == group_ && node.kind == ViewNode::Kind::Attached) {
        partOf_[n] = kInNoPart;
      } else if (parent == group_) {
        partOf_[n] = static_cast<int32_t>(out_.parts.size());
        out_.parts.push_back({node.title, node.group, node.instruction, 0, {}, 0});
        heaviest_.push_back(-1);
      } else if (parent >= 0 && parent < static_cast<int32_t>(n)) {
        partOf_[n] = partOf_[at(parent)];
      }
    }
  }
  int32_t partOf(InstructionId id) const {
    const int32_t box = view_.boxOf(id);
    return box < 0 ? kOutside : partOf_[at(box)];
  }
  // The frame itself stands for an instruction with what it calls.
  bool isInside(InstructionId id) const { return partOf(id) != kOutside || (group_ >= 0 && view_.boxOf(id) == group_); }

  // What a computation does in all runs, with what it calls.
  struct Work {
    Cost cost;
    double weight = 0;
    void add(const Work& other, double share) {
      addWork(cost, other.cost, share);
      cost.bytesAccessed += share * other.cost.bytesAccessed;
      weight += share * other.weight;
    }
  };

  // The page's computation and those of open calls, each with the share of its runs that this picture shows.
  void findShown() {
    const auto show = [&](ComputationId computation, double share) {
      if (shownOf_[computation.value] == 0) shown_.push_back(computation);
      shownOf_[computation.value] += share;
    };
    if (module_.contains(view_.computation)) show(view_.computation, 1);
    for (const ViewNode& node : view_.nodes) {
      if (node.kind != ViewNode::Kind::OpenGroup || !node.caller || !module_.contains(node.instruction)) continue;
      const Instruction& caller = module_.at(node.instruction);
      opened_.insert(caller.id.value);
      for (ComputationId callee : module_.callees(caller))
        if (module_.contains(callee)) show(callee, shownOf_[caller.computation.value] * shareOf(caller, callee));
    }
  }
  // Of the runs of what it calls.
  double shareOf(const Instruction& caller, ComputationId callee) const {
    if (!executesCallees(caller.opcode)) return 1;
    const double runs = work_.execution.of(callee).times;
    const double trips =
        caller.opcode == Opcode::While ? static_cast<double>(tripCountOf(module_, caller).value_or(1)) : 1;
    return runs > 0 ? std::min(1.0, work_.timesOf(caller.id) * trips / runs) : 0;
  }
  void sumCalled() {
    for (ComputationId computation : work_.execution.computations | std::views::reverse)  // callees first
      for (InstructionId id : module_.at(computation).instructions) inside_[computation.value].add(workOf(id), 1);
  }
  Work workOf(InstructionId id) const {
    const Instruction& i = module_.at(id);
    Work out{work_.costOf(id), work_.weightOf(id)};
    if (executesCallees(i.opcode) && !opened_.contains(id.value))
      for (ComputationId callee : module_.callees(i))
        if (module_.contains(callee)) out.add(inside_[callee.value], shareOf(i, callee));
    return out;
  }

  void add(InstructionId id) {
    ++out_.instructions;
    const double share = shownOf_[module_.at(id).computation.value];
    Work work;
    work.add(workOf(id), share);
    all_.add(work, 1);
    if (const int32_t part = partOf(id); part >= 0) addToPart(at(part), id, work);
    addCrossing(id);
  }
  void addToPart(size_t number, InstructionId id, const Work& work) {
    GroupSummary::Part& part = out_.parts[number];
    ++part.instructions;
    Work sum{part.cost, part.weight};
    sum.add(work, 1);
    part.cost = sum.cost, part.weight = sum.weight;
    if (work.weight > heaviest_[number]) heaviest_[number] = work.weight, part.instruction = id;
  }
  // Values of the computations that the picture shows; what a fusion passes to its inside is its own matter.
  void addCrossing(InstructionId id) {
    const Instruction& i = module_.at(id);
    for (InstructionId operand : i.operands) {
      if (!module_.contains(operand) || isInside(operand) || !known_.insert(operand.value).second) continue;
      const Instruction& value = module_.at(operand);
      if (isGenerated(module_, value)) continue;
      const bool isParameter = value.opcode == Opcode::Parameter && value.computation == module_.entry();
      (isParameter ? out_.parameters : out_.inputs).push_back({operand, bytesOf(*value.shape)});
    }
    if (i.opcode == Opcode::Parameter && i.computation == module_.entry()) {
      out_.parameters.push_back({id, bytesOf(*i.shape)});
      return;
    }
    if (isGenerated(module_, i)) return;
    const auto users = work_.users.users(id);
    const bool leaves = std::ranges::any_of(users, [&](InstructionId user) { return !isInside(user); });
    const bool isResult = module_.at(i.computation).root == id && i.computation == module_.entry();
    if (leaves || isResult) out_.outputs.push_back({id, bytesOf(*i.shape)});
  }
  void sort() {
    for (auto* values : {&out_.inputs, &out_.outputs, &out_.parameters})
      sortWith(*values, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    std::erase_if(out_.parts, [](const GroupSummary::Part& part) { return part.instructions == 0; });
    sortWith(out_.parts, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  }

  const Workload& work_;
  const Module& module_;
  const GraphView& view_;
  const int32_t group_;
  std::vector<int32_t> partOf_;   // by box: the part that it is or is in, kOutside, kInNoPart
  std::vector<double> heaviest_;  // by part
  std::unordered_set<uint32_t> known_;
  std::unordered_set<uint32_t> opened_;  // calls
  std::vector<ComputationId> shown_;
  std::vector<double> shownOf_;  // by computation
  std::vector<Work> inside_;     // by computation
  Work all_;
  GroupSummary out_;
};

}  // namespace

std::optional<GroupSummary> summaryOf(const Workload& work, const GraphView& view, int32_t group) {
  if (group < 0 || at(group) >= view.nodes.size() || view.boxes.size() > work.module.instructionSlots())
    return std::nullopt;
  return Summarizer(work, view, group).run();
}

}  // namespace tessera
