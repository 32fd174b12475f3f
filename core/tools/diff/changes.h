// What differs between two matched instructions or computations. Used by core/tools/diff/diff.cpp.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/tools/diff/diff.h"
#include "core/tools/diff/matcher.h"

namespace tessera {

using ComputationMatches = std::map<std::pair<ComputationId, ComputationId>, ComputationMatch>;

class ChangeFinder {
 public:
  ChangeFinder(const LabelledGraph& left, const LabelledGraph& right, const ComputationMatches& matches)
      : left_(left), right_(right), matches_(matches) {}

  // Of a pair of `match`.
  std::vector<Change> changesOf(const ComputationMatch& match, InstructionId a, InstructionId b);
  // Of a pair in computations that are no partners.
  std::vector<Change> changesOfMoved(InstructionId a, InstructionId b) const;
  // Of what belongs to the computations and no instruction.
  std::vector<Change> changesOf(const ComputationMatch& match) const;

 private:
  void operands(const ComputationMatch& match, const Instruction& a, const Instruction& b,
                std::vector<Change>& out) const;
  void callees(const Instruction& a, const Instruction& b, std::vector<Change>& out) const;
  void channels(const Instruction& a, const Instruction& b, std::vector<Change>& out);
  void predecessors(const ComputationMatch& match, const Instruction& a, const Instruction& b,
                    std::vector<Change>& out) const;
  void aliases(const ComputationMatch& match, std::vector<Change>& out) const;
  bool hasAlias(const ComputationMatch& match, const AliasEntry& alias) const;

  const LabelledGraph &left_, &right_;
  const ComputationMatches& matches_;
  std::map<int64_t, int64_t> channels_, channelsBack_;
};

}  // namespace tessera
