// Fusion: one reverse sweep decides, for every value, whether it is materialised or computed inside its consumers;
// one forward sweep builds the fusions. Near-linear: uses of a value are capped.
#include "core/passes/fusion/instruction_fusion.h"

#include <algorithm>
#include <cmath>

#include "core/base/sorting.h"
#include "core/base/tuning.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/passes/dead_code.h"
#include "core/passes/fusion/fusion_cost.h"
#include "core/passes/fusion/row_view.h"
#include "core/passes/fusion/update_in_place.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr uint64_t kStatisticView = 2;  // one value a row: always read at the row's own indices

// A value computed inside a fusion. Two uses with equal views read the value at the same indices, so that the
// element program computes it once.
struct Use {
  uint32_t root;
  uint64_t view;
  double evaluations;
  bool insideLoop;
  RowView row;
  int32_t writtenOut = -1;  // the value's dimension that is the root's last, where the generator writes that out
  bool isOfRoot = true;     // each element is part of one of the root's
  double stacked = 1;       // as many times `evaluations` where the generator does not unroll the stacks in between
};

enum class Role : uint8_t {
  Opaque,    // not described per element, or may not move: materialised, takes in nothing
  Constant,  // a scalar constant: copied into every fusion that reads it
  Bitcast,   // a reshape that stays outside: no code
  Root,      // materialised, takes in producers
  Fused,     // computed inside its consumers
};

uint64_t mixView(uint64_t view, uint64_t a, uint64_t b) {
  view = (view ^ (a * 1000003 + b + 1)) * 0x9e3779b97f4a7c15ull;
  return view ^ (view >> 31);
}

class Fuser {
 public:
  // inLoop: the computation runs once a round.
  Fuser(Rewriter& rewriter, std::vector<uint32_t>& local, ComputationId computation, bool inLoop)
      : rewriter_(rewriter),
        inLoop_(inLoop),
        module_(rewriter.module()),
        order_(module_.at(computation).instructions),
        local_(local),
        root_(module_.at(computation).root),
        nodes_(order_.size()) {}

  bool run() {
    prepare();
    for (size_t i = order_.size(); i-- > 0;) decide(static_cast<uint32_t>(i));
    for (uint32_t i = 0; i < order_.size(); ++i) evictReshape(i);
    return build();
  }

 private:
  struct Node {
    Role role = Role::Opaque;
    std::vector<Use> uses;
    double recomputed = 0;  // price of the recomputation that fusing this and its consumers costs
    uint32_t members = 1, views = 1;
    std::vector<std::pair<uint32_t, uint32_t>> users;  // (user, operand number)
  };

  const Instruction& at(uint32_t i) const { return module_.at(order_[i]); }

  // Described by its op per element, and free to move.
  bool describable(const Instruction& in) const {
    if (hasSideEffect(in) || in.opcode == Opcode::DynamicUpdateSlice || in.opcode == Opcode::Scatter) return false;
    if (runningTotal(module_, in)) return false;  // one pass over memory by itself, a loop an element when fused
    const OpDef* op = findOp(in.opcode);
    return op && op->kind == ExecutionKind::Element && op->element;
  }
  // Computes and writes its update in place; what it updates is never fused. What reads reductions stays one kernel
  // with them, which walks rows or shares them out to threads.
  bool isUpdate(const Instruction& in) const {
    if (in.opcode != Opcode::DynamicUpdateSlice || !in.shape->isArray()) return false;
    bool reduces = false;
    const auto mayFuse = [&](const Instruction& producer) {
      reduces |= hasInnerLoop(producer.opcode);
      return describable(producer);
    };
    return readsOnlyWhatItReplaces(module_, in, mayFuse) && !reduces;
  }
  bool isUpdateRoot(uint32_t i) const { return at(i).opcode == Opcode::DynamicUpdateSlice; }

