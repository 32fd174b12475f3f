// Kernel function: what every generated function has in common: void(ptr buffers, i64 begin, i64 end) and its
// attributes. KernelEmitter and RegionEmitter fill it; LLVM's passes look at the attributes.
#pragma once

#include <functional>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace tessera::codegen {

// Still empty.
llvm::Function* makeKernelFunction(llvm::Module& module, const std::string& name);
// Of functions that keep buffers in stack slots, which need more than promotion of whole slots.
inline constexpr char kRegionAttribute[] = "tessera-region";

// for (i = from; i < to; i += step) body(i); runs at least once. One round is no loop: what it reads may then leave
// loops around it.
void emitRange(llvm::IRBuilder<>& b, llvm::Value* from, llvm::Value* to, int64_t step,
               const std::function<void(llvm::Value*)>& body);

// body(i) for each bit i of the i64 that is set, the lowest first.
void emitSetBits(llvm::IRBuilder<>& b, llvm::Value* bits, const std::function<void(llvm::Value*)>& body);

void emitIf(llvm::IRBuilder<>& b, llvm::Value* condition, const std::function<void()>& body);
void emitIf(llvm::IRBuilder<>& b, llvm::Value* condition, const std::function<void()>& body,
            const std::function<void()>& otherwise);
// `yes` where the block was entered from `fromYes`, else `no`.
llvm::Value* joinPaths(llvm::IRBuilder<>& b, llvm::Value* yes, llvm::BasicBlock* fromYes, llvm::Value* no,
                       llvm::BasicBlock* fromNo);

}  // namespace tessera::codegen
