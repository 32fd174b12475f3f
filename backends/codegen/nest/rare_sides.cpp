// See rare_sides.h. For each condition and side one sweep from users to inputs: a node belongs to the side when all its
// users do, or select it by the condition. Sides that were found before are within a later one as a whole.
#include "backends/codegen/nest/rare_sides.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

namespace {

double operationsOf(const Node& node) {
  const ScalarFunctionInfo* function = scalarFunctionOf(node.op);
  return function ? function->price.kernel : 1;
}

class SideFinder {
 public:
  SideFinder(const LoopProgram& program, const ProgramAnalysis& analysis, const std::vector<bool>& unmoved)
      : body_(program.body), analysis_(analysis), unmoved_(unmoved), isResult_(body_.nodes.size(), false) {
    const auto keep = [&](NodeId id) {
      if (id.valid()) isResult_[id.value] = true;
    };
    for (const Store& store : program.stores) {
      keep(store.value);
      keep(store.guard);
      for (NodeId index : store.indices) keep(index);
    }
    for (const Loop& loop : body_.loops) {
      for (NodeId id : loop.inits) keep(id);
      for (NodeId id : loop.next) keep(id);
    }
    out_.sideOf.assign(body_.nodes.size(), RareSides::kNone);
  }

  RareSides find() {
    constexpr size_t kMaxConditions = 64;  // each is a walk over the program
    std::vector<NodeId> conditions = this->conditions();
    if (conditions.size() > kMaxConditions) conditions.resize(kMaxConditions);
    for (const NodeId condition : conditions)
      for (const bool whenTrue : {true, false})
        if (!isCommon(condition, whenTrue)) findSide(condition, whenTrue);
    return std::move(out_);
  }

 private:
  bool isSelect(uint32_t n) const { return analysis_.needed[n] && body_.nodes[n].op == NodeOp::Select; }
  bool livesWith(uint32_t n, NodeId other) const {
    const Dependence &a = analysis_.dependence[n], &b = analysis_.dependence[other.value];
    return a.counters == b.counters && a.loops == b.loops;
  }

  // Few values are equal to another.
  bool isCommon(NodeId condition, bool whenTrue) const {
    const Node& node = body_.at(condition);
    if (node.op != NodeOp::Compare) return false;
    const auto direction = static_cast<CompareDirection>(node.bits0);
    return whenTrue ? direction == CompareDirection::Ne : direction == CompareDirection::Eq;
  }

  // Whether the value may take so much work, shared or not.
  bool mayBeLarge(NodeId id) const {
    std::vector<uint32_t> found{id.value};
    double weight = 0;
    for (size_t i = 0; i < found.size() && weight < tuning().codegen.rareWeight; ++i) {
      const Node& node = body_.nodes[found[i]];
      if (isLeaf(node.op) || node.op == NodeOp::Read || node.op == NodeOp::ReadIf) continue;
      weight += operationsOf(node);
      for (NodeId input : body_.inputsOf(NodeId{found[i]}))
        if (std::ranges::find(found, input.value) == found.end()) found.push_back(input.value);
    }
    return weight >= tuning().codegen.rareWeight;
  }

  // Whose selections all live where it does.
  std::vector<NodeId> conditions() const {
    std::vector<NodeId> out, elsewhere;
    for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
      if (!isSelect(n)) continue;
      const auto inputs = body_.inputsOf(NodeId{n});
      if (!livesWith(n, inputs[0]))
        elsewhere.push_back(inputs[0]);
      else if (mayBeLarge(inputs[1]) || mayBeLarge(inputs[2]))
        out.push_back(inputs[0]);
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    std::erase_if(out, [&](NodeId id) { return std::ranges::find(elsewhere, id) != elsewhere.end(); });
    return out;
  }

  bool isSelectBy(uint32_t n, NodeId condition) const {
    return isSelect(n) && body_.inputsOf(NodeId{n})[0] == condition;
  }

  // What needs the condition or a selection by it is known only behind those.
  std::vector<bool> laterThan(NodeId condition) const {
    std::vector<bool> later(body_.nodes.size(), false);
    later[condition.value] = true;
    for (uint32_t n = condition.value + 1; n < body_.nodes.size(); ++n)
      for (NodeId input : body_.inputsOf(NodeId{n})) later[n] = later[n] || later[input.value];
    return later;
  }

