// Handlers of instructions that compute each lane by itself: an operation on values, for the types that have it. Used
// by all families of instructions.
#pragma once

#include "backends/cuda/simulated/decode/decoder.h"
#include "backends/cuda/simulated/machine/warp.h"

namespace tessera::cuda::simulated {

inline void setPredicate(LaneMask& d, LaneMask value, LaneMask active) { d = (d & ~active) | (value & active); }

// d = op(a), d = op(a, b), d = op(a, b, c): D is the result's type, A, B and C those of the operands.
template <auto kOp, class D, class A>
void mapLanes1(Warp& warp, const Instruction& i, LaneMask active) {
  SlotOf<D>* d = warp.row<D>(i.d);
  const SlotOf<A>* a = warp.row<A>(i.a);
  forLanes(active, [&](int lane) { d[lane] = toSlot(static_cast<D>(kOp(fromSlot<A>(a[lane])))); });
}

template <auto kOp, class D, class A, class B>
void mapLanes2(Warp& warp, const Instruction& i, LaneMask active) {
  SlotOf<D>* d = warp.row<D>(i.d);
  const SlotOf<A>* a = warp.row<A>(i.a);
  const SlotOf<B>* b = warp.row<B>(i.b);
  forLanes(active,
           [&](int lane) { d[lane] = toSlot(static_cast<D>(kOp(fromSlot<A>(a[lane]), fromSlot<B>(b[lane])))); });
}

template <auto kOp, class D, class A, class B, class C>
void mapLanes3(Warp& warp, const Instruction& i, LaneMask active) {
  SlotOf<D>* d = warp.row<D>(i.d);
  const SlotOf<A>* a = warp.row<A>(i.a);
  const SlotOf<B>* b = warp.row<B>(i.b);
  const SlotOf<C>* c = warp.row<C>(i.c);
  forLanes(active, [&](int lane) {
    d[lane] = toSlot(static_cast<D>(kOp(fromSlot<A>(a[lane]), fromSlot<B>(b[lane]), fromSlot<C>(c[lane]))));
  });
}

// Calls fn with a value of the C++ type of an integer type (bits are unsigned); false: it is none of
// these.
template <class Fn>
bool withInteger(Type type, Fn&& fn) {
  switch (type) {
    case Type::U8:
    case Type::B8: return fn(uint8_t{}), true;
    case Type::U16:
    case Type::B16: return fn(uint16_t{}), true;
    case Type::U32:
    case Type::B32: return fn(uint32_t{}), true;
    case Type::U64:
    case Type::B64: return fn(uint64_t{}), true;
    case Type::S8: return fn(int8_t{}), true;
    case Type::S16: return fn(int16_t{}), true;
    case Type::S32: return fn(int32_t{}), true;
    case Type::S64: return fn(int64_t{}), true;
    default: return false;
  }
}

// Instructions whose operands all have the result's type: the operands are decoded and `handler` is emitted.
inline Instruction& emitPlain(Decoder& decoder, Type type, Handler handler) {
  const size_t operands = decoder.operands();
  if (!handler)
    decoder.failUnknown("the type ." + std::string(nameOf(type)) + " of " + std::string(decoder.statement().opcode));
  const uint32_t a = decoder.source(1, type);
  const uint32_t b = operands > 2 ? decoder.source(2, type) : 0;
  const uint32_t c = operands > 3 ? decoder.source(3, type) : 0;
  const uint32_t d = decoder.destination(0, type);
  Instruction& instruction = decoder.emit(handler);
  instruction.d = d;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  return instruction;
}

// Says that an instruction has so many operands.
inline bool expectOperands(Decoder& decoder, size_t least, size_t most) {
  const size_t found = decoder.operands();
  if (found >= least && found <= most) return true;
  decoder.fail("the instruction has another number of operands",
               least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most),
               std::to_string(found));
  return false;
}

}  // namespace tessera::cuda::simulated
