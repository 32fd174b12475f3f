// See attention_gradient.h.
#include "core/passes/fusion/attention_gradient.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/dead_code.h"
#include "core/passes/fusion/score_group.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

using attention::FusionMembers;
using attention::ScoreGroup;

constexpr int64_t kMostApart = 1024;  // instructions between readers of one kernel
constexpr size_t kMostInAKernel = 2;

// The readers of one kernel.
struct ScoreKernel {
  size_t group;
  std::vector<InstructionId> readers;
};

// A kernel as a fusion, with what it gives: its readers, or what is made of them alone.
struct ScoreFusion {
  InstructionId fusion;
  std::vector<InstructionId> results;
};

ScoreFusion makeFusion(Rewriter& rewriter, const UserTable& users, const ScoreGroup& group,
                       std::span<const InstructionId> readers, const std::unordered_set<uint32_t>& taken) {
  FusionMembers members(rewriter.module(), users, taken);
  ScoreFusion out;
  for (const InstructionId reader : readers) out.results.push_back(group.takeReader(reader, members));
  out.fusion = rewriter.makeFusion(members.inOrder(), out.results, "kOutput");
  return out;
}

// Which readers of the groups of a computation share a kernel, in the order of their last ones.
class KernelChoice {
 public:
  // hasKernel: whether the device has one for these readers of a group.
  using HasKernel = std::function<bool(const ScoreGroup& group, std::span<const InstructionId> readers)>;

  KernelChoice(const Module& module, ComputationId computation, const std::vector<ScoreGroup>& groups,
               HasKernel hasKernel)
      : module_(module),
        order_(module.at(computation).instructions),
        groups_(groups),
        hasKernel_(std::move(hasKernel)) {
    for (size_t i = 0; i < order_.size(); ++i) place_[order_[i].value] = static_cast<int64_t>(i);
    for (size_t g = 0; g < groups.size(); ++g)
      for (const InstructionId reader : groups[g].readers()) groupOf_[reader.value] = g;
  }

  std::vector<ScoreKernel> run() {
    for (const InstructionId id : order_)
      if (const auto found = groupOf_.find(id.value); found != groupOf_.end()) add(found->second, id);
    std::ranges::sort(kernels_, {}, [&](const ScoreKernel& kernel) { return place_.at(kernel.readers.back().value); });
    return std::move(kernels_);
  }

 private:
  void add(size_t group, InstructionId reader) {
    for (size_t k = kernels_.size(); k > 0; --k) {
      ScoreKernel& kernel = kernels_[k - 1];
      if (kernel.group != group || kernel.readers.size() == kMostInAKernel) continue;
      std::vector<InstructionId> all = kernel.readers;
      all.push_back(reader);
      const bool areAlike = groups_[group].isSumBehind(reader, kernel.readers[0]) ||
                            (groups_[group].areAlike(reader, kernel.readers[0]) && !needs(reader, kernel));
      if (!areAlike || !hasKernel_(groups_[group], all)) continue;
      kernel.readers = std::move(all);
      kernelOf_[reader.value] = k - 1;
      return;
    }
    kernelOf_[reader.value] = kernels_.size();
    kernels_.push_back({group, {reader}});
  }

  // Whether the reader is computed from a result of the kernel, perhaps through other kernels; true where they are far
  // apart.
  bool needs(InstructionId reader, const ScoreKernel& kernel) const {
    const int64_t first = place_.at(kernel.readers[0].value);
    if (place_.at(reader.value) - first > kMostApart) return true;
    std::vector<InstructionId> open{reader};
    std::unordered_set<uint32_t> seen{reader.value};
    while (!open.empty()) {
      std::vector<InstructionId> together{open.back()};
      open.pop_back();
      if (const auto known = kernelOf_.find(together[0].value); known != kernelOf_.end()) {
        if (&kernels_[known->second] == &kernel) return true;
        together = kernels_[known->second].readers;
      }
      for (const InstructionId id : together)
        for (const InstructionId operand : module_.at(id).operands)
          if (place_.at(operand.value) >= first && seen.insert(operand.value).second) open.push_back(operand);
    }
    return false;
  }

  const Module& module_;
  const std::vector<InstructionId> order_;
  const std::vector<ScoreGroup>& groups_;
  const HasKernel hasKernel_;
  std::unordered_map<uint32_t, int64_t> place_;
  std::unordered_map<uint32_t, size_t> groupOf_, kernelOf_;  // by reader
  std::vector<ScoreKernel> kernels_;
};

std::vector<ScoreGroup> groupsOf(const Module& module, const UserTable& users, ComputationId computation) {
  std::vector<ScoreGroup> groups;
  for (const InstructionId id : module.at(computation).instructions) {
    if (module.at(id).opcode != Opcode::Exponential || !module.at(id).shape->isArray()) continue;
    if (std::ranges::any_of(groups, [&](const ScoreGroup& group) { return group.contains(id); })) continue;
    ScoreGroup group(module, users);
    if (group.grow(id)) groups.push_back(std::move(group));
  }
  return groups;
}

// Makes the fusions of a computation's groups: of each group all, or none.
class GradientFusion {
 public:
  GradientFusion(Rewriter& rewriter, const UserTable& users, DeviceFusions& device, ComputationId computation)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        users_(users),
        device_(device),
        computation_(computation),
        groups_(groupsOf(module_, users, computation)),
        refusals_(groups_.size()) {}

  bool run() {
    if (groups_.empty()) return false;
    std::vector<ScoreKernel> kernels =
        KernelChoice(module_, computation_, groups_, [&](const auto& group, const auto& readers) {
          return device_.check(module_, makeFusion(rewriter_, users_, group, readers, {}).fusion).has_value();
        }).run();
    std::unordered_set<uint32_t> ends;  // what kernels before give
    std::vector<ScoreFusion> fusions;
    for (const auto& [group, readers] : kernels) {
      fusions.push_back(makeFusion(rewriter_, users_, groups_[group], readers, ends));
      if (const Status has = device_.check(module_, fusions.back().fusion); !has && refusals_[group].empty())
        refusals_[group] = has.error().message;
      for (const InstructionId id : readers) ends.insert(id.value);
      for (const InstructionId id : fusions.back().results) ends.insert(id.value);
    }
    for (size_t k = 0; k < kernels.size(); ++k) settle(kernels[k], fusions[k]);
    return std::ranges::any_of(refusals_, &std::string::empty);
  }

 private:
  void settle(const ScoreKernel& kernel, const ScoreFusion& made) {
    const std::string& why = refusals_[kernel.group];
    for (const InstructionId reader : kernel.readers) {
      const Instruction& computed = module_.at(reader);
      if (why.empty())
        device_.accept(computed);
      else if (computed.opcode == Opcode::Dot)
        device_.refuse(computed, why);
    }
    if (why.empty()) rewriter_.replaceByFusion(made.results, made.fusion);
  }

  Rewriter& rewriter_;
  const Module& module_;
  const UserTable& users_;
  DeviceFusions& device_;
  const ComputationId computation_;
  const std::vector<ScoreGroup> groups_;
  std::vector<std::string> refusals_;  // by group: why it has no kernels; empty: it has them
};

}  // namespace

Result<bool> fuseAttentionGradient(Module& module, DeviceFusions& device) {
  bool changed = false;
  Rewriter rewriter(module, "fuse-attention-gradient");
  const UserTable users(module);
  for (const ComputationId computation : controlComputations(module))
    changed |= GradientFusion(rewriter, users, device, computation).run();
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
