// ScoreGroup: the arrays as large as the scores around one softmax, forward and backward, and who reads them. Used by
// attention_gradient.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/passes/fusion/attention_parts.h"

namespace tessera::attention {

// All arrays as large as the scores around one softmax that are made of dots element by element, in any order of
// dimensions.
class ScoreGroup {
 public:
  ScoreGroup(const Module& module, const UserTable& users) : module_(module), users_(users) {}

  // From the exponential of a softmax on; false: it is none, or something reads it that has no kernel.
  bool grow(InstructionId power);
  const std::vector<InstructionId>& readers() const { return readers_; }
  bool contains(InstructionId id) const { return members_.contains(id.value); }
  // Takes what a reader's fusion consists of; gives its result.
  InstructionId takeReader(InstructionId reader, FusionMembers& members) const;
  // Whether one kernel computes both, which do not depend on each other: they walk the same queries or keys in the
  // same order and give arrays of one form.
  bool areAlike(InstructionId reader, InstructionId other) const;
  // Whether `sum` adds up the powers of a softmax whose row's maximum is `most`: one kernel finds both.
  bool isSumBehind(InstructionId sum, InstructionId most) const;

 private:
  using Dims = std::vector<int64_t>;

  const Instruction& at(InstructionId id) const { return module_.at(id); }
  bool isRoot(InstructionId id) const { return module_.at(at(id).computation).root == id; }
  bool movesScores(const Instruction& in) const;
  bool isMadeOfScores(InstructionId id);
  bool reach(InstructionId id, Dims order);
  Dims orderOfOperand(const Instruction& in, const Dims& order) const;
  Dims orderOfResult(const Instruction& in, const Dims& order) const;
  bool reachOperands(InstructionId id);
  bool reachUsers(InstructionId id);
  Dims orderOf(InstructionId id, std::span<const int64_t> dims) const;
  bool takeSides();
  bool isReduction(const Instruction& reader) const;
  bool isBatchSum(const Instruction& reader) const;
  bool isLastProduct(const Instruction& reader) const;
  Dims walkOf(const Instruction& reader) const;
  size_t otherFactor(InstructionId reader) const;
  void findStatistics();
  void takeScores(InstructionId id, FusionMembers& out) const;
  void takeStatistic(InstructionId id, FusionMembers& out) const;

  const Module& module_;
  const UserTable& users_;
  int64_t count_ = 0;  // of scores
  Dims sizes_;         // of the exponential
  // By member, which dimension of the exponential each of its dimensions is; -1: of size 1.
  std::unordered_map<uint32_t, Dims> members_;
  std::unordered_set<uint32_t> statistics_;
  std::vector<InstructionId> open_, products_, readers_;
  Dims sides_[2];  // dimensions of the exponential that are of the left and of the right factor of the dots
  std::unordered_map<uint32_t, bool> madeOfScores_;
};

}  // namespace tessera::attention
