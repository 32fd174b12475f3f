// See attention.h.
#include "core/passes/fusion/attention.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/hlo/index_math.h"
#include "core/ops/op.h"
#include "core/passes/dead_code.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

struct FoundAttention {
  std::vector<InstructionId> members;  // operands first, the last one is the result
  std::vector<InstructionId> path;     // those of them that are made of the scores
};

constexpr int64_t kFewestDepth = 8, kMostDepth = 128;    // elements of a query, of a value: more have no room on chip
constexpr int64_t kFewestRows = 8, kFewestColumns = 16;  // queries and keys; fewer leave most of a tile empty
constexpr size_t kMostVisited = 256;                     // instructions between the dot and the softmax
constexpr size_t kMostOfALeaf = 16;  // instructions by which one operand of the scores is computed within the kernel

using Dims = std::vector<int64_t>;

bool isFactorType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16;
}

bool isProduct(const Instruction& in) {
  return in.opcode == Opcode::Dot && in.operands.size() == 2 && in.shape->isArray() && isFactorType(in.shape->type) &&
         !in.shape->hasDynamicDimensions();
}

// Of one array, by maximum or sum, from the neutral element on.
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

int64_t sizeOf(const Shape& shape, const Dims& dims) {
  int64_t out = 1;
  for (const int64_t d : dims) out *= shape.dimensions[static_cast<size_t>(d)];
  return out;
}

// With the weights as one operand of the dot.
class Matcher {
 public:
  Matcher(const Module& module, const UserTable& users, const std::unordered_set<uint32_t>& taken, InstructionId values,
          size_t side)
      : module_(module), users_(users), taken_(taken), values_(values), side_(side), core_{values.value} {}

  std::optional<FoundAttention> run() {
    if (!isProduct(at(values_)) || !matchWeights() || !matchDimensions() || !isClosed()) return std::nullopt;
    return finish();
  }

 private:
  const Instruction& at(InstructionId id) const { return module_.at(id); }
  void take(InstructionId id) { core_.insert(id.value); }
  InstructionId takeConverts(InstructionId id) {
    while (at(id).opcode == Opcode::Convert && isFloat(module_.shapeOf(at(id).operands[0]).type)) {
      take(id);
      id = at(id).operands[0];
    }
    return id;
  }

  bool isFinal(InstructionId id) { return id == final_ || takeConverts(id) == final_; }

  // exp(s - max) / sum, each maximum and sum one of the scores' rows, in f32.
  bool matchWeights() {
    const InstructionId quotient = takeConverts(at(values_).operands[side_]);
    if (at(quotient).opcode != Opcode::Divide || at(quotient).shape->type != ElementType::F32) return false;
    take(quotient);
    const InstructionId power = takeConverts(at(quotient).operands[0]);
    if (at(power).opcode != Opcode::Exponential || at(power).shape->type != ElementType::F32) return false;
    take(power);
    const InstructionId shifted = at(power).operands[0];
    if (at(shifted).opcode != Opcode::Subtract) return false;
    take(shifted);
    final_ = at(shifted).operands[0];
    dims_ = at(final_).shape->dimensions;
    const InstructionId sum = statisticOf(at(quotient).operands[1]), most = statisticOf(at(shifted).operands[1]);
    if (!sum.valid() || !most.valid() || !reducesBy(module_, at(sum), Opcode::Add, 0) ||
        !reducesBy(module_, at(most), Opcode::Maximum, -INFINITY))
      return false;
    reduced_ = at(sum).attributes->ints(Attr::dimensions);
    Dims other = at(most).attributes->ints(Attr::dimensions);
    std::ranges::sort(reduced_);
    std::ranges::sort(other);
    return reduced_ == other && takeConverts(at(sum).operands[0]) == power && isFinal(at(most).operands[0]) &&
           matchScores(final_);
  }

  // The reduction whose result an array of the scores' form repeats along what was reduced.
  InstructionId statisticOf(InstructionId id) {
    Dims place(dims_.size());  // by dimension of `id`: the scores' dimension that it is; -1: of size 1
    for (size_t d = 0; d < place.size(); ++d) place[d] = static_cast<int64_t>(d);
    for (;; id = at(id).operands[0]) {
      const Instruction& in = at(id);
      if (in.opcode == Opcode::Reduce) break;
      take(id);
      if (in.opcode == Opcode::Maximum && splatValue(module_, in.operands[1]) == -INFINITY) continue;
      if (in.opcode == Opcode::Convert) continue;
      if (in.opcode != Opcode::Broadcast && in.opcode != Opcode::Reshape) return {};
      const Shape& from = module_.shapeOf(in.operands[0]);
      Dims before(from.dimensions.size(), -1);
      if (in.opcode == Opcode::Broadcast) {
        const Dims& dims = in.attributes->ints(Attr::dimensions);
        for (size_t d = 0; d < dims.size(); ++d) before[d] = place[static_cast<size_t>(dims[d])];
      } else {
        if (significantDimensions(from) != significantDimensions(*in.shape)) return {};
        size_t next = 0;
        for (size_t d = 0; d < before.size(); ++d) {
          if (from.dimensions[d] == 1) continue;
          while (in.shape->dimensions[next] == 1) ++next;
          before[d] = place[next++];
        }
      }
      place = std::move(before);
    }
    take(id);
    const Dims kept = otherDims(static_cast<int64_t>(dims_.size()), at(id).attributes->ints(Attr::dimensions));
    if (at(id).operands.empty() || module_.shapeOf(at(id).operands[0]).dimensions != dims_ ||
        kept.size() != place.size())
      return {};
    for (size_t d = 0; d < kept.size(); ++d)
      if (place[d] != kept[d] && dims_[static_cast<size_t>(kept[d])] != 1) return {};
    return id;
  }

