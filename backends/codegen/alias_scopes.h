// Alias scopes: what accesses tell LLVM of the arrays they touch: which ones lie apart, so that loads may pass stores.
// Only what the plan promises is claimed. A kernel is compiled once for equal programs wherever its arrays lie, so
// whether it works in place is not known: an operand that may lie where a result does shares that result's scope. Used
// by plan_builder, which promises what does not alias, and kernel_memory, which marks each access.
#pragma once

#include <cstddef>
#include <vector>

#include "core/element/region_program.h"

namespace llvm {
class Instruction;
class LLVMContext;
class MDNode;
class Value;
}  // namespace llvm

namespace tessera::codegen {

// The promise of every step that runs a kernel (cpu/plan_builder checks its own, tests those of the corpus):
// results lie apart from one another, and from each operand of which this is false; where it is true, apart or over it
// as a whole.
bool outputMayAliasOperand(const LoopProgram& program, size_t output, size_t operand);

// What an access says; null: nothing.
struct MemoryScope {
  llvm::MDNode* own = nullptr;    // !alias.scope
  llvm::MDNode* apart = nullptr;  // !noalias
  void mark(llvm::Instruction* access) const;
};

// An array as a kernel finds it.
struct ArrayBase {
  llvm::Value* pointer = nullptr;
  MemoryScope scope = {};
};

// By operand, then by output.
std::vector<MemoryScope> scopesOf(llvm::LLVMContext& context, const LoopProgram& program);
// By buffer; nothing of those in registers.
std::vector<MemoryScope> scopesOf(llvm::LLVMContext& context, const RegionProgram& region);

}  // namespace tessera::codegen