  bool canMove(uint32_t n, NodeId condition) const {
    switch (body_.nodes[n].op) {
      case NodeOp::Accumulator:
      case NodeOp::DimensionSize:
      case NodeOp::LoopResult:
      case NodeOp::Read:
      case NodeOp::ReadIf:
      case NodeOp::ReadOutput: return false;
      default: break;
    }
    return !isLeaf(body_.nodes[n].op) && analysis_.needed[n] && !unmoved_[n] && !isResult_[n] &&
           livesWith(n, condition);
  }

  struct Found {
    RareSides::Side side;
    std::vector<bool> belongs;  // by node
    double weight = 0;          // of what is in no side yet
  };

  Found sweep(NodeId condition, bool whenTrue, const std::vector<bool>& blocked) const {
    const size_t count = body_.nodes.size();
    const std::vector<bool> later = laterThan(condition);
    std::vector<bool> isUsed(count, false), isUsedElsewhere(count, false), isRoot(count, false);
    Found found{{condition, whenTrue, {}, {}}, std::vector<bool>(count, false)};
    for (auto n = static_cast<uint32_t>(count); n-- > 0;) {
      const bool belongs = isUsed[n] && !isUsedElsewhere[n] && !later[n] && !blocked[n] && canMove(n, condition);
      found.belongs[n] = belongs;
      if (belongs) {
        found.side.nodes.push_back(n);
        if (isRoot[n]) found.side.roots.push_back(n);
        if (out_.sideOf[n] == RareSides::kNone) found.weight += operationsOf(body_.nodes[n]);
      }
      const bool selects = isSelectBy(n, condition);
      const auto inputs = body_.inputsOf(NodeId{n});
      for (size_t k = 0; k < inputs.size(); ++k) {
        const uint32_t input = inputs[k].value;
        const bool isSide = selects && k == (whenTrue ? 1u : 2u);
        if (!belongs && !isSide)
          isUsedElsewhere[input] = true;
        else
          isUsed[input] = true;
        isRoot[input] = isRoot[input] || isSide;
      }
    }
    std::ranges::reverse(found.side.nodes);
    return found;
  }

  // A side is within another as a whole, its condition may stay outside. True: what does not was blocked.
  bool blockParts(const Found& found, std::vector<bool>& blocked) const {
    bool any = false;
    for (const RareSides::Side& side : out_.sides) {
      const auto inside =
          static_cast<size_t>(std::ranges::count_if(side.nodes, [&](uint32_t n) { return bool{found.belongs[n]}; }));
      if (inside == side.nodes.size() || (inside == 0 && !found.belongs[side.condition.value])) continue;
      any = blocked[side.condition.value] = true;
      for (uint32_t n : side.nodes) blocked[n] = true;
    }
    return any;
  }

  void findSide(NodeId condition, bool whenTrue) {
    constexpr int kTries = 4;
    std::vector<bool> blocked(body_.nodes.size(), false);
    for (int i = 0; i < kTries; ++i) {
      Found found = sweep(condition, whenTrue, blocked);
      if (found.weight < tuning().codegen.rareWeight) return;
      if (!blockParts(found, blocked)) return add(std::move(found.side));
    }
  }

  void add(RareSides::Side side) {
    const auto number = static_cast<int32_t>(out_.sides.size());
    for (uint32_t n : side.nodes) {
      int32_t* outermost = &out_.sideOf[n];
      while (*outermost != RareSides::kNone && *outermost != number)
        outermost = &out_.sides[static_cast<size_t>(*outermost)].within;
      *outermost = number;
    }
    out_.sides.push_back(std::move(side));
  }

  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const std::vector<bool>& unmoved_;
  std::vector<bool> isResult_;  // by node: it leaves the program or a round of a loop
  RareSides out_;
};

}  // namespace

bool RareSides::contains(int32_t side, NodeId node) const {
  int32_t at = sideOf[node.value];
  while (at != kNone && at != side) at = sides[static_cast<size_t>(at)].within;
  return at == side;
}

RareSides RareSides::of(const LoopProgram& program, const ProgramAnalysis& analysis, const std::vector<bool>& unmoved) {
  return SideFinder(program, analysis, unmoved).find();
}

}  // namespace tessera::codegen
