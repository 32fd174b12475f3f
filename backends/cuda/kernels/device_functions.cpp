// See device_functions.h.
#include "backends/cuda/kernels/device_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/kernel_function.h"

namespace tessera::cuda {

using llvm::Value;

namespace {

class FunctionBody {
 public:
  explicit FunctionBody(llvm::Function& function) : function_(function), b(function.getContext()) {
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    b.SetInsertPoint(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  }

  // C's fmod, exact: the dividend's mantissa, reduced by the divisor's after each doubling.
  void remainder();
  // base to the power of exponent, with the wrap of 64 bits; a negative exponent leaves 1 and -1 only.
  void integerPower();

 private:
  llvm::Function& function_;
  llvm::IRBuilder<> b;

  Value* number(uint64_t value) { return llvm::ConstantInt::get(bits_, value); }
  // (mantissa with its leading one, exponent) of a positive number, subnormal ones too.
  std::pair<Value*, Value*> parts(Value* size);
  llvm::Type* bits_ = nullptr;
  unsigned width_ = 0, mantissa_ = 0;
};

std::pair<Value*, Value*> FunctionBody::parts(Value* size) {
  Value* stored = b.CreateLShr(size, mantissa_);
  Value* fraction = b.CreateAnd(size, number((uint64_t{1} << mantissa_) - 1));
  Value* isSubnormal = b.CreateICmpEQ(stored, number(0));
  Value* whole = b.CreateSelect(isSubnormal, fraction, b.CreateOr(fraction, number(uint64_t{1} << mantissa_)));
  return {whole, b.CreateSelect(isSubnormal, number(1), stored)};
}

// With the exponents of both at least that of the least normal number, x = mx · 2^ex and y = my · 2^ey, ex >= ey:
// the remainder is (mx · 2^(ex - ey)) mod my, at exponent ey.
void FunctionBody::remainder() {
  llvm::Type* type = function_.getReturnType();
  width_ = type->getPrimitiveSizeInBits();
  mantissa_ = width_ == 64 ? 52 : 23;
  bits_ = b.getIntNTy(width_);
  Value *a = function_.getArg(0), *c = function_.getArg(1);
  Value* mask = number((uint64_t{1} << (width_ - 1)) - 1);
  Value *x = b.CreateAnd(b.CreateBitCast(a, bits_), mask), *y = b.CreateAnd(b.CreateBitCast(c, bits_), mask);
  Value* sign = b.CreateAnd(b.CreateBitCast(a, bits_), b.CreateNot(mask));
  Value* infinity = number(((uint64_t{1} << (width_ - 1 - mantissa_)) - 1) << mantissa_);
  // x infinite, y zero, or either no number: no number. x below y: x. Both leave the loop out.
  Value* isNan =
      b.CreateOr(b.CreateICmpUGE(x, infinity), b.CreateOr(b.CreateICmpEQ(y, number(0)), b.CreateICmpUGT(y, infinity)));
  Value* isSmall = b.CreateICmpULT(x, y);
  const auto [mx, ex] = parts(x);
  const auto [my, ey] = parts(y);
  auto* before = b.GetInsertBlock();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, &function_); };
  auto *start = block("start"), *head = block("head"), *round = block("round"), *pack = block("pack"),
       *done = block("done");
  Value* direct = b.CreateSelect(isNan, infinity, x);
  b.CreateCondBr(b.CreateOr(isNan, isSmall), done, start);
  b.SetInsertPoint(start);
  Value* first = b.CreateURem(mx, my);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto *left = b.CreatePHI(bits_, 2), *exponent = b.CreatePHI(bits_, 2);
  left->addIncoming(first, start);
  exponent->addIncoming(ex, start);
  b.CreateCondBr(b.CreateICmpUGT(exponent, ey), round, pack);
  b.SetInsertPoint(round);
  Value* twice = b.CreateShl(left, 1);
  left->addIncoming(b.CreateSelect(b.CreateICmpUGE(twice, my), b.CreateSub(twice, my), twice), round);
  exponent->addIncoming(b.CreateSub(exponent, number(1)), round);
  b.CreateBr(head);
  b.SetInsertPoint(pack);
  Value* reduced = left;
  // reduced · 2^ey in bits: shifted up to its leading one, but no further than to the least exponent.
  Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, reduced, b.getFalse());
  Value* wanted = b.CreateSub(zeros, number(width_ - 1 - mantissa_));
  Value* room = b.CreateSub(ey, number(1));
  Value* shift = b.CreateSelect(b.CreateICmpULT(wanted, room), wanted, room);
  Value* shifted = b.CreateShl(reduced, shift);
  Value* stored = b.CreateSub(ey, shift);  // with the leading one; one less where it is missing
  Value* packed = b.CreateAdd(shifted, b.CreateShl(b.CreateSub(stored, number(1)), mantissa_));
  packed = b.CreateSelect(b.CreateICmpEQ(reduced, number(0)), number(0), packed);
  auto* packEnd = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* result = b.CreatePHI(bits_, 2);
  result->addIncoming(direct, before);
  result->addIncoming(packed, packEnd);
  // A quiet bit beside the infinity makes it no number.
  auto* wasNan = b.CreatePHI(b.getInt1Ty(), 2);
  wasNan->addIncoming(isNan, before);
  wasNan->addIncoming(b.getFalse(), packEnd);
  Value* quiet = b.CreateOr(result, number(uint64_t{1} << (mantissa_ - 1)));
  b.CreateRet(b.CreateBitCast(b.CreateOr(b.CreateSelect(wasNan, quiet, result), sign), type));
}

void FunctionBody::integerPower() {
  bits_ = b.getInt64Ty();
  Value *base = function_.getArg(0), *exponent = function_.getArg(1);
  Value* isNegative = b.CreateICmpSLT(exponent, number(0));
  Value* isOdd = b.CreateTrunc(exponent, b.getInt1Ty());
  // 1, and -1 by whether the exponent is odd; all else is less than one in size.
  Value* isOne = b.CreateICmpEQ(base, number(1));
  Value* isMinusOne = b.CreateICmpEQ(base, number(~uint64_t{0}));
  Value* alternating = b.CreateSelect(isOdd, number(~uint64_t{0}), number(1));
  Value* reciprocal = b.CreateSelect(isOne, number(1), b.CreateSelect(isMinusOne, alternating, number(0)));
  Value* left = b.CreateAnd(exponent, number(63));
  Value* out = number(1);
  for (int bit = 0; bit < 6; ++bit) {
    Value* isSet = b.CreateTrunc(b.CreateLShr(left, static_cast<uint64_t>(bit)), b.getInt1Ty());
    out = b.CreateSelect(isSet, b.CreateMul(out, base), out);
    base = b.CreateMul(base, base);
  }
  b.CreateRet(b.CreateSelect(isNegative, reciprocal, out));
}

}  // namespace

void defineDeviceFunctions(llvm::Module& module) {
  for (const char* name : {"tessera_fmod_f32", "tessera_fmod_f64"})
    if (llvm::Function* function = module.getFunction(name); function && function->isDeclaration())
      FunctionBody(*function).remainder();
  if (llvm::Function* function = module.getFunction("tessera_ipow_s64"); function && function->isDeclaration())
    FunctionBody(*function).integerPower();
}

}  // namespace tessera::cuda
