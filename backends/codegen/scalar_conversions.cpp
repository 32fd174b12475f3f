// Conversions of ScalarEmitter: constants, registers <-> memory, HLO convert, bitcast-convert, reduce-precision and the
// rounding of narrow floats. f64 reaches a narrow float through f32 rounded to odd, so that it rounds once.
#include <bit>
#include <cmath>
#include <limits>

#include <llvm/IR/Intrinsics.h>

#include "backends/codegen/scalar_emitter.h"
#include "core/element/scalar_functions.h"
#include "core/hlo/numbers.h"

namespace tessera::codegen {

using llvm::Value;
using E = ElementType;

llvm::Type* ScalarEmitter::registerType(E type) {
  switch (type) {
    case E::Pred: return b.getInt1Ty();
    case E::F64:
    case E::C128: return b.getDoubleTy();
    case E::C64: return b.getFloatTy();
    default: break;
  }
  if (isFloat(type)) return b.getFloatTy();
  return b.getIntNTy(static_cast<unsigned>(byteWidth(type)) * 8);
}

llvm::Type* ScalarEmitter::memoryType(E type) {
  if (isNarrowFloat(type)) return b.getIntNTy(static_cast<unsigned>(byteWidth(type)) * 8);
  return type == E::Pred ? b.getInt8Ty() : registerType(type);
}

Val ScalarEmitter::constant(E type, uint64_t bits0, uint64_t bits1) {
  auto f32 = [&](uint64_t bits) {
    return llvm::ConstantFP::get(b.getContext(),
                                 llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xffffffffu)));
  };
  auto f64 = [&](uint64_t bits) {
    return llvm::ConstantFP::get(b.getContext(), llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  };
  switch (type) {
    case E::Pred: return {b.getInt1((bits0 & 0xff) != 0)};
    case E::F32: return {f32(bits0)};
    case E::F64: return {f64(bits0)};
    case E::C64: return {f32(bits0), f32(bits0 >> 32)};
    case E::C128: return {f64(bits0), f64(bits1)};
    default: break;
  }
  if (isFloat(type)) {
    auto value = static_cast<float>(smallFloatToDouble(type, static_cast<uint32_t>(bits0)));
    return {f32(std::bit_cast<uint32_t>(value))};
  }
  unsigned width = static_cast<unsigned>(byteWidth(type)) * 8;
  return {llvm::ConstantInt::get(b.getContext(), llvm::APInt(64, bits0).trunc(width))};
}

// Narrow floats are f32 in registers, and so is what starts their accumulators.
Val ScalarEmitter::neutral(NodeOp op, E type) {
  const E held = isFloat(type) && type != E::F64 ? E::F32 : type;
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  const auto bits = function ? neutralElement(*function, held) : std::nullopt;
  return bits ? constant(held, bits->low, bits->high) : Val{};
}

// Sub-byte integers wrap to their width after each node.
Value* ScalarEmitter::wrap(E type, Value* value) {
  int bits = info(type).bits;
  if (bits >= 8) return value;
  Value* up = integer(value, static_cast<uint64_t>(8 - bits));
  Value* high = b.CreateShl(value, up);
  return isSigned(type) ? b.CreateAShr(high, up) : b.CreateLShr(high, up);
}

// f64 -> f32 rounded to odd: truncated, with the last bit set when inexact.
Value* ScalarEmitter::roundToOdd(Value* wide) {
  auto* f32 = like(wide, b.getFloatTy());
  auto* i32 = like(wide, b.getInt32Ty());
  Value* near = b.CreateFPTrunc(wide, f32);
  Value* back = b.CreateFPExt(near, wide->getType());
  Value* bits = b.CreateBitCast(near, i32);
  Value* tooBig = b.CreateFCmpOGT(absolute(back), absolute(wide));
  Value* down = b.CreateSub(bits, b.CreateZExt(tooBig, i32));
  Value* inexact = b.CreateFCmpONE(back, wide);
  Value* odd = b.CreateOr(down, b.CreateZExt(inexact, i32));
  return b.CreateBitCast(odd, f32);
}

