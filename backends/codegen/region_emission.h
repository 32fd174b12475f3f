// RegionEmission: the control flow of a RegionProgram while its code is made: blocks, loops, branches, and which
// arrays it works on. Subclasses say where buffers are and how a program is spread: region_emitter for a processor,
// grid/grid_region for a block of a GPU's threads.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/alias_scopes.h"
#include "core/base/result.h"
#include "core/element/region_program.h"

namespace tessera::codegen {

class RegionEmission {
 protected:
  RegionEmission(llvm::Module& module, const RegionProgram& region)
      : module_(module), region_(region), b(module.getContext()) {}
  ~RegionEmission() = default;

  virtual Status emitProgram(const RegionStep& step) = 0;
  virtual void emitCopy(const RegionStep& step) = 0;
  // Before a block's steps, and before those of a loop's body.
  virtual void enterBlock(uint32_t) {}
  virtual void enterRound() {}
  // Before a value that decides is read.
  virtual void beforeRead(uint32_t) {}
  // Where paths part or join: what was written is there for all.
  virtual void settle() {}

  Status emitBlock(uint32_t block);

  // Of an array in bytes: aligned at least as its elements are, or the parts of complex ones.
  struct Extent {
    int64_t bytes = 0, alignment = 1;
  };
  // By buffer: the largest array that a program finds there.
  std::vector<Extent> extents() const;
  llvm::Value* loaded(llvm::Type* type, const ArrayBase& base);
  // An element of a register's size as one access, so that it stays in one. alignment: of both, in bytes.
  void copyWhole(const ArrayBase& from, const ArrayBase& to, int64_t bytes, int64_t alignment = 1);
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(module_.getContext(), name, function_); }

  llvm::Module& module_;
  const RegionProgram& region_;
  llvm::IRBuilder<> b;
  llvm::Function* function_ = nullptr;
  std::vector<ArrayBase> base_;  // by buffer: where programs find it

 private:
  Status emitStep(const RegionStep& step);
  Status emitWhile(const RegionStep& step);
  Status emitChoice(const RegionStep& step);
  llvm::Value* isTrue(uint32_t buffer);
};

}  // namespace tessera::codegen
