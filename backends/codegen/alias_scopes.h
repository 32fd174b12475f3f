// Alias scopes: noalias metadata on the accesses of a kernel, so that loads may be moved across stores. Only what the
// plan guarantees is claimed. A kernel is compiled once for equal programs at any addresses, so whether it works in
// place is not known: an operand that may alias a result shares that result's scope. Used
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
// results do not alias one another, nor an operand for which this is false; if true, no alias or the same address
// as a whole.
bool outputMayAliasOperand(const LoopProgram& program, size_t output, size_t operand);

// The metadata of an access; null: none.
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
