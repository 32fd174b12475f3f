// Numbers of every element type: conversion between an element's stored bytes and C++ values, as HLO's convert does
// it, and visitNative, which hands a C++ type to a generic lambda so that loops over literals need no type switch.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/hlo/element_type.h"

namespace tessera {

// Round-to-nearest-even conversions of small floats (f16, bf16, f8 …, f6 …, f4) given by type.
double smallFloatToDouble(ElementType type, uint32_t bits);
uint32_t doubleToSmallFloat(ElementType type, double value);

// One element at `data` as double (complex: real part), int64 bits (integers and pred) or complex.
double loadDouble(ElementType type, const void* data);
int64_t loadInt(ElementType type, const void* data);  // u64 as its bits; floats truncated with saturation
std::complex<double> loadComplex(ElementType type, const void* data);
void storeDouble(ElementType type, void* data, double value);  // HLO convert from f64
void storeInt(ElementType type, void* data, int64_t value);    // HLO convert from s64 (wraps for integers)
void storeComplex(ElementType type, void* data, std::complex<double> value);

// A float narrower than 32 bits as a C++ value type: stores bits, converts through double.
template <ElementType kType, class Bits>
struct SmallFloat {
  Bits bits;
  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(static_cast<Bits>(doubleToSmallFloat(kType, value))) {}
  explicit operator double() const { return smallFloatToDouble(kType, bits); }
};

// A narrow integer kept in one byte with wrap-around to its width.
template <ElementType kType>
struct SmallInt {
  int8_t value;  // sign- or zero-extended
  SmallInt() = default;
  explicit SmallInt(int64_t v) { storeInt(kType, &value, v); }
  explicit operator int64_t() const { return loadInt(kType, &value); }
};

template <class T>
struct TypeTag {
  using Type = T;
};

// Calls fn(TypeTag<Native>{}) for an array element type: bool (pred), int8_t … uint64_t, SmallInt, SmallFloat, float,
// double, std::complex<float>, std::complex<double>. sizeof(Native) == byteWidth(type).
template <class Fn>
decltype(auto) visitNative(ElementType type, Fn&& fn) {
  using E = ElementType;
  switch (type) {
    case E::Pred: return fn(TypeTag<bool>{});
    case E::S1: return fn(TypeTag<SmallInt<E::S1>>{});
    case E::S2: return fn(TypeTag<SmallInt<E::S2>>{});
    case E::S4: return fn(TypeTag<SmallInt<E::S4>>{});
    case E::U1: return fn(TypeTag<SmallInt<E::U1>>{});
    case E::U2: return fn(TypeTag<SmallInt<E::U2>>{});
    case E::U4: return fn(TypeTag<SmallInt<E::U4>>{});
    case E::S8: return fn(TypeTag<int8_t>{});
    case E::S16: return fn(TypeTag<int16_t>{});
    case E::S32: return fn(TypeTag<int32_t>{});
    case E::S64: return fn(TypeTag<int64_t>{});
    case E::U8: return fn(TypeTag<uint8_t>{});
    case E::U16: return fn(TypeTag<uint16_t>{});
    case E::U32: return fn(TypeTag<uint32_t>{});
    case E::U64: return fn(TypeTag<uint64_t>{});
    case E::F16: return fn(TypeTag<SmallFloat<E::F16, uint16_t>>{});
    case E::BF16: return fn(TypeTag<SmallFloat<E::BF16, uint16_t>>{});
    case E::F8E5M2: return fn(TypeTag<SmallFloat<E::F8E5M2, uint8_t>>{});
    case E::F8E4M3: return fn(TypeTag<SmallFloat<E::F8E4M3, uint8_t>>{});
    case E::F8E4M3FN: return fn(TypeTag<SmallFloat<E::F8E4M3FN, uint8_t>>{});
    case E::F8E4M3B11FNUZ: return fn(TypeTag<SmallFloat<E::F8E4M3B11FNUZ, uint8_t>>{});
    case E::F8E3M4: return fn(TypeTag<SmallFloat<E::F8E3M4, uint8_t>>{});
    case E::F8E5M2FNUZ: return fn(TypeTag<SmallFloat<E::F8E5M2FNUZ, uint8_t>>{});
    case E::F8E4M3FNUZ: return fn(TypeTag<SmallFloat<E::F8E4M3FNUZ, uint8_t>>{});
    case E::F8E8M0FNU: return fn(TypeTag<SmallFloat<E::F8E8M0FNU, uint8_t>>{});
    case E::F6E3M2FN: return fn(TypeTag<SmallFloat<E::F6E3M2FN, uint8_t>>{});
    case E::F6E2M3FN: return fn(TypeTag<SmallFloat<E::F6E2M3FN, uint8_t>>{});
    case E::F4E2M1FN: return fn(TypeTag<SmallFloat<E::F4E2M1FN, uint8_t>>{});
    case E::F32: return fn(TypeTag<float>{});
    case E::F64: return fn(TypeTag<double>{});
    case E::C64: return fn(TypeTag<std::complex<float>>{});
    case E::C128: return fn(TypeTag<std::complex<double>>{});
    default: break;
  }
  __builtin_unreachable();
}

}  // namespace tessera
