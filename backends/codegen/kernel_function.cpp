// See kernel_function.h.
#include "backends/codegen/kernel_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

namespace tessera::codegen {

llvm::Function* makeKernelFunction(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *ptr = llvm::PointerType::getUnqual(context), *number = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {ptr, number, number}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr("prefer-vector-width", std::to_string(512));
  function->addFnAttr("min-legal-vector-width", std::to_string(512));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

void emitRange(llvm::IRBuilder<>& b, llvm::Value* from, llvm::Value* to, int64_t step,
               const std::function<void(llvm::Value*)>& body) {
  const auto *first = llvm::dyn_cast<llvm::ConstantInt>(from), *end = llvm::dyn_cast<llvm::ConstantInt>(to);
  if (first && end && first->getSExtValue() + step >= end->getSExtValue()) return body(from);
  auto* before = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(b.getContext(), "loop", before->getParent());
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(from, before);
  body(i);
  llvm::Value* next = b.CreateAdd(i, b.getInt64(static_cast<uint64_t>(step)), "", true, true);
  auto* latch = b.GetInsertBlock();
  auto* exit = llvm::BasicBlock::Create(b.getContext(), "done", before->getParent());
  b.CreateCondBr(b.CreateICmpSLT(next, to), head, exit);
  i->addIncoming(next, latch);
  b.SetInsertPoint(exit);
}

void emitSetBits(llvm::IRBuilder<>& b, llvm::Value* bits, const std::function<void(llvm::Value*)>& body) {
  auto* before = b.GetInsertBlock();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, before->getParent()); };
  auto *head = block("bits"), *each = block("bit"), *exit = block("noBits");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* left = b.CreatePHI(b.getInt64Ty(), 2);
  left->addIncoming(bits, before);
  b.CreateCondBr(b.CreateICmpNE(left, b.getInt64(0)), each, exit);
  b.SetInsertPoint(each);
  body(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()));
  left->addIncoming(b.CreateAnd(left, b.CreateSub(left, b.getInt64(1))), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(exit);
}

void emitIf(llvm::IRBuilder<>& b, llvm::Value* condition, const std::function<void()>& body) {
  auto* function = b.GetInsertBlock()->getParent();
  auto *then = llvm::BasicBlock::Create(b.getContext(), "then", function),
       *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void emitIf(llvm::IRBuilder<>& b, llvm::Value* condition, const std::function<void()>& body,
            const std::function<void()>& otherwise) {
  auto* function = b.GetInsertBlock()->getParent();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  auto *then = block("then"), *other = block("else"), *after = block("after");
  b.CreateCondBr(condition, then, other);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(other);
  otherwise();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

llvm::Value* joinPaths(llvm::IRBuilder<>& b, llvm::Value* yes, llvm::BasicBlock* fromYes, llvm::Value* no,
                       llvm::BasicBlock* fromNo) {
  auto* phi = b.CreatePHI(yes->getType(), 2);
  phi->addIncoming(yes, fromYes);
  phi->addIncoming(no, fromNo);
  return phi;
}

}  // namespace tessera::codegen
