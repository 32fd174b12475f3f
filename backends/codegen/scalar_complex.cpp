// See scalar_emitter.h: arithmetic of complex numbers.
#include "backends/codegen/scalar_emitter.h"

#include <limits>

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include "backends/codegen/kernel_function.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

using llvm::Value;

// |re + i·im|; infinite when a part is, whatever the other. f32 parts are squared in f64, which neither overflows nor
// loses small ones; f64 parts are scaled by the larger one.
Value* ScalarEmitter::magnitude(ElementType type, Val a) {
  Value *x = absolute(a.re), *y = absolute(a.im);
  Value* infinity = number(x, std::numeric_limits<double>::infinity());
  Value* infinite = b.CreateOr(b.CreateFCmpOEQ(x, infinity), b.CreateFCmpOEQ(y, infinity));
  auto root = [&](Value* v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v); };
  Value* out = nullptr;
  if (type == ElementType::C64) {
    auto* wide = like(x, b.getDoubleTy());
    Value *wx = b.CreateFPExt(x, wide), *wy = b.CreateFPExt(y, wide);
    out = b.CreateFPTrunc(root(b.CreateFAdd(b.CreateFMul(wx, wx), b.CreateFMul(wy, wy))), x->getType());
  } else {
    Value* swap = b.CreateFCmpULT(x, y);
    Value *large = b.CreateSelect(swap, y, x), *small = b.CreateSelect(swap, x, y);
    Value* ratio = b.CreateFDiv(small, large);
    out = b.CreateFMul(large, root(b.CreateFAdd(number(x, 1.0), b.CreateFMul(ratio, ratio))));
    out = b.CreateSelect(b.CreateFCmpOEQ(small, number(x, 0.0)), b.CreateFAdd(large, small), out);
  }
  return b.CreateSelect(infinite, infinity, out);
}

// A runtime function of two complex numbers, lane by lane: f64 parts in, a pair of them out, whatever the numbers'
// type.
Val ScalarEmitter::callPairs(const std::string& name, Val a, Val c) {
  auto* wide = like(a.re, b.getDoubleTy());
  auto* pair = llvm::StructType::get(b.getDoubleTy(), b.getDoubleTy());
  const std::vector<llvm::Type*> types(4, b.getDoubleTy());
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(pair, types, false));
  const std::vector<Value*> parts{b.CreateFPCast(a.re, wide), b.CreateFPCast(a.im, wide), b.CreateFPCast(c.re, wide),
                                  b.CreateFPCast(c.im, wide)};
  Value *re = nullptr, *im = nullptr;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(wide)) {
    re = im = llvm::PoisonValue::get(vector);
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      std::vector<Value*> lanes;
      for (Value* part : parts) lanes.push_back(b.CreateExtractElement(part, lane));
      Value* out = b.CreateCall(callee, lanes);
      re = b.CreateInsertElement(re, b.CreateExtractValue(out, 0), lane);
      im = b.CreateInsertElement(im, b.CreateExtractValue(out, 1), lane);
    }
  } else {
    Value* out = b.CreateCall(callee, parts);
    re = b.CreateExtractValue(out, 0), im = b.CreateExtractValue(out, 1);
  }
  return {b.CreateFPCast(re, a.re->getType()), b.CreateFPCast(im, a.re->getType())};
}

// Smith's method, scaled by the larger part of the divisor; what it leaves as NaN of zeros and infinities is mended as
// C99 does (annex G.5.1), which XLA does too.
Val ScalarEmitter::complexQuotient(Val a, Val c) {
  Value* reLarger = b.CreateFCmpOGE(absolute(c.re), absolute(c.im));
  Value* big = b.CreateSelect(reLarger, c.re, c.im);
  Value* small = b.CreateSelect(reLarger, c.im, c.re);
  Value* ratio = b.CreateFDiv(small, big);
  Value* denominator = b.CreateFAdd(big, b.CreateFMul(small, ratio));
  Value* x = b.CreateSelect(reLarger, a.re, a.im);
  Value* y = b.CreateSelect(reLarger, a.im, a.re);
  Value* re = b.CreateFDiv(b.CreateFAdd(x, b.CreateFMul(y, ratio)), denominator);
  Value* im = b.CreateFDiv(b.CreateFSub(y, b.CreateFMul(x, ratio)), denominator);
  im = b.CreateSelect(reLarger, im, b.CreateFNeg(im));

  auto* type = re->getType();
  Value* zero = llvm::ConstantFP::get(type, 0.0);
  Value* infinity = llvm::ConstantFP::getInfinity(type);
  const auto isInfinite = [&](Value* v) { return b.CreateFCmpOEQ(absolute(v), infinity); };
  const auto isFinite = [&](Value* v) { return b.CreateFCmpOLT(absolute(v), infinity); };
  const auto signedBy = [&](Value* size, Value* v) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, v);
  };
  const auto direction = [&](Value* v) {
    return signedBy(b.CreateSelect(isInfinite(v), llvm::ConstantFP::get(type, 1.0), zero), v);
  };
  const auto scaled = [&](Value* by, Val p, Val q) -> Val {
    return {b.CreateFMul(by, b.CreateFAdd(b.CreateFMul(p.re, q.re), b.CreateFMul(p.im, q.im))),
            b.CreateFMul(by, b.CreateFSub(b.CreateFMul(p.im, q.re), b.CreateFMul(p.re, q.im)))};
  };
  Value* isNan = b.CreateAnd(b.CreateFCmpUNO(re, re), b.CreateFCmpUNO(im, im));
  const auto mend = [&](Value* where, Val by) {
    where = b.CreateAnd(isNan, where);
    re = b.CreateSelect(where, by.re, re);
    im = b.CreateSelect(where, by.im, im);
  };
  Value* byZero = b.CreateAnd(b.CreateFCmpOEQ(c.re, zero), b.CreateFCmpOEQ(c.im, zero));
  Value* vast = signedBy(infinity, c.re);
  mend(b.CreateAnd(b.CreateOr(isInfinite(a.re), isInfinite(a.im)), b.CreateAnd(isFinite(c.re), isFinite(c.im))),
       scaled(infinity, {direction(a.re), direction(a.im)}, c));
  mend(b.CreateAnd(b.CreateOr(isInfinite(c.re), isInfinite(c.im)), b.CreateAnd(isFinite(a.re), isFinite(a.im))),
       scaled(zero, a, {direction(c.re), direction(c.im)}));
  mend(byZero, {b.CreateFMul(vast, a.re), b.CreateFMul(vast, a.im)});
  return {re, im};
}

Val ScalarEmitter::complexBinary(NodeOp op, ElementType type, Val a, Val c) {
  switch (op) {
    case NodeOp::Add: return {b.CreateFAdd(a.re, c.re), b.CreateFAdd(a.im, c.im)};
    case NodeOp::Subtract: return {b.CreateFSub(a.re, c.re), b.CreateFSub(a.im, c.im)};
    case NodeOp::Multiply:
      return {b.CreateFSub(b.CreateFMul(a.re, c.re), b.CreateFMul(a.im, c.im)),
              b.CreateFAdd(b.CreateFMul(a.re, c.im), b.CreateFMul(a.im, c.re))};
    case NodeOp::Divide: return complexQuotient(a, c);
    case NodeOp::Power: return callPairs(type == ElementType::C64 ? "tessera_pow_c64" : "tessera_pow_c128", a, c);
    case NodeOp::Atan2: return callPairs("tessera_atan2_c128", a, c);
    default: return {};
  }
}

}  // namespace tessera::codegen
