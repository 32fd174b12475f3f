// See attention_parts.h.
#include "core/passes/fusion/attention_parts.h"

#include <algorithm>
#include <functional>

#include "core/hlo/index_math.h"
#include "core/ops/op.h"
#include "core/passes/patterns.h"

namespace tessera::attention {

namespace {

constexpr size_t kMostOfALeaf = 16;  // instructions by which one operand of the scores is computed within the kernel
constexpr Attr kBatch[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims};
constexpr Attr kContracted[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};

// Each dimension becomes some neighbours, so that places stay sums of indices.
bool splitsDimensions(const Shape& from, const Shape& to) {
  size_t next = 0;
  for (const int64_t size : from.dimensions) {
    int64_t product = 1;
    while (product < size && next < to.dimensions.size()) product *= to.dimensions[next++];
    if (product != size) return false;
  }
  return std::all_of(to.dimensions.begin() + static_cast<std::ptrdiff_t>(next), to.dimensions.end(),
                     [](int64_t size) { return size == 1; });
}

}  // namespace

bool isFactorType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16;
}

bool isProduct(const Instruction& in) {
  return in.opcode == Opcode::Dot && in.operands.size() == 2 && in.shape->isArray() && isFactorType(in.shape->type) &&
         !in.shape->hasDynamicDimensions();
}

bool hasFactors(const Module& module, const Instruction& dot) {
  return std::ranges::all_of(dot.operands, [&](InstructionId id) { return isFactorType(module.shapeOf(id).type); });
}

bool reducesBy(const Module& module, const Instruction& in, Opcode reducer, double initial) {
  if (in.opcode != Opcode::Reduce || in.operands.size() != 2 || !in.shape->isArray()) return false;
  const std::vector<ComputationId> callees = module.callees(in);
  if (callees.size() != 1 || splatValue(module, in.operands[1]) != initial) return false;
  const Computation& inside = module.at(callees[0]);
  const Instruction& root = module.at(inside.root);
  if (root.opcode != reducer || root.operands.size() != 2 || inside.parameters.size() != 2) return false;
  const auto isParameter = [&](InstructionId id) {
    return std::ranges::find(inside.parameters, id) != inside.parameters.end();
  };
  return root.operands[0] != root.operands[1] && isParameter(root.operands[0]) && isParameter(root.operands[1]);
}

int64_t sizeOf(const Shape& shape, std::span<const int64_t> dims) {
  int64_t out = 1;
  for (const int64_t d : dims) out *= shape.dimensions[static_cast<size_t>(d)];
  return out;
}

int64_t widthOf(const Module& module, const Instruction& dot, size_t factor) {
  const Shape& shape = module.shapeOf(dot.operands[factor]);
  std::vector<int64_t> other = dot.attributes->ints(kBatch[factor]);
  const std::vector<int64_t>& contracted = dot.attributes->ints(kContracted[factor]);
  other.insert(other.end(), contracted.begin(), contracted.end());
  return sizeOf(shape, otherDims(shape.rank(), other));
}

int64_t depthOf(const Module& module, const Instruction& dot) {
  return sizeOf(module.shapeOf(dot.operands[0]), dot.attributes->ints(kContracted[0]));
}

DotDims::DotDims(const Module& module, const Instruction& dot)
    : batch(static_cast<int64_t>(dot.attributes->ints(kBatch[0]).size())) {
  const auto freeOf = [&](size_t k) {
    return module.shapeOf(dot.operands[k]).rank() - batch -
           static_cast<int64_t>(dot.attributes->ints(kContracted[k]).size());
  };
  middle = batch + freeOf(0), end = middle + freeOf(1);
}

// Computed where it is used: what costs little and would be an array as large as the scores.
bool FusionMembers::isCheap(const Instruction& in) const {
  if (!in.shape->isArray() || taken_.contains(in.id.value)) return false;
  if (in.opcode == Opcode::Constant) return in.shape->elementCount() == 1 && !in.literal->elided();
  if (in.opcode == Opcode::Reshape)
    return significantDimensions(module_.shapeOf(in.operands[0])) == significantDimensions(*in.shape);
  return in.opcode == Opcode::Iota || in.opcode == Opcode::Broadcast ||
         (isElementwise(in.opcode) && in.opcode != Opcode::Map && in.opcode != Opcode::Copy);
}

void FusionMembers::takeLeaf(InstructionId leaf) {
  std::vector<InstructionId> found{leaf};
  std::unordered_set<uint32_t> known{leaf.value};
  for (size_t k = 0; k < found.size(); ++k) {
    const Instruction& in = module_.at(found[k]);
    if (!isCheap(in)) {
      known.erase(found[k].value);
      continue;
    }
    for (InstructionId operand : in.operands)
      if (known.insert(operand.value).second) found.push_back(operand);
    if (found.size() > kMostOfALeaf) return;
  }
  members_.insert(known.begin(), known.end());
}

void FusionMembers::takeFactor(InstructionId dot, size_t factor) {
  std::vector<int64_t> batch = module_.at(dot).attributes->ints(kBatch[factor]);
  for (InstructionId id = module_.at(dot).operands[factor];; id = module_.at(id).operands[0]) {
    const Instruction& in = module_.at(id);
    if (taken_.contains(id.value)) return;
    const bool splits = in.opcode == Opcode::Reshape && splitsDimensions(module_.shapeOf(in.operands[0]), *in.shape);
    if (in.opcode == Opcode::Transpose || in.opcode == Opcode::Slice || splits) {
      batch.clear();
    } else if (in.opcode == Opcode::Broadcast) {
      const std::vector<int64_t> repeated = otherDims(in.shape->rank(), in.attributes->ints(Attr::dimensions));
      if (module_.shapeOf(in.operands[0]).rank() < 2 ||
          !std::ranges::all_of(repeated, [&](int64_t d) { return std::ranges::find(batch, d) != batch.end(); }))
        return;
      batch.clear();
    } else if (in.opcode != Opcode::Convert || !isFactorType(module_.shapeOf(in.operands[0]).type)) {
      return;
    }
    take(id);
  }
}

InstructionId FusionMembers::takeEnd(InstructionId result) {
  InstructionId last = result;
  for (;;) {
    if (module_.at(module_.at(last).computation).root == last || users_.users(last).size() != 1) return last;
    const InstructionId user = users_.users(last)[0];
    if (module_.at(user).opcode != Opcode::Transpose && module_.at(user).opcode != Opcode::Convert) return last;
    take(last = user);
  }
}

// Over the members alone: the computation may have many thousand instructions.
std::vector<InstructionId> FusionMembers::inOrder() const {
  std::vector<uint32_t> open(members_.begin(), members_.end());
  std::ranges::sort(open, std::greater());
  std::vector<InstructionId> out;
  std::unordered_set<uint32_t> done;
  while (!open.empty()) {
    const InstructionId id{open.back()};
    const size_t before = open.size();
    if (!done.contains(id.value))
      for (const InstructionId operand : module_.at(id).operands)
        if (contains(operand) && !done.contains(operand.value)) open.push_back(operand.value);
    if (open.size() > before) continue;
    open.pop_back();
    if (done.insert(id.value).second) out.push_back(id);
  }
  return out;
}

}  // namespace tessera::attention
