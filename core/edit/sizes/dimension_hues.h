// One hue and one letter a dimension, in every view: the shape rules say which dimensions are one and the same
// (core/edit/sizes/sizes), and each of those classes has its row here. The letter is the name that the user gave its
// size, else i, j, k … in the order in which the classes first appear. Used by second lines of nodes, the inspector,
// the layout panel and values.
#pragma once

#include <string>
#include <vector>

#include "core/edit/sizes/sizes.h"

namespace tessera {

struct SizeNames;

struct DimensionHue {
  std::string letter;
  int hue = -1;        // hueRole of core/picture, which begins again; -1: a dimension of size 1, which needs no colour
  bool named = false;  // by the user
};

class DimensionHues {
 public:
  DimensionHues() = default;
  // names may be null. O(instructions).
  DimensionHues(const Module& module, const Sizes& sizes, const SizeNames* names);

  // Of an array; null: there is no such dimension.
  const DimensionHue* find(InstructionId id, size_t dimension) const;
  // By dimension; empty where it is no array or nothing is known.
  std::vector<DimensionHue> of(InstructionId id) const;
  bool empty() const { return hues_.empty(); }

 private:
  std::vector<uint32_t> begin_;  // by instruction slot, in rows_
  std::vector<uint32_t> rows_;   // by dimension: which of hues_
  std::vector<DimensionHue> hues_;
};

}  // namespace tessera
