// See scalar_emitter.h. Here: arithmetic. Conversions between types and to memory are in scalar_conversions.cpp.
#include "backends/codegen/scalar_emitter.h"

#include <limits>

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include "backends/codegen/kernel_function.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

using llvm::Value;

llvm::Type* ScalarEmitter::like(Value* value, llvm::Type* scalar) {
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(value->getType()))
    return llvm::VectorType::get(scalar, vector->getElementCount());
  return scalar;
}

Value* ScalarEmitter::number(Value* likeValue, double value) {
  return llvm::ConstantFP::get(likeValue->getType(), value);
}
Value* ScalarEmitter::integer(Value* likeValue, uint64_t value) {
  return llvm::ConstantInt::get(likeValue->getType(), value);
}

Value* ScalarEmitter::splat(Value* value, unsigned lanes) {
  return value->getType()->isVectorTy() ? value : b.CreateVectorSplat(lanes, value);
}

// A runtime function on every lane.
Value* ScalarEmitter::callEach(const std::string& name, llvm::Type* result, std::initializer_list<Value*> arguments) {
  std::vector<Value*> args(arguments);
  std::vector<llvm::Type*> types;
  for (Value* arg : args) types.push_back(arg->getType()->getScalarType());
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (!vector) return b.CreateCall(callee, args);
  Value* out = llvm::PoisonValue::get(llvm::FixedVectorType::get(result, vector->getNumElements()));
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> lanes;
    for (Value* arg : args) lanes.push_back(b.CreateExtractElement(arg, lane));
    out = b.CreateInsertElement(out, b.CreateCall(callee, lanes), lane);
  }
  return out;
}

Value* ScalarEmitter::absolute(Value* a) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }

// The run time's function for what no instruction does; null: it has none.
Value* ScalarEmitter::callFunction(NodeOp op, ElementType type, std::initializer_list<Value*> arguments) {
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  if (!function || !function->called) return nullptr;
  const bool wide = type == ElementType::F64;
  return callEach(fmt::format("tessera_{}_{}", function->symbol, wide ? "f64" : "f32"),
                  wide ? b.getDoubleTy() : b.getFloatTy(), arguments);
}

Value* ScalarEmitter::floatUnary(NodeOp op, ElementType type, Value* a) {
  switch (op) {
    case NodeOp::Negate: return b.CreateFNeg(a);
    case NodeOp::Abs: return absolute(a);
    case NodeOp::Sign: {  // NaN and signed zeros stay
      Value* one = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(a, 1.0), a);
      return b.CreateSelect(b.CreateFCmpONE(a, number(a, 0.0)), one, a);
    }
    case NodeOp::Floor: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case NodeOp::Ceil: return b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case NodeOp::RoundNearestEven: return b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, a);
    case NodeOp::RoundNearestAfz: {  // the largest value below one half keeps 0.49999… from being rounded up
      double half = a->getType()->getScalarType()->isDoubleTy() ? 0.49999999999999994 : 0.49999997f;
      Value* bias = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(a, half), a);
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b.CreateFAdd(a, bias));
    }
    case NodeOp::Sqrt: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case NodeOp::Rsqrt: return b.CreateFDiv(number(a, 1.0), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a));
    default: return callFunction(op, type, {a});
  }
}

Value* ScalarEmitter::integerUnary(NodeOp op, ElementType type, Value* a) {
  int bits = info(type).bits;
  auto* width = a->getType();
  auto unsignedBits = [&](Value* v) {  // the type's own bits, zero-extended in its register
    return bits < 8 ? b.CreateAnd(v, integer(v, (1u << bits) - 1)) : v;
  };
  switch (op) {
    case NodeOp::Negate: return b.CreateNeg(a);
    case NodeOp::Not: return b.CreateNot(a);
    case NodeOp::Abs: return isSigned(type) ? b.CreateSelect(b.CreateICmpSLT(a, integer(a, 0)), b.CreateNeg(a), a) : a;
    case NodeOp::Sign: {
      Value* nonZero = b.CreateZExt(b.CreateICmpNE(a, integer(a, 0)), width);
      if (!isSigned(type)) return nonZero;
      return b.CreateSelect(b.CreateICmpSLT(a, integer(a, 0)), integer(a, ~uint64_t{0}), nonZero);
    }
    case NodeOp::PopulationCount: return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, unsignedBits(a));
    case NodeOp::CountLeadingZeros: {
      Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {width}, {unsignedBits(a), b.getInt1(false)});
      return bits < 8 ? b.CreateSub(zeros, integer(a, static_cast<uint64_t>(8 - bits))) : zeros;
    }
    default: return nullptr;
  }
}