namespace {

// What the code of a float of at most 8 bits with a sign is made of, read off its conversions.
struct CodeRules {
  uint32_t mantissa = 0, sign = 0, largest = 0;  // bits of the fraction, the sign, the largest finite code
  int leastExponent = 0;                         // of the code 1
};

CodeRules codeRulesOf(E type) {
  CodeRules out;
  out.sign = 1u << (info(type).bits - 1);
  const double least = smallFloatToDouble(type, 1);
  out.leastExponent = std::ilogb(least);
  // Codes are multiples of the least number up to the second binade with all fraction bits.
  while (2u << out.mantissa < out.sign && smallFloatToDouble(type, 2u << out.mantissa) == least * (2u << out.mantissa))
    ++out.mantissa;
  --out.mantissa;
  for (out.largest = out.sign - 1; !std::isfinite(smallFloatToDouble(type, out.largest));) --out.largest;
  return out;
}

}  // namespace

// In lanes, from f32: a normal result by rounding the bits, a subnormal one by adding a number whose last place is the
// least code.
Value* ScalarEmitter::toCode(E type, Value* f) {
  const CodeRules rules = codeRulesOf(type);
  auto *i32 = like(f, b.getInt32Ty()), *f32 = f->getType();
  auto word = [&](uint64_t value) { return llvm::ConstantInt::get(i32, value); };
  auto special = [&](double positive, Value* negative) {
    return b.CreateSelect(negative, word(doubleToSmallFloat(type, -positive)),
                          word(doubleToSmallFloat(type, positive)));
  };
  Value* bits = b.CreateBitCast(f, i32);
  Value* size = b.CreateAnd(bits, word(0x7fffffff));
  Value* negative = b.CreateICmpNE(size, bits);
  const uint32_t drop = 23 - rules.mantissa;
  const auto leastNormal = static_cast<uint32_t>(rules.leastExponent + static_cast<int>(rules.mantissa) + 127) << 23;
  Value* tie = b.CreateAnd(b.CreateLShr(size, word(drop)), word(1));
  Value* rounded = b.CreateAdd(b.CreateAdd(size, tie), word((1u << (drop - 1)) - 1));
  Value* normal = b.CreateSub(b.CreateLShr(rounded, word(drop)), word((leastNormal >> drop) - (1u << rules.mantissa)));
  Value* aligner = word(static_cast<uint32_t>(rules.leastExponent + 23 + 127) << 23);
  Value* sum = b.CreateFAdd(b.CreateBitCast(size, f32), b.CreateBitCast(aligner, f32));
  Value* subnormal = b.CreateSub(b.CreateBitCast(sum, i32), aligner);
  Value* code = b.CreateSelect(b.CreateICmpULT(size, word(leastNormal)), subnormal, normal);
  Value* minus = b.CreateSelect(b.CreateICmpEQ(code, word(0)), word(doubleToSmallFloat(type, -0.0)),
                                b.CreateOr(code, word(rules.sign)));
  Value* finite = b.CreateSelect(negative, minus, code);
  Value* out = b.CreateSelect(b.CreateICmpUGT(code, word(rules.largest)),
                              special(std::numeric_limits<double>::infinity(), negative), finite);
  out = b.CreateSelect(b.CreateICmpUGT(size, word(0x7f800000)),
                       special(std::numeric_limits<double>::quiet_NaN(), negative), out);
  return b.CreateTrunc(out, like(out, b.getInt8Ty()));
}