  // From the scores that the softmax sees down to the one dot that they are made of, element by element.
  bool matchScores(InstructionId id) {
    const Instruction& in = at(id);
    if (core_.contains(id.value)) return true;
    if (in.shape->isArray() && in.shape->dimensions == dims_ && isProduct(in)) {
      if (scores_.valid() && scores_ != id) return false;
      scores_ = id;
      take(id);
      return true;
    }
    if (!isMadeOfScores(id)) {
      leaves_.push_back(id);
      return true;
    }
    take(id);
    return std::ranges::all_of(in.operands, [&](InstructionId operand) { return matchScores(operand); });
  }

  // Whether a dot of the scores' form can be reached through elementwise steps.
  bool isMadeOfScores(InstructionId id) {
    if (const auto known = madeOfScores_.find(id.value); known != madeOfScores_.end()) return known->second;
    const Instruction& in = at(id);
    bool out = false;
    if (in.shape->isArray() && in.shape->dimensions == dims_) {
      out = isProduct(in);
      if (!out && isElementwise(in.opcode) && in.opcode != Opcode::Copy && in.opcode != Opcode::Map &&
          madeOfScores_.size() < kMostVisited)
        for (InstructionId operand : in.operands) out = isMadeOfScores(operand) || out;
    }
    return madeOfScores_.emplace(id.value, out).first->second;
  }

