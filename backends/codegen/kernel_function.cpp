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

}  // namespace tessera::codegen
