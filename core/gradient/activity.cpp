// See activity.h. Called computations are walked with the activity of their arguments, loops until it stays.
#include "core/gradient/activity.h"

#include <algorithm>

#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"

namespace tessera::gradient {
namespace {

class Walk {
 public:
  Walk(const Module& module, LeafFlags& flags) : module_(module), flags_(flags) {}

  void visit(InstructionId id) {
    const Instruction& in = module_.at(id);
    std::vector<bool> found = resultOf(in);
    const auto seeded = flags_.find(id.value);
    if (seeded != flags_.end())
      for (size_t k = 0; k < found.size(); ++k) found[k] = found[k] || seeded->second[k];
    if (std::ranges::find(found, true) != found.end()) flags_[id.value] = std::move(found);
  }

 private:
  std::vector<bool> of(InstructionId id) const {
    const auto found = flags_.find(id.value);
    return found != flags_.end() ? found->second : std::vector<bool>(leavesOf(module_.shapeOf(id)).size(), false);
  }

  std::vector<bool> resultOf(const Instruction& in) {
    std::vector<bool> none(leavesOf(*in.shape).size(), false);
    const bool any = std::ranges::any_of(in.operands, [&](InstructionId id) { return flags_.contains(id.value); });
    if (!any) return none;
    switch (in.opcode) {
      case Opcode::Tuple: return ofAll(in.operands);
      case Opcode::GetTupleElement: return elementOf(in);
      case Opcode::While: return loop(in);
      case Opcode::Conditional: return branches(in);
      case Opcode::Call:
      case Opcode::Fusion: return called(module_.callees(in)[0], ofAll(in.operands));
      default: break;
    }
    const bool passes = in.operands.size() == 1 && sameIgnoringLayout(*in.shape, module_.shapeOf(in.operands[0]));
    return passes ? masked(of(in.operands[0]), *in.shape) : differentiableLeaves(*in.shape);
  }

  std::vector<bool> masked(std::vector<bool> flags, const Shape& shape) const {
    const std::vector<bool> possible = differentiableLeaves(shape);
    for (size_t k = 0; k < flags.size(); ++k) flags[k] = flags[k] && possible[k];
    return flags;
  }

  std::vector<bool> ofAll(std::span<const InstructionId> ids) const {
    std::vector<bool> out;
    for (InstructionId id : ids) {
      const std::vector<bool> one = of(id);
      out.insert(out.end(), one.begin(), one.end());
    }
    return out;
  }

  std::vector<bool> elementOf(const Instruction& in) const {
    const std::vector<bool> all = of(in.operands[0]);
    const auto index = static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
    const auto first = static_cast<int64_t>(firstLeafOfElement(module_.shapeOf(in.operands[0]), index));
    const auto count = static_cast<int64_t>(leavesOf(*in.shape).size());
    return {all.begin() + first, all.begin() + first + count};
  }

  std::vector<bool> loop(const Instruction& in) {
    const ComputationId body = *in.attributes->get<ComputationId>(Attr::body);
    std::vector<bool> state = of(in.operands[0]);
    for (bool grew = true; grew;) {
      grew = false;
      const std::vector<bool> next = called(body, state);
      for (size_t k = 0; k < state.size(); ++k)
        if (next[k] && !state[k]) state[k] = grew = true;
    }
    return state;
  }

  std::vector<bool> branches(const Instruction& in) {
    std::vector<bool> out(leavesOf(*in.shape).size(), false);
    const std::vector<ComputationId> all = branchesOf(*in.attributes);
    for (size_t b = 0; b < all.size(); ++b) {
      const std::vector<bool> one = called(all[b], of(in.operands[b + 1]));
      for (size_t k = 0; k < out.size(); ++k) out[k] = out[k] || one[k];
    }
    return out;
  }

  // Of the result, from that of all leaves of the parameters.
  std::vector<bool> called(ComputationId callee, const std::vector<bool>& arguments) const {
    LeafFlags seeds;
    size_t next = 0;
    for (InstructionId parameter : module_.at(callee).parameters) {
      const size_t count = leavesOf(module_.shapeOf(parameter)).size();
      const auto begin = arguments.begin() + static_cast<int64_t>(next);
      seeds[parameter.value] = std::vector<bool>(begin, begin + static_cast<int64_t>(count));
      next += count;
    }
    const InstructionId root = module_.at(callee).root;
    const LeafFlags inside = dependentLeaves(module_, callee, std::move(seeds));
    const auto found = inside.find(root.value);
    return found != inside.end() ? found->second : std::vector<bool>(leavesOf(module_.shapeOf(root)).size(), false);
  }

  const Module& module_;
  LeafFlags& flags_;
};

}  // namespace

bool isDifferentiable(ElementType type) { return isFloat(type) || isComplex(type); }

std::vector<bool> differentiableLeaves(const Shape& shape) {
  std::vector<bool> out;
  for (const ShapeLeaf& leaf : leavesOf(shape)) out.push_back(isDifferentiable(leaf.shape->type));
  return out;
}

size_t firstLeafOfElement(const Shape& tuple, size_t index) {
  size_t out = 0;
  for (size_t i = 0; i < index; ++i) out += leavesOf(tuple.elements[i]).size();
  return out;
}

LeafFlags dependentLeaves(const Module& module, const std::vector<InstructionId>& order, LeafFlags seeds) {
  std::erase_if(seeds, [](const auto& each) { return std::ranges::find(each.second, true) == each.second.end(); });
  Walk walk(module, seeds);
  for (InstructionId id : order) walk.visit(id);
  return seeds;
}

LeafFlags dependentLeaves(const Module& module, ComputationId computation, LeafFlags seeds) {
  const auto order = topologicalOrder(module, computation);
  return order ? dependentLeaves(module, *order, std::move(seeds)) : LeafFlags();
}

}  // namespace tessera::gradient
