// IndexAlgebra: what is known of the S64 nodes of a program being built: each as a sum of atoms, and the range it
// is in. ElementBuilder uses it to normalise sums and to fold quotients, remainders, bounds and comparisons.
// A range is only kept when no step on the way can have overflowed.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/element/element_program.h"

namespace tessera {

struct IndexRange {
  int64_t low, high;  // inclusive
};

// constant + Σ coefficient · atom, modulo 2^64; terms sorted by atom, no zero coefficient.
struct LinearForm {
  int64_t constant = 0;
  std::vector<std::pair<NodeId, int64_t>> terms;
  bool operator==(const LinearForm&) const = default;

  void add(const LinearForm& other, int64_t scale);
  void addTerm(NodeId atom, int64_t coefficient);
};

// x = divisor · quotient + rest, termwise; rest's constant is in [0, divisor).
struct SplitForm {
  LinearForm quotient, rest;
};
SplitForm splitBy(const LinearForm& form, int64_t divisor);
// Greatest common divisor of the coefficients and `start`.
int64_t commonFactor(const LinearForm& form, int64_t start);

class IndexAlgebra {
 public:
  explicit IndexAlgebra(const ElementProgram& program) : program_(program) {}

  LinearForm formOf(NodeId id) const;
  std::optional<IndexRange> rangeOf(NodeId id) const;
  std::optional<IndexRange> rangeOf(const LinearForm& form) const;
  void setForm(NodeId id, LinearForm form);
  void setRange(NodeId id, IndexRange range);
  // Replaces c·(x / d) + … pairs: k·d·(x / d) + k·(x % d) becomes k·x.
  LinearForm recombined(LinearForm form) const;

 private:
  struct Facts {
    std::optional<LinearForm> form;
    std::optional<IndexRange> range;
  };
  const Facts* factsOf(NodeId id) const;
  Facts& edit(NodeId id);
  bool isQuotientOf(NodeId id, NodeId dividend, int64_t divisor) const;

  const ElementProgram& program_;
  std::vector<Facts> facts_;  // by node
};

// The value of an integer Constant node.
std::optional<int64_t> constantIndex(const ElementProgram& program, NodeId id);

}  // namespace tessera
