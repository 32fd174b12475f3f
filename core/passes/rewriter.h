// Rewriter: the only way a pass changes a module. Every function that makes an instruction demands where it comes
// from, so provenance cannot be forgotten. Replacements are collected and applied in one sweep by finish(), which
// keeps a pass over 100,000 instructions linear. Stands below all passes.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

class Rewriter {
 public:
  // `pass` must be in static storage: it is the name that provenance shows.
  Rewriter(Module& module, std::string_view pass) : module_(module), pass_(pass) {}

  Module& module() { return module_; }
  // The current replacement of an instruction; itself if there is none.
  InstructionId resolve(InstructionId id) const;
  // The instruction with its operands resolved. The reference is good until the next change.
  const Instruction& visit(InstructionId id);

  // A new instruction that does the work of `from`.
  InstructionId add(ComputationId computation, Opcode opcode, const Shape& shape,
                    std::span<const InstructionId> operands, AttributeSet attributes,
                    std::span<const InstructionId> from);
  InstructionId addConstant(ComputationId computation, Literal literal, const Shape& shape,
                            std::span<const InstructionId> from);
  // A copy of `original` (attributes, literal, metadata, provenance) over other operands, in any computation.
  InstructionId clone(InstructionId original, ComputationId into, std::span<const InstructionId> operands);
  // A copy of a whole computation under a new name; what it calls is shared.
  ComputationId cloneComputation(ComputationId original);
  // A fusion of `members` (operands first, root last, one computation). Their copies are in the called computation;
  // `root` is replaced by the fusion. `kind` is kLoop or kInput.
  InstructionId fuse(std::span<const InstructionId> members, std::string_view kind);
  // The same with several results, which are members: the fusion is a tuple of them, and its elements replace them.
  InstructionId fuse(std::span<const InstructionId> members, std::span<const InstructionId> results,
                     std::string_view kind);
  // The fusion alone, which replaces nothing before replaceByFusion; without that it is dead code.
  InstructionId makeFusion(std::span<const InstructionId> members, std::span<const InstructionId> results,
                           std::string_view kind);
  void replaceByFusion(std::span<const InstructionId> results, InstructionId fusion);

  // All uses of `old`, as root too, go to `by`, which takes over its provenance; old disappears.
  void replace(InstructionId old, InstructionId by);
  // Each by its element of a tuple; a single one by `by` itself.
  void replaceByElements(std::span<const InstructionId> old, InstructionId by);
  // Notes in the provenance of an instruction that was just added which instruction needs it, and why.
  void noteInsertion(InstructionId inserted, const Insertion& insertion);
  // `id` also does the work of `other` from now on.
  void absorb(InstructionId id, InstructionId other) { absorbed_[id.value].push_back(other); }
  // Says that something changed in a way the rewriter did not see.
  void touch(ComputationId computation);

  // Applies the replacements and restores operands-before-users order. True when anything changed.
  Result<bool> finish();

 private:
  ProvenancePtr provenanceOf(std::span<const InstructionId> from) const;
  InstructionId addParameter(ComputationId fused, size_t number, InstructionId input);
  void applyAbsorbed();
  Status tidy(ComputationId computation);
  AttributeSetPtr resolvedPredecessors(const Instruction& instruction) const;

  Module& module_;
  std::string_view pass_;
  std::unordered_map<uint32_t, InstructionId> replaced_;
  std::unordered_map<uint32_t, std::vector<InstructionId>> absorbed_;
  std::vector<bool> touched_;  // by computation
  bool replacedAny_ = false;
};

// Puts the computations that the entry reaches into callees-first order and removes the others. True: changed.
Result<bool> restoreComputationOrder(Module& module);
// Computations whose instructions are executed one by one: the entry, while bodies and conditions, branches and the
// targets of calls; callers before callees, each once.
std::vector<ComputationId> controlComputations(const Module& module);
// Must not be dropped, repeated or reordered: infeed, send, collectives, effectful custom calls …
bool hasSideEffect(const Instruction& instruction);
// Gives another value each time: equal ones may not be merged.
bool isStateful(const Instruction& instruction);
// Equal attributes, written in any order.
bool equalAttributes(const AttributeSet& a, const AttributeSet& b);

}  // namespace tessera