// The bits of a narrow float from a register that may hold any f32 (or f64, for types under 16 bits).
Value* ScalarEmitter::toBits(E type, Value* value) {
  bool wide = value->getType()->getScalarType()->isDoubleTy();
  if (type == E::F8E8M0FNU) {
    Value* f64 = wide ? value : b.CreateFPExt(value, like(value, b.getDoubleTy()));
    Value* bits = callEach("tessera_encode_F8E8M0FNU", b.getInt32Ty(), {f64});
    return b.CreateTrunc(bits, like(bits, b.getInt8Ty()));
  }
  Value* f = wide ? roundToOdd(value) : value;
  if (type != E::F16 && type != E::BF16) return toCode(type, f);
  if (type == E::F16) {
    Value* half = b.CreateFPTrunc(f, like(f, b.getHalfTy()));
    return b.CreateBitCast(half, like(f, b.getInt16Ty()));
  }
  Value* bits = b.CreateBitCast(f, like(f, b.getInt32Ty()));
  Value* lsb = b.CreateAnd(b.CreateLShr(bits, integer(bits, 16)), integer(bits, 1));
  Value* rounded = b.CreateAdd(bits, b.CreateAdd(lsb, integer(bits, 0x7fff)));
  Value* quiet = b.CreateOr(bits, integer(bits, 0x400000));
  Value* out = b.CreateSelect(b.CreateFCmpUNO(f, f), quiet, rounded);
  return b.CreateTrunc(b.CreateLShr(out, integer(out, 16)), like(f, b.getInt16Ty()));
}

Value* ScalarEmitter::fromBits(E type, Value* bits) {
  auto* f32 = like(bits, b.getFloatTy());
  if (type == E::F16) return b.CreateFPExt(b.CreateBitCast(bits, like(bits, b.getHalfTy())), f32);
  if (type == E::BF16) {
    Value* wide = b.CreateZExt(bits, like(bits, b.getInt32Ty()));
    return b.CreateBitCast(b.CreateShl(wide, integer(wide, 16)), f32);
  }
  std::string name = "tessera_table_" + std::string(nameOf(type));
  auto* table = module_.getGlobalVariable(name, true);
  if (!table) {
    std::vector<float> values(256);
    for (uint32_t i = 0; i < 256; ++i)
      values[i] = static_cast<float>(smallFloatToDouble(type, i & ((1u << info(type).bits) - 1)));
    auto* data = llvm::ConstantDataArray::get(b.getContext(), values);
    table = new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
  }
  Value* index = b.CreateZExt(bits, like(bits, b.getInt64Ty()));
  Value* at = b.CreateGEP(b.getFloatTy(), table, index);
  if (bits->getType()->isVectorTy()) return b.CreateMaskedGather(f32, at, llvm::Align(4));
  return b.CreateAlignedLoad(b.getFloatTy(), at, llvm::Align(4));
}

Value* ScalarEmitter::roundTo(E type, Value* value) {
  return isNarrowFloat(type) ? fromBits(type, toBits(type, value)) : value;
}

Val ScalarEmitter::fromMemory(E type, Val raw) {
  if (type == E::Pred) return {b.CreateICmpNE(raw.re, integer(raw.re, 0))};
  return isNarrowFloat(type) ? Val{fromBits(type, raw.re)} : raw;
}

Val ScalarEmitter::toMemory(E type, Val value) {
  if (type == E::Pred) return {b.CreateZExt(value.re, like(value.re, b.getInt8Ty()))};
  return isNarrowFloat(type) ? Val{toBits(type, value.re)} : value;
}

Val ScalarEmitter::convert(E to, E from, Val a) {
  if (to == from) return a;
  if (isComplex(to)) {
    Value* re = convert(partOf(to), partOf(from), {a.re}).re;
    return {re, isComplex(from) ? convert(partOf(to), partOf(from), {a.im}).re : number(re, 0.0)};
  }
  if (isComplex(from)) return convert(to, partOf(from), {a.re});
  Value* v = a.re;
  if (to == E::Pred) return {isFloat(from) ? b.CreateFCmpUNE(v, number(v, 0.0)) : b.CreateICmpNE(v, integer(v, 0))};
  auto* target = like(v, registerType(to));
  bool fromSigned = isSigned(from);
  if (isFloat(to)) {
    if (isFloat(from)) {
      if (isNarrowFloat(to)) return {roundTo(to, v)};
      if (v->getType() == target) return a;
      return {to == E::F64 ? b.CreateFPExt(v, target) : b.CreateFPTrunc(v, target)};
    }
    bool viaDouble = isNarrowFloat(to) && info(from).bits >= 32;
    auto* first = viaDouble ? like(v, b.getDoubleTy()) : target;
    return {roundTo(to, fromSigned ? b.CreateSIToFP(v, first) : b.CreateUIToFP(v, first))};
  }
  if (isFloat(from)) {
    unsigned bits = static_cast<unsigned>(info(to).bits);
    auto* exact = like(v, b.getIntNTy(bits));
    Value* i = saturated(exact, bits, isSigned(to), v);
    return {isSigned(to) ? b.CreateSExt(i, target) : b.CreateZExt(i, target)};
  }
  return {wrap(to, fromSigned ? b.CreateSExtOrTrunc(v, target) : b.CreateZExtOrTrunc(v, target))};
}

