// EntryArrays: the arrays that a compiled program takes and gives, leaves of the entry's parameters and of its root in
// order. Used by the executables of the CPU and of cards.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

class EntryArrays {
 public:
  explicit EntryArrays(const Module& module);  // which outlives it

  // ErrorKind::Usage: another number of them, or the first with another shape.
  Status check(std::span<const Literal> arguments) const;
  // Makes outputs what the program gives: arrays of an earlier run are kept, but for those that are arguments of this
  // one.
  Status allocate(std::span<const Literal> arguments, std::vector<Literal>& outputs) const;

 private:
  std::vector<const Shape*> arguments_, outputs_;
};

}  // namespace tessera
