// See warpgroup_products.h.
#include "backends/codegen/grid/warpgroup_products.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

namespace tessera::codegen {

using llvm::Value;

const char* productTypeName(ElementType type) {
  switch (type) {
    case ElementType::F8E4M3FN: return "e4m3";
    case ElementType::F8E5M2: return "e5m2";
    case ElementType::BF16: return "bf16";
    default: return "f16";
  }
}

Value* emitChunkPlace(llvm::IRBuilder<>& b, Value* line, Value* chunk) {
  Value* permuted = b.CreateXor(b.CreateAnd(chunk, kLineChunks - 1), b.CreateAnd(line, kPatternLines - 1));
  return b.CreateAdd(b.CreateMul(line, b.getInt32(kMatrixLineBytes)), b.CreateMul(permuted, b.getInt32(kChunkBytes)));
}

// "Matrix Descriptor Format" in the PTX ISA, wgmma: lines of 128 bytes whose chunks are permuted (bit 62); the distance
// of groups of eight lines; where lines go across, also that of 64 rows.
Value* emitDescriptor(llvm::IRBuilder<>& b, Value* shared, Value* further, std::optional<unsigned> acrossBytes) {
  const uint64_t leading = acrossBytes ? *acrossBytes / kChunkBytes : 1;
  const uint64_t kind = uint64_t{1} << 62 | uint64_t{kPatternBytes / kChunkBytes} << 32 | leading << 16;
  Value* address = b.CreateTrunc(b.CreatePtrToInt(shared, b.getInt64Ty()), b.getInt32Ty());
  Value* chunk = b.CreateLShr(b.CreateAdd(address, further), uint64_t{4});
  return b.CreateOr(b.CreateZExt(chunk, b.getInt64Ty()), b.getInt64(kind));
}

std::vector<Value*> emitOnSums(llvm::IRBuilder<>& b, const std::string& text, size_t count,
                               std::span<Value* const> before, std::span<Value* const> operands) {
  std::vector<Value*> arguments(before.begin(), before.end());
  std::vector<llvm::Type*> types(before.size(), b.getFloatTy());
  std::string constraints;
  for (size_t s = 0; s < count; ++s) constraints += "=f,";
  for (size_t s = 0; s < before.size(); ++s) constraints += fmt::format("{},", s);
  for (Value* operand : operands) {
    arguments.push_back(operand);
    types.push_back(operand->getType());
    constraints += operand->getType()->isIntegerTy(64) ? "l," : "r,";
  }
  auto* results = llvm::StructType::get(b.getContext(), std::vector<llvm::Type*>(count, b.getFloatTy()));
  auto* type = llvm::FunctionType::get(results, types, false);
  auto* call = b.CreateCall(llvm::InlineAsm::get(type, text, constraints + "~{memory}", true), arguments);
  call->setConvergent();
  std::vector<Value*> out;
  for (unsigned s = 0; s < count; ++s) out.push_back(b.CreateExtractValue(call, s));
  return out;
}

void emitText(llvm::IRBuilder<>& b, const std::string& text) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(llvm::InlineAsm::get(type, text, "~{memory}", true))->setConvergent();
}

std::string operandList(size_t first, size_t count) {
  std::string out;
  for (size_t k = 0; k < count; ++k) out += fmt::format("{}${}", k == 0 ? "" : ", ", first + k);
  return out;
}

void emitFenceForProducts(llvm::IRBuilder<>& b) { emitText(b, "fence.proxy.async.shared::cta;"); }

}  // namespace tessera::codegen