Val ScalarEmitter::unary(NodeOp op, ElementType resultType, ElementType type, Val a) {
  if (op == NodeOp::Real) return {a.re};
  if (op == NodeOp::Imag) return {a.im ? a.im : number(a.re, 0.0)};
  if (isComplex(type)) {
    if (op == NodeOp::Negate) return {b.CreateFNeg(a.re), b.CreateFNeg(a.im)};
    return op == NodeOp::Abs ? Val{magnitude(type, a)} : Val{};
  }
  if (op == NodeOp::IsFinite)
    return {b.CreateFCmpOLT(absolute(a.re), number(a.re, std::numeric_limits<double>::infinity()))};
  if (type == ElementType::Pred) return op == NodeOp::Not ? Val{b.CreateNot(a.re)} : Val{};
  if (isFloat(type)) {
    Value* out = floatUnary(op, type, a.re);
    return out ? Val{roundTo(resultType, out)} : Val{};
  }
  Value* out = integerUnary(op, type, a.re);
  return out ? Val{wrap(type, out)} : Val{};
}

// |a| - trunc(|a| / |c|) * |c|, exact in one fma while the quotient fits the mantissa: rounded it is one too large at
// most, and what is left then is negative. Lanes beside a larger quotient, a zero, an infinity or a NaN take the C
// library's way.
Value* ScalarEmitter::floatRemainder(ElementType type, Value* a, Value* c) {
  bool wide = type == ElementType::F64;
  Value *x = absolute(a), *y = absolute(c);
  Value* quotient = b.CreateFDiv(x, y);
  Value* whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  Value* left = b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {b.CreateFNeg(whole), y, x});
  left = b.CreateSelect(b.CreateFCmpOLT(left, number(x, 0.0)), b.CreateFAdd(left, y), left);
  left = b.CreateSelect(b.CreateFCmpOLT(x, y), x, left);  // an infinite y has no multiple
  left = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, left, a);

  Value* isLong = b.CreateFCmpUGE(quotient, number(x, wide ? 0x1p53 : 0x1p24));
  if (isLong->getType()->isVectorTy()) isLong = b.CreateOrReduce(isLong);
  auto* before = b.GetInsertBlock();
  llvm::BasicBlock* end = nullptr;
  Value* called = nullptr;
  emitIf(b, isLong, [&] {
    called = callFunction(NodeOp::Remainder, type, {a, c});
    end = b.GetInsertBlock();
  });
  return joinPaths(b, called, end, left, before);
}

Value* ScalarEmitter::floatBinary(NodeOp op, ElementType type, Value* a, Value* c) {
  switch (op) {
    case NodeOp::Add: return b.CreateFAdd(a, c);
    case NodeOp::Subtract: return b.CreateFSub(a, c);
    case NodeOp::Multiply: return b.CreateFMul(a, c);
    case NodeOp::Divide: return b.CreateFDiv(a, c);
    case NodeOp::Remainder: return floatRemainder(type, a, c);
    case NodeOp::Maximum: return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, a, c);  // NaN wins, -0 < 0
    case NodeOp::Minimum: return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, a, c);
    default: return callFunction(op, type, {a, c});
  }
}

// x / 0 = -1 (all ones), x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0: the divisor is replaced before dividing.
Value* ScalarEmitter::integerDivide(NodeOp op, bool isSignedType, Value* a, Value* c) {
  Value* one = integer(a, 1);
  Value* ones = integer(a, ~uint64_t{0});
  Value* byZero = b.CreateICmpEQ(c, integer(c, 0));
  Value* divisor = b.CreateSelect(byZero, one, c);
  Value* byMinusOne = isSignedType ? b.CreateICmpEQ(c, ones) : nullptr;
  if (byMinusOne) divisor = b.CreateSelect(byMinusOne, one, divisor);
  if (op == NodeOp::Divide) {
    Value* q = isSignedType ? b.CreateSDiv(a, divisor) : b.CreateUDiv(a, divisor);
    if (byMinusOne) q = b.CreateSelect(byMinusOne, b.CreateNeg(a), q);
    return b.CreateSelect(byZero, ones, q);
  }
  Value* r = isSignedType ? b.CreateSRem(a, divisor) : b.CreateURem(a, divisor);
  return b.CreateSelect(byZero, a, r);
}