  // The softmax runs along the keys and along nothing else, the second dot sums over them, and its other factor sees
  // no query.
  bool matchDimensions() const {
    if (!scores_.valid()) return false;
    const AttributeSet &first = *at(scores_).attributes, &second = *at(values_).attributes;
    const Attr batches[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims};
    const Attr contracted[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
    const auto isReduced = [&](int64_t d) { return std::ranges::find(reduced_, d) != reduced_.end(); };
    Dims summed = second.ints(contracted[side_]);
    std::ranges::sort(summed);
    if (summed != reduced_) return false;
    // Dimensions of the scores: those of the batch, of the left factor alone, of the right factor alone.
    const auto batch = static_cast<int64_t>(first.ints(Attr::lhs_batch_dims).size());
    const Shape *left = &module_.shapeOf(at(scores_).operands[0]), *right = &module_.shapeOf(at(scores_).operands[1]);
    const auto freeOf = [&](const Shape& factor, size_t k) {
      return factor.rank() - batch - static_cast<int64_t>(first.ints(contracted[k]).size());
    };
    const int64_t middle = batch + freeOf(*left, 0), end = middle + freeOf(*right, 1);
    const bool keysAreLeft = std::ranges::all_of(reduced_, [&](int64_t d) { return d >= batch && d < middle; });
    const int64_t keyBegin = keysAreLeft ? batch : middle, keyEnd = keysAreLeft ? middle : end;
    for (int64_t d = 0; d < end; ++d)
      if (isReduced(d) != (d >= keyBegin && d < keyEnd)) return false;
    const int64_t queryBegin = keysAreLeft ? middle : batch, queryEnd = keysAreLeft ? end : middle;
    for (const int64_t d : second.ints(batches[side_]))
      if (d >= queryBegin && d < queryEnd) return false;
    int64_t rows = 1;
    for (int64_t d = queryBegin; d < queryEnd; ++d) rows *= dims_[static_cast<size_t>(d)];
    const Shape& value = module_.shapeOf(at(values_).operands[1 - side_]);
    Dims seen = second.ints(batches[1 - side_]);
    const Dims& over = second.ints(contracted[1 - side_]);
    seen.insert(seen.end(), over.begin(), over.end());
    const int64_t width = sizeOf(value, otherDims(value.rank(), seen));
    const int64_t depth = sizeOf(*left, first.ints(contracted[0]));
    Shape all;
    all.dimensions = dims_;
    return rows >= kFewestRows && sizeOf(all, reduced_) >= kFewestColumns && depth >= kFewestDepth &&
           depth <= kMostDepth && width >= kFewestDepth && width <= kMostDepth && isFactorType(value.type) &&
           isFactorType(left->type) && isFactorType(right->type);
  }

  // What is computed on the way is read by nothing else.
  bool isClosed() const {
    return std::ranges::all_of(core_, [&](uint32_t member) {
      if (member == values_.value) return true;
      const InstructionId id{member};
      return module_.at(at(id).computation).root != id &&
             std::ranges::all_of(users_.users(id), [&](InstructionId user) { return core_.contains(user.value); });
    });
  }

  // Computed where it is used: what costs little and would be an array as large as the scores.
  bool isCheap(const Instruction& in) const {
    if (!in.shape->isArray() || taken_.contains(in.id.value)) return false;
    if (in.opcode == Opcode::Constant) return in.shape->elementCount() == 1 && !in.literal->elided();
    if (in.opcode == Opcode::Reshape)
      return significantDimensions(module_.shapeOf(in.operands[0])) == significantDimensions(*in.shape);
    return in.opcode == Opcode::Iota || in.opcode == Opcode::Broadcast ||
           (isElementwise(in.opcode) && in.opcode != Opcode::Map && in.opcode != Opcode::Copy);
  }

  // Nothing where it would be too much.
  void takeLeaf(InstructionId leaf) {
    std::vector<InstructionId> found{leaf};
    std::unordered_set<uint32_t> known{leaf.value};
    for (size_t k = 0; k < found.size(); ++k) {
      if (!isCheap(at(found[k]))) {
        known.erase(found[k].value);
        continue;
      }
      for (InstructionId operand : at(found[k]).operands)
        if (known.insert(operand.value).second) found.push_back(operand);
      if (found.size() > kMostOfALeaf) return;
    }
    core_.insert(known.begin(), known.end());
  }

  // Each dimension becomes some neighbours, so that places stay sums of indices.
  static bool splitsDimensions(const Shape& from, const Shape& to) {
    size_t next = 0;
    for (const int64_t size : from.dimensions) {
      int64_t product = 1;
      while (product < size && next < to.dimensions.size()) product *= to.dimensions[next++];
      if (product != size) return false;
    }
    return std::all_of(to.dimensions.begin() + static_cast<std::ptrdiff_t>(next), to.dimensions.end(),
                       [](int64_t size) { return size == 1; });
  }

  // A factor as it is in memory: its conversion, its repetition along the batch, the part that it is and the order of
  // its dimensions are part of reading it.
  void takeFactor(InstructionId id, Dims batch) {
    for (;; id = at(id).operands[0]) {
      const Instruction& in = at(id);
      if (taken_.contains(id.value)) return;
      const bool splits = in.opcode == Opcode::Reshape && splitsDimensions(module_.shapeOf(in.operands[0]), *in.shape);
      if (in.opcode == Opcode::Transpose || in.opcode == Opcode::Slice || splits) {
        batch.clear();
      } else if (in.opcode == Opcode::Broadcast) {
        const Dims repeated = otherDims(in.shape->rank(), in.attributes->ints(Attr::dimensions));
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

  // Conversions and transposes of the result are part of storing it.
  InstructionId takeEnd() {
    InstructionId last = values_;
    for (;;) {
      if (module_.at(at(last).computation).root == last || users_.users(last).size() != 1) return last;
      const InstructionId user = users_.users(last)[0];
      if (at(user).opcode != Opcode::Transpose && at(user).opcode != Opcode::Convert) return last;
      take(last = user);
    }
  }

  FoundAttention finish() {
    const InstructionId last = takeEnd();
    const std::vector<uint32_t> path(core_.begin(), core_.end());
    for (InstructionId leaf : leaves_) takeLeaf(leaf);
    for (const uint32_t member : path)
      for (InstructionId operand : at(InstructionId{member}).operands)
        if (splatValue(module_, operand)) takeLeaf(operand);
    const Attr batches[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims};
    for (const size_t k : {0, 1}) takeFactor(at(scores_).operands[k], at(scores_).attributes->ints(batches[k]));
    takeFactor(at(values_).operands[1 - side_], at(values_).attributes->ints(batches[1 - side_]));
    FoundAttention out;
    for (const uint32_t member : path) out.path.emplace_back(member);
    for (InstructionId id : module_.at(at(values_).computation).instructions)
      if (core_.contains(id.value) && id != last) out.members.push_back(id);
    out.members.push_back(last);
    return out;
  }

  const Module& module_;
  const UserTable& users_;
  const std::unordered_set<uint32_t>& taken_;
  const InstructionId values_;
  const size_t side_;
  InstructionId final_, scores_;  // what the softmax is taken of; the dot
  Dims dims_, reduced_;           // of the scores
  std::unordered_set<uint32_t> core_;
  std::vector<InstructionId> leaves_;  // what the scores are made of beside the dot
  std::unordered_map<uint32_t, bool> madeOfScores_;
};

}  // namespace

Result<bool> fuseAttention(Module& module) {
  bool changed = false;
  Rewriter rewriter(module, "fuse-attention");
  const UserTable users(module);
  std::unordered_set<uint32_t> taken;  // what is computed by one of them alone
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      if (module.at(id).opcode != Opcode::Dot) continue;
      auto found = Matcher(module, users, taken, id, 0).run();
      if (!found) found = Matcher(module, users, taken, id, 1).run();
      if (!found) continue;
      for (InstructionId member : found->path) taken.insert(member.value);
      rewriter.fuse(found->members, "kOutput");
      changed = true;
    }
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
