// One sweep over the instructions tells which part each is in; a second one over their operands tells what crosses.
#include "core/overview/group_summary.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/sorting.h"
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
      : work_(work), module_(work.module), view_(view), group_(group), partOf_(view.nodes.size(), kOutside) {}

  GroupSummary run() {
    const ViewNode& own = view_.nodes[at(group_)];
    out_.path = own.group, out_.title = own.title, out_.subtitle = own.subtitle;
    out_.totalWeight = work_.totalWeight();
    out_.measured = work_.measured();
    findParts();
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions)
        if (isInside(id)) add(id);
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

  void add(InstructionId id) {
    ++out_.instructions;
    const Cost& cost = work_.costOf(id);
    const double weight = work_.weightOf(id);
    addCost(out_.cost, cost);
    out_.weight += weight;
    if (const int32_t part = partOf(id); part >= 0) addToPart(at(part), id, cost, weight);
    addCrossing(id);
  }
  static void addCost(Cost& to, const Cost& cost) {
    addWork(to, cost, 1);
    to.bytesAccessed += cost.bytesAccessed;
  }
  void addToPart(size_t number, InstructionId id, const Cost& cost, double weight) {
    GroupSummary::Part& part = out_.parts[number];
    ++part.instructions;
    addCost(part.cost, cost);
    part.weight += weight;
    if (weight > heaviest_[number]) heaviest_[number] = weight, part.instruction = id;
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
  GroupSummary out_;
};

}  // namespace

std::optional<GroupSummary> summaryOf(const Workload& work, const GraphView& view, int32_t group) {
  if (group < 0 || at(group) >= view.nodes.size() || view.boxes.size() > work.module.instructionSlots())
    return std::nullopt;
  return Summarizer(work, view, group).run();
}

}  // namespace tessera