// Towards zero; what is too large becomes the nearest integer, NaN zero. LLVM's own intrinsic for it takes lanes apart.
Value* ScalarEmitter::saturated(llvm::Type* type, unsigned bits, bool isSignedType, Value* v) {
  const double end = std::ldexp(1.0, static_cast<int>(isSignedType ? bits - 1 : bits));
  Value *low = number(v, isSignedType ? -end : 0), *high = number(v, end);
  Value *isBelow = b.CreateFCmpOLT(v, low), *isAbove = b.CreateFCmpOGE(v, high), *isNan = b.CreateFCmpUNO(v, v);
  Value* inside = b.CreateSelect(b.CreateOr(b.CreateOr(isBelow, isAbove), isNan), number(v, 0), v);
  Value* i = isSignedType ? b.CreateFPToSI(inside, type) : b.CreateFPToUI(inside, type);
  auto least = isSignedType ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  auto most = isSignedType ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  i = b.CreateSelect(isBelow, llvm::ConstantInt::get(type, least), i);
  return b.CreateSelect(isAbove, llvm::ConstantInt::get(type, most), i);
}

Val ScalarEmitter::bitcast(E to, E from, Val a) {
  if (isComplex(to) || isComplex(from)) return to == from ? a : Val{};
  if (info(to).bits != info(from).bits) return {};
  Value* raw = toMemory(from, a).re;
  auto* bits = like(raw, memoryType(to));
  if (raw->getType() != bits) raw = b.CreateBitCast(raw, bits);
  return fromMemory(to, {isInteger(to) ? wrap(to, raw) : raw});
}

Val ScalarEmitter::reducePrecision(E type, int exponentBits, int mantissaBits, Val a) {
  if (!isFloat(type)) return {};
  bool wide = type == E::F64;
  unsigned width = wide ? 64 : 32, mantissa = wide ? 52 : 23, exponent = wide ? 11 : 8;
  auto* i = like(a.re, b.getIntNTy(width));
  Value* bits = b.CreateBitCast(a.re, i);
  uint64_t signMask = uint64_t{1} << (width - 1);
  if (mantissaBits < static_cast<int>(mantissa)) {
    unsigned drop = mantissa - static_cast<unsigned>(mantissaBits);
    Value* lsb = b.CreateAnd(b.CreateLShr(bits, integer(bits, drop)), integer(bits, 1));
    Value* bias = b.CreateAdd(lsb, integer(bits, (uint64_t{1} << (drop - 1)) - 1));
    bits = b.CreateAnd(b.CreateAdd(bits, bias), integer(bits, ~((uint64_t{1} << drop) - 1)));
  }
  if (exponentBits < static_cast<int>(exponent)) {
    uint64_t exponentMask = ((uint64_t{1} << exponent) - 1) << mantissa;
    uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1, reducedBias = (uint64_t{1} << (exponentBits - 1)) - 1;
    Value* e = b.CreateAnd(bits, integer(bits, exponentMask));
    Value* sign = b.CreateAnd(bits, integer(bits, signMask));
    Value* over = b.CreateICmpUGT(e, integer(bits, (bias + reducedBias) << mantissa));
    Value* under = b.CreateICmpULE(e, integer(bits, (bias - reducedBias) << mantissa));
    bits = b.CreateSelect(over, b.CreateOr(sign, integer(bits, exponentMask)), bits);
    bits = b.CreateSelect(under, sign, bits);
  }
  Value* out = b.CreateBitCast(bits, a.re->getType());
  return {roundTo(type, b.CreateSelect(b.CreateFCmpUNO(a.re, a.re), a.re, out))};
}

}  // namespace tessera::codegen