Value* ScalarEmitter::shift(NodeOp op, ElementType type, Value* a, Value* c) {
  int bits = info(type).bits;
  Value* amount = c;
  if (bits < 8) {
    uint64_t mask = (1u << bits) - 1;
    amount = b.CreateAnd(c, integer(c, mask));
    if (op == NodeOp::ShiftRightLogical) a = b.CreateAnd(a, integer(a, mask));
    if (op == NodeOp::ShiftRightArithmetic && !isSigned(type)) {  // sign is the type's own top bit
      Value* up = integer(a, static_cast<uint64_t>(8 - bits));
      a = b.CreateAShr(b.CreateShl(a, up), up);
    }
  }
  Value* inside = b.CreateICmpULT(amount, integer(amount, static_cast<uint64_t>(bits)));
  Value* last = integer(amount, static_cast<uint64_t>(bits - 1));
  Value* safe = b.CreateSelect(inside, amount, last);
  if (op == NodeOp::ShiftRightArithmetic) return b.CreateAShr(a, safe);
  Value* shifted = op == NodeOp::ShiftLeft ? b.CreateShl(a, safe) : b.CreateLShr(a, safe);
  return b.CreateSelect(inside, shifted, integer(a, 0));
}

Value* ScalarEmitter::integerBinary(NodeOp op, ElementType type, Value* a, Value* c) {
  bool isSignedType = isSigned(type);
  switch (op) {
    case NodeOp::Add: return b.CreateAdd(a, c);
    case NodeOp::Subtract: return b.CreateSub(a, c);
    case NodeOp::Multiply: return b.CreateMul(a, c);
    case NodeOp::Divide:
    case NodeOp::Remainder: return integerDivide(op, isSignedType, a, c);
    case NodeOp::Maximum: return b.CreateSelect(isSignedType ? b.CreateICmpSGT(a, c) : b.CreateICmpUGT(a, c), a, c);
    case NodeOp::Minimum: return b.CreateSelect(isSignedType ? b.CreateICmpSLT(a, c) : b.CreateICmpULT(a, c), a, c);
    case NodeOp::And: return b.CreateAnd(a, c);
    case NodeOp::Or: return b.CreateOr(a, c);
    case NodeOp::Xor: return b.CreateXor(a, c);
    case NodeOp::ShiftLeft:
    case NodeOp::ShiftRightArithmetic:
    case NodeOp::ShiftRightLogical: return shift(op, type, a, c);
    case NodeOp::MulHi: {
      unsigned bits = static_cast<unsigned>(info(type).bits);
      if (bits < 8) return b.CreateAShr(b.CreateMul(a, c), bits);  // the whole product fits a byte; the caller wraps
      auto* wide = like(a, b.getIntNTy(2 * bits));
      Value* wideA = isSignedType ? b.CreateSExt(a, wide) : b.CreateZExt(a, wide);
      Value* wideC = isSignedType ? b.CreateSExt(c, wide) : b.CreateZExt(c, wide);
      return b.CreateTrunc(b.CreateLShr(b.CreateMul(wideA, wideC), bits), a->getType());
    }
    case NodeOp::Power: {
      auto* i64 = like(a, b.getInt64Ty());
      Value* out = callEach("tessera_ipow_s64", b.getInt64Ty(), {b.CreateSExt(a, i64), b.CreateSExt(c, i64)});
      return b.CreateTrunc(out, a->getType());
    }
    default: return nullptr;
  }
}

Val ScalarEmitter::binary(NodeOp op, ElementType type, Val a, Val c) {
  if (isComplex(type)) return complexBinary(op, type, a, c);
  if (type == ElementType::Pred) {
    switch (op) {
      case NodeOp::And:
      case NodeOp::Multiply:
      case NodeOp::Minimum: return {b.CreateAnd(a.re, c.re)};
      case NodeOp::Or:
      case NodeOp::Add:
      case NodeOp::Maximum: return {b.CreateOr(a.re, c.re)};
      case NodeOp::Xor: return {b.CreateXor(a.re, c.re)};
      default: return {};
    }
  }
  if (isFloat(type)) {
    Value* out = floatBinary(op, type, a.re, c.re);
    return out ? Val{roundTo(type, out)} : Val{};
  }
  Value* out = integerBinary(op, type, a.re, c.re);
  return out ? Val{wrap(type, out)} : Val{};
}

