// Values that are known when a file is read: constants and what plain operations and calls make of them, with the sizes
// of static dimensions. Operations on dynamic sizes take their sizes from here. Asked for by the lowering, bounded in
// work.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera::mlir {

// Has a dimension without any size, "?".
bool isOpen(const Shape& shape);

class ConstantFolder {
 public:
  explicit ConstantFolder(const Module& module) : module_(module) {}

  // A function that is lowered for one call knows what its arguments are.
  void assume(InstructionId parameter, Literal value) { known_[parameter.value] = {std::move(value), parameter}; }
  // nullptr: not known, and cause() is the instruction that is why. The pointer lives as long as this.
  const Literal* valueOf(InstructionId id);
  InstructionId cause() const { return cause_; }

 private:
  struct Entry {
    std::optional<Literal> value;
    InstructionId cause;
  };
  using Values = std::unordered_map<uint32_t, Entry>;  // of one application of a computation

  const Literal* find(Values& values, InstructionId id, int depth);
  std::optional<Literal> compute(Values& values, InstructionId id, int depth);
  std::optional<Literal> element(Values& values, InstructionId tuple, size_t index, int depth);
  std::optional<Literal> evaluated(Values& values, InstructionId id, int depth);
  // The arguments of a call, as far as they are known.
  Values argumentsOf(Values& values, const Instruction& call, int depth);

  const Module& module_;
  Values known_;
  InstructionId cause_;
  size_t steps_ = 0;
};

}  // namespace tessera::mlir