  void prepare() {
    for (uint32_t i = 0; i < order_.size(); ++i) local_[order_[i].value] = i;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      const Instruction& in = at(i);
      for (uint32_t k = 0; k < in.operands.size(); ++k) nodes_[local_[in.operands[k].value]].users.push_back({i, k});
      if (in.opcode == Opcode::Constant) {
        if (in.shape->isArray() && in.shape->elementCount() == 1 && !in.literal->elided())
          nodes_[i].role = Role::Constant;
      } else if (describable(in) || isUpdate(in)) {
        nodes_[i].role = Role::Root;
      }
    }
  }

  bool isFreeReshape(const Instruction& in) const {
    return in.opcode == Opcode::Reshape && keepsBytes(module_.shapeOf(in.operands[0]), *in.shape);
  }

  void materialise(uint32_t i) {
    const Instruction& in = at(i);
    Node& node = nodes_[i];
    node.recomputed = 0;
    if (isFreeReshape(in)) {
      node.role = Role::Bitcast;
      return;
    }
    const Shape& computed = isUpdateRoot(i) ? module_.shapeOf(in.operands[1]) : *in.shape;
    double count = computed.isArray() ? static_cast<double>(computed.elementCount().value_or(INT64_MAX)) : 0;
    if (in.shape->isTuple() && !in.shape->elements.empty())
      count = static_cast<double>(in.shape->elements[0].elementCount().value_or(INT64_MAX));
    const bool isShort = in.shape->isArray() && in.shape->rank() >= 2 && in.shape->dimensions.back() > 1 &&
                         in.shape->dimensions.back() <= tuning().fusion.maxUnrolledRounds;
    const RowView row = isUpdateRoot(i) ? RowView::Other : rowViewOfRoot(in);
    node.uses = {{i, 0, count, false, row, isShort ? static_cast<int32_t>(in.shape->rank()) - 1 : -1}};
  }

  // A concatenate of so few elements along its dimension that the generator unrolls it: each piece is computed for its
  // own elements, at the same indices as pieces of its size.
  bool isStack(const Instruction& in) const {
    if (in.opcode != Opcode::Concatenate) return false;
    const int64_t size = sizeAlong(in, *in.shape);
    return size > 0 && size <= tuning().fusion.maxStackedPieces &&
           in.shape->elementCount().value_or(0) / size >= tuning().fusion.fewestStackedRows;
  }
  int64_t sizeAlong(const Instruction& concatenate, const Shape& shape) const {
    return shape.dimensions[static_cast<size_t>(concatenate.attributes->ints(Attr::dimensions)[0])];
  }
  // Each element of the operand is part of one element of the result.
  bool keepsElements(const Instruction& in, const Shape& operand) const {
    if (in.opcode == Opcode::Transpose || isStack(in)) return true;
    if (in.opcode == Opcode::Reshape) return significantDimensions(operand) == significantDimensions(*in.shape);
    return isElementwise(in.opcode) && operand.dimensions == in.shape->dimensions;
  }

  // How operand `k` of `user` is read where `user` is computed as `use`.
  Use viewOf(uint32_t user, uint32_t k, const Use& use) const {
    const Instruction& in = at(user);
    const Shape& operand = module_.shapeOf(in.operands[k]);
    Use out = use;
    out.row = rowViewOfOperand(module_, in, k, use.row);
    if (out.row == RowView::Statistic) {
      out.evaluations = static_cast<double>(operand.elementCount().value_or(INT64_MAX));
      out.insideLoop = false;
      out.view = kStatisticView;
      return out;
    }
    out.evaluations *= readsPerEvaluation(module_, in, k);
    out.insideLoop |= hasInnerLoop(in.opcode);
    if (use.writtenOut >= 0)
      out.writtenOut = static_cast<int32_t>(alignedDimensions(module_, in, k)[static_cast<size_t>(use.writtenOut)]);
    // In a loop, what is the same for the unrolled elements is computed once for them.
    if (use.writtenOut >= 0 && out.writtenOut < 0 && use.insideLoop && in.opcode == Opcode::Broadcast)
      out.evaluations /= static_cast<double>(in.shape->dimensions[static_cast<size_t>(use.writtenOut)]);
    out.isOfRoot = use.isOfRoot && keepsElements(in, operand);
    if (operand.isScalar())
      out.view = 1;
    else if (out.isOfRoot && in.opcode == Opcode::Concatenate)
      takePiece(in, operand, out);
    else if (!(out.isOfRoot && use.stacked > 1 && in.opcode == Opcode::Reshape) &&
             (!isElementwise(in.opcode) || operand.dimensions != in.shape->dimensions))
      out.view = mixView(use.view, user, k);
    return out;
  }

  // Pieces of one size are read at the same indices.
  void takePiece(const Instruction& stack, const Shape& piece, Use& use) const {
    constexpr uint64_t kViewOfPiece = uint64_t{1} << 32;  // no user's number
    const int64_t size = sizeAlong(stack, piece), whole = sizeAlong(stack, *stack.shape);
    const auto along = static_cast<uint64_t>(stack.attributes->ints(Attr::dimensions)[0]);
    use.evaluations *= static_cast<double>(size) / static_cast<double>(whole);
    use.stacked *= static_cast<double>(whole) / static_cast<double>(std::max<int64_t>(size, 1));
    use.view = mixView(use.view, kViewOfPiece + along, static_cast<uint64_t>(size));
  }

  // Of the loop that one element of a reduction runs.
  double roundsOf(const Instruction& in) const {
    return in.opcode == Opcode::Reduce ? readsPerEvaluation(module_, in, 0) : INFINITY;
  }

  // Costs nothing wherever it is computed, and would cost memory traffic everywhere else.
  bool isFree(const Instruction& in) const {
    return in.opcode == Opcode::Iota ||
           (in.opcode == Opcode::Broadcast && module_.shapeOf(in.operands[0]).elementCount() == 1);
  }

  // False when too many, or when some consumer takes in nothing.
  bool collectUses(uint32_t i, std::vector<Use>& uses) const {
    const Node& node = nodes_[i];
    const size_t most = isFree(at(i)) ? tuning().fusion.maxFreeUses : tuning().fusion.maxUses;
    for (auto [user, k] : node.users) {
      const Node& consumer = nodes_[user];
      if (consumer.role != Role::Root && consumer.role != Role::Fused) return false;
      if (isUpdateRoot(user) && k == 0) return false;
      for (const Use& use : consumer.uses) {
        Use view = viewOf(user, k, use);
        auto same =
            std::ranges::find_if(uses, [&](const Use& u) { return u.root == view.root && u.view == view.view; });
        if (same == uses.end())
          uses.push_back(view);
        else
          join(*same, view);
        if (uses.size() > most) return false;
      }
    }
    return !uses.empty();
  }

  static void join(Use& use, const Use& other) {
    use.evaluations = std::max(use.evaluations, other.evaluations);
    use.stacked = std::max(use.stacked, other.stacked);
    use.insideLoop |= other.insideLoop;
    use.isOfRoot &= other.isOfRoot;
  }

  // Index arithmetic of a reshape that really changes the loop nest.
  double reshapePenalty(const Node& node) const {
    double penalty = 0;
    for (auto [user, k] : node.users) {
      const Instruction& in = at(user);
      if (in.opcode != Opcode::Reshape ||
          significantDimensions(module_.shapeOf(in.operands[0])) == significantDimensions(*in.shape))
        continue;
      for (const Use& use : nodes_[user].uses) penalty += 3 * use.evaluations;
    }
    return penalty;
  }

  // Passes over a row in one nest but for the first: the generator keeps what is expensive to compute for them.
  bool isLaterPass(const std::vector<Use>& uses, size_t u) const {
    auto sameRows = [&](const Use& use) { return use.root == uses[u].root && readsRow(use.row); };
    return readsRow(uses[u].row) && std::any_of(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(u), sameRows);
  }

  bool worthIt(uint32_t i, const std::vector<Use>& uses) {
    const Instruction& in = at(i);
    Node& node = nodes_[i];
    double evaluations = 0, reread = 0;
    bool insideLoop = false;
    for (size_t u = 0; u < uses.size(); ++u) {
      const double each = uses[u].evaluations * (hasInnerLoop(in.opcode) ? uses[u].stacked : 1);
      if (isLaterPass(uses, u))
        reread += each;
      else
        evaluations += each;
      insideLoop |= uses[u].insideLoop;
    }
    double count = static_cast<double>(in.shape->elementCount().value_or(INT64_MAX));
    double price = elementPrice(module_, in);
    double recomputed = std::max(0.0, price * (evaluations - count));
    if (hasInnerLoop(in.opcode) && insideLoop && roundsOf(in) > tuning().fusion.maxUnrolledRounds)
      recomputed = price * evaluations;  // a loop in a loop
    for (auto [user, k] : node.users)
      if (nodes_[user].role == Role::Fused) node.recomputed = std::max(node.recomputed, nodes_[user].recomputed);
    node.recomputed += recomputed;
    return node.recomputed + reread * std::min(price, tuning().fusion.rowReread) +
               (price > 0 ? reshapePenalty(node) : 0) <=
           materialisationPrice(*in.shape, inLoop_);
  }

  bool fits(const std::vector<Use>& uses) {
    for (const Use& use : uses)
      if (nodes_[use.root].members >= tuning().fusion.maxMembers || nodes_[use.root].views >= tuning().fusion.maxViews)
        return false;
    return true;
  }

  void decide(uint32_t i) {
    Node& node = nodes_[i];
    if (node.role != Role::Root) return;
    const Instruction& in = at(i);
    std::vector<Use> uses;
    bool fuse = order_[i] != root_ && in.shape->isArray() && !isUpdateRoot(i) && collectUses(i, uses) &&
                (isFree(in) || fits(uses)) && worthIt(i, uses);
    if (!fuse) return materialise(i);
    node.role = Role::Fused;
    uint32_t last = UINT32_MAX;
    sortBy(uses, &Use::root);
    for (const Use& use : uses) {
      ++nodes_[use.root].views;
      if (use.root != last) ++nodes_[use.root].members;
      last = use.root;
    }
    node.uses = std::move(uses);
  }

  // A fused reshape whose operand is materialised anyway: reading the bitcast buffer keeps indices affine.
  void evictReshape(uint32_t i) {
    if (nodes_[i].role != Role::Fused || !isFreeReshape(at(i)) || at(i).shape->elementCount() == 1) return;
    Role operand = nodes_[local_[at(i).operands[0].value]].role;
    if (operand == Role::Fused || operand == Role::Constant) return;
    nodes_[i].role = Role::Bitcast;
    nodes_[i].uses.clear();
  }

  bool build() {
    std::vector<std::vector<InstructionId>> members(order_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) {
      uint32_t last = UINT32_MAX;
      if (nodes_[i].role != Role::Fused) continue;
      for (const Use& use : nodes_[i].uses) {
        if (use.root != last) members[use.root].push_back(order_[i]);
        last = use.root;
      }
    }
    bool changed = false;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      if (nodes_[i].role != Role::Root) continue;
      if (isUpdateRoot(i) && members[i].empty()) continue;
      members[i].push_back(order_[i]);
      addConstants(members[i]);
      if (members[i].size() == 1) continue;
      bool loops =
          std::ranges::any_of(members[i], [&](InstructionId id) { return hasInnerLoop(module_.at(id).opcode); });
      rewriter_.fuse(members[i], loops ? "kInput" : "kLoop");
      changed = true;
    }
    return changed;
  }

  // The scalar constants that members read, in front.
  void addConstants(std::vector<InstructionId>& members) const {
    std::vector<InstructionId> constants;
    for (InstructionId member : members)
      for (InstructionId operand : module_.at(member).operands)
        if (nodes_[local_[operand.value]].role == Role::Constant) constants.push_back(operand);
    std::ranges::sort(constants);
    auto tail = std::ranges::unique(constants);
    constants.erase(tail.begin(), tail.end());
    members.insert(members.begin(), constants.begin(), constants.end());
  }

  Rewriter& rewriter_;
  const bool inLoop_;
  Module& module_;
  const std::vector<InstructionId> order_;
  std::vector<uint32_t>& local_;
  InstructionId root_;
  std::vector<Node> nodes_;
};

// By computation: it runs once a round of some loop.
std::vector<bool> findLoopBodies(const Module& module, std::span<const ComputationId> callersFirst) {
  std::vector<bool> inLoop(module.computationSlots());
  for (ComputationId computation : callersFirst)
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& in = module.at(id);
      if (in.opcode != Opcode::While && in.opcode != Opcode::Conditional && in.opcode != Opcode::Call) continue;
      for (ComputationId callee : module.callees(in))
        if (in.opcode == Opcode::While || inLoop[computation.value]) inLoop[callee.value] = true;
    }
  return inLoop;
}

}  // namespace

Result<bool> fuseInstructions(Module& module) {
  bool changed = false;
  std::vector<uint32_t> local(module.instructionSlots());
  Rewriter rewriter(module, "fuse");
  const std::vector<ComputationId> computations = controlComputations(module);
  const std::vector<bool> inLoop = findLoopBodies(module, computations);
  for (ComputationId computation : computations)
    changed |= Fuser(rewriter, local, computation, inLoop[computation.value]).run();
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
