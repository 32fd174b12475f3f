// See attention.h.
#include "core/passes/fusion/attention.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/hlo/index_math.h"
#include "core/passes/dead_code.h"
#include "core/passes/fusion/attention_parts.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

using namespace attention;

struct FoundAttention {
  std::vector<InstructionId> members;  // operands first, the last one is the result
  std::vector<InstructionId> path;     // those of them that are made of the scores
};

using Dims = std::vector<int64_t>;

// With the weights as one operand of the dot.
class Matcher {
 public:
  Matcher(const Module& module, const UserTable& users, const std::unordered_set<uint32_t>& taken, InstructionId values,
          size_t side)
      : module_(module), users_(users), values_(values), side_(side), core_(module, users, taken) {
    core_.take(values);
  }

  std::optional<FoundAttention> run() {
    if (!isProduct(at(values_)) || !matchWeights() || !matchDimensions() || !isClosed()) return std::nullopt;
    return finish();
  }

 private:
  const Instruction& at(InstructionId id) const { return module_.at(id); }
  void take(InstructionId id) { core_.take(id); }
  InstructionId takeConverts(InstructionId id) {
    while (at(id).opcode == Opcode::Convert && isFloat(module_.shapeOf(at(id).operands[0]).type)) {
      take(id);
      id = at(id).operands[0];
    }
    return id;
  }

  bool isFinal(InstructionId id) { return id == final_ || takeConverts(id) == final_; }

  // exp(s - max) / sum, each maximum and sum one of the scores' rows.
  bool matchWeights() {
    const InstructionId quotient = takeConverts(at(values_).operands[side_]);
    if (at(quotient).opcode != Opcode::Divide || !isFactorType(at(quotient).shape->type)) return false;
    take(quotient);
    const InstructionId power = takeConverts(at(quotient).operands[0]);
    if (at(power).opcode != Opcode::Exponential || !isFactorType(at(power).shape->type)) return false;
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
    if (core_.contains(id)) return true;
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
    const AttributeSet& second = *at(values_).attributes;
    const Attr batches[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims};
    const Attr contracted[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
    const auto isReduced = [&](int64_t d) { return std::ranges::find(reduced_, d) != reduced_.end(); };
    Dims summed = second.ints(contracted[side_]);
    std::ranges::sort(summed);
    if (summed != reduced_) return false;
    const auto [batch, middle, end] = DotDims(module_, at(scores_));
    const bool keysAreLeft = std::ranges::all_of(reduced_, [&](int64_t d) { return d >= batch && d < middle; });
    const int64_t keyBegin = keysAreLeft ? batch : middle, keyEnd = keysAreLeft ? middle : end;
    for (int64_t d = 0; d < end; ++d)
      if (isReduced(d) != (d >= keyBegin && d < keyEnd)) return false;
    const int64_t queryBegin = keysAreLeft ? middle : batch, queryEnd = keysAreLeft ? end : middle;
    for (const int64_t d : second.ints(batches[side_]))
      if (d >= queryBegin && d < queryEnd) return false;
    int64_t rows = 1;
    for (int64_t d = queryBegin; d < queryEnd; ++d) rows *= dims_[static_cast<size_t>(d)];
    Shape all;
    all.dimensions = dims_;
    return rows >= kFewestRows && sizeOf(all, reduced_) >= kFewestColumns &&
           depthOf(module_, at(scores_)) >= kFewestDepth && widthOf(module_, at(values_), 1 - side_) >= kFewestDepth &&
           hasFactors(module_, at(scores_)) && hasFactors(module_, at(values_));
  }

  // What is computed on the way is read by nothing else.
  bool isClosed() const {
    return std::ranges::all_of(core_.all(), [&](uint32_t member) {
      if (member == values_.value) return true;
      const InstructionId id{member};
      return module_.at(at(id).computation).root != id &&
             std::ranges::all_of(users_.users(id), [&](InstructionId user) { return core_.contains(user); });
    });
  }

  FoundAttention finish() {
    core_.takeEnd(values_);
    const std::vector<uint32_t> path(core_.all().begin(), core_.all().end());
    for (InstructionId leaf : leaves_) core_.takeLeaf(leaf);
    for (const uint32_t member : path)
      for (InstructionId operand : at(InstructionId{member}).operands)
        if (splatValue(module_, operand)) core_.takeLeaf(operand);
    for (const size_t k : {0, 1}) core_.takeFactor(scores_, k);
    core_.takeFactor(values_, 1 - side_);
    FoundAttention out;
    for (const uint32_t member : path) out.path.emplace_back(member);
    out.members = core_.inOrder();
    return out;
  }

  const Module& module_;
  const UserTable& users_;
  const InstructionId values_;
  const size_t side_;
  InstructionId final_, scores_;  // what the softmax is taken of; the dot
  Dims dims_, reduced_;           // of the scores
  FusionMembers core_;
  std::vector<InstructionId> leaves_;  // what the scores are made of beside the dot
  std::unordered_map<uint32_t, bool> madeOfScores_;
};

}  // namespace

Result<bool> fuseAttention(Module& module, DeviceFusions& device) {
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
      const std::vector<InstructionId> result{found->members.back()};
      const InstructionId fusion = rewriter.makeFusion(found->members, result, "kOutput");
      if (const Status has = device.check(module, fusion); !has) {
        device.refuse(module.at(id), has.error().message);
        continue;
      }
      for (InstructionId member : found->path) taken.insert(member.value);
      rewriter.replaceByFusion(result, fusion);
      changed = true;
    }
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
