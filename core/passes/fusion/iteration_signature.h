// IterationSignature: the iteration space of an instruction's loop nest: which nests can become one with several
// results. Elementwise nests, kernels that walk rows and give as many elements, and reductions have one. Asked by
// sibling fusion.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct IterationSignature {
  std::vector<int64_t> result;   // dimensions of what it gives
  std::vector<int64_t> walked;   // of what it reads element by element; more than `result` where it reduces
  std::vector<int64_t> reduced;  // which of these it reduces
  bool reduces = false;          // there are reductions inside: of `walked` to `result`, or, equal, of rows
};

// nullopt: it has no such form.
std::optional<IterationSignature> iterationSignatureOf(const Module& module, const Instruction& instruction);
// May be computed by one nest.
bool canShare(const IterationSignature& a, const IterationSignature& b);
// A nest that gives as many elements as it walks reads `operand` at its own index, or by rows of its own.
bool readsInPlace(const Module& module, const Instruction& nest, InstructionId operand);

}  // namespace tessera
