// See kernel_function.h.
#include "backends/codegen/kernel_function.h"

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

void emitRange(llvm::IRBuilder<>& b, llvm::Value* from, llvm::Value* to, int64_t step, const std::function<void(llvm::Value*)>& body) {
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

}  // namespace tessera::codegen