Val ScalarEmitter::compare(CompareDirection direction, bool totalOrder, ElementType type, Val a, Val c) {
  using D = CompareDirection;
  if (isComplex(type)) {
    Value* equal = b.CreateAnd(b.CreateFCmpOEQ(a.re, c.re), b.CreateFCmpOEQ(a.im, c.im));
    if (direction == D::Eq) return {equal};
    return direction == D::Ne ? Val{b.CreateNot(equal)} : Val{};
  }
  Value* x = a.re;
  Value* y = c.re;
  bool asSigned = isSigned(type);
  if (isFloat(type) && !totalOrder) {
    switch (direction) {
      case D::Eq: return {b.CreateFCmpOEQ(x, y)};
      case D::Ne: return {b.CreateFCmpUNE(x, y)};
      case D::Ge: return {b.CreateFCmpOGE(x, y)};
      case D::Gt: return {b.CreateFCmpOGT(x, y)};
      case D::Le: return {b.CreateFCmpOLE(x, y)};
      case D::Lt: return {b.CreateFCmpOLT(x, y)};
    }
  }
  if (isFloat(type)) {  // total order: magnitude bits flipped for negative numbers compare as signed integers
    unsigned bits = type == ElementType::F64 ? 64 : 32;
    auto ordered = [&](Value* v) {
      Value* i = b.CreateBitCast(v, like(v, b.getIntNTy(bits)));
      Value* sign = b.CreateAShr(i, integer(i, bits - 1));
      return b.CreateXor(i, b.CreateLShr(sign, integer(i, 1)));
    };
    x = ordered(x);
    y = ordered(y);
    asSigned = true;
  }
  switch (direction) {
    case D::Eq: return {b.CreateICmpEQ(x, y)};
    case D::Ne: return {b.CreateICmpNE(x, y)};
    case D::Ge: return {asSigned ? b.CreateICmpSGE(x, y) : b.CreateICmpUGE(x, y)};
    case D::Gt: return {asSigned ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y)};
    case D::Le: return {asSigned ? b.CreateICmpSLE(x, y) : b.CreateICmpULE(x, y)};
    case D::Lt: return {asSigned ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y)};
  }
  return {};
}

Val ScalarEmitter::select(Val condition, Val whenTrue, Val whenFalse) {
  return {b.CreateSelect(condition.re, whenTrue.re, whenFalse.re),
          whenTrue.im ? b.CreateSelect(condition.re, whenTrue.im, whenFalse.im) : nullptr};
}

Val ScalarEmitter::fma(ElementType type, Val a, Val c, Val d) {
  if (!isFloat(type)) return {};
  return {roundTo(type, b.CreateIntrinsic(llvm::Intrinsic::fma, {a.re->getType()}, {a.re, c.re, d.re}))};
}

// Halves are joined until one lane is left; the order depends on the lane count alone.
Val ScalarEmitter::joinLanes(NodeOp op, ElementType type, Val lanes, unsigned count) {
  llvm::Value* v = lanes.re;
  for (unsigned width = count / 2; width > 0; width /= 2) {
    std::vector<int> low, high;
    for (int i = 0; i < static_cast<int>(width); ++i) {
      low.push_back(i);
      high.push_back(i + static_cast<int>(width));
    }
    v = binary(op, type, {b.CreateShuffleVector(v, low)}, {b.CreateShuffleVector(v, high)}).re;
  }
  return {b.CreateExtractElement(v, uint64_t{0})};
}

Val ScalarEmitter::arithmetic(const Node& node, ElementType from, Val a, Val c) {
  switch (node.op) {
    case NodeOp::Convert: return convert(node.type, from, a);
    case NodeOp::BitcastConvert: return bitcast(node.type, from, a);
    case NodeOp::ReducePrecision:
      return reducePrecision(node.type, static_cast<int>(node.bits0), static_cast<int>(node.bits1), a);
    case NodeOp::MakeComplex: return {a.re, c.re};
    case NodeOp::Compare: return compare(static_cast<CompareDirection>(node.bits0), node.bits1 == 1, from, a, c);
    default: return node.inputCount == 1 ? unary(node.op, node.type, from, a) : binary(node.op, node.type, a, c);
  }
}

}  // namespace tessera::codegen
