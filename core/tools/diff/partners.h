// The pairs of two computations during matching: which instructions have a partner, how similar two are, and how
// many of their neighbours say that they are partners. Used by matcher, gaps and twins.
#pragma once

#include "core/tools/diff/matcher.h"

namespace tessera {

enum class Kinship : uint8_t { Stranger, SameOpcode, SameShape, SameLabel };

inline constexpr size_t kMaxUsersAsked = 32;  // of an instruction, for evidence

struct Evidence {
  int agree = 0, conflict = 0;  // neighbours that are partners; neighbours whose partners are elsewhere
  int balance() const { return agree - conflict; }
};

class Partners {
 public:
  Partners(const LabelledGraph& left, const LabelledGraph& right, ComputationId a, ComputationId b);

  const LabelledGraph &left, &right;
  const Computation &one, &other;
  ComputationMatch match;

  bool isFree(InstructionId a) const { return match.toRight[left.placeOf(a)] == kUnmatched; }
  bool isFreeRight(InstructionId b) const { return match.toLeft[right.placeOf(b)] == kUnmatched; }
  bool arePartners(InstructionId a, InstructionId b) const {
    return match.toRight[left.placeOf(a)] == right.placeOf(b);
  }
  bool isWhole() const;
  // Of those that are not free.
  InstructionId partnerOf(InstructionId a) const { return other.instructions[match.toRight[left.placeOf(a)]]; }
  InstructionId partnerOfRight(InstructionId b) const { return one.instructions[match.toLeft[right.placeOf(b)]]; }
  void pair(InstructionId a, InstructionId b);
  // Each gets the partner of the other, also none.
  void exchange(InstructionId a, InstructionId twin);

  Kinship kinship(InstructionId a, InstructionId b) const;
  bool sameMeaning(InstructionId a, InstructionId b) const { return left.meaning(a) == right.meaning(b); }
  int sameHashes(InstructionId a, InstructionId b) const;  // 0 to 8
  // As Likeness of operand_alignment.h.
  int likeness(InstructionId a, InstructionId b) const;
  std::vector<uint32_t> aligned(const Instruction& a, const Instruction& b) const;
  // The operand of one user may be that of the other.
  bool mayBeSameEdge(const UserEdge& a, const UserEdge& b) const;
  Evidence evidence(InstructionId a, InstructionId b) const;

 private:
  void askUsers(InstructionId a, InstructionId b, Evidence& out) const;
  bool uses(InstructionId user, InstructionId value, const UserEdge& like) const;
};

}  // namespace tessera
