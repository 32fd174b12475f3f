// atom and red: every operation and type, in global and shared memory. Lanes take their turns in order. Blocks of a
// kernel that reads what atomics return, or adds floats, run one after another; others need only that the host's are
// atomic.
#include <atomic>
#include <cmath>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/memory_modifiers.h"
#include "backends/cuda/simulated/decode/numbers.h"
#include "backends/cuda/simulated/machine/access.h"

namespace tessera::cuda::simulated {

namespace {

// The old value; the new one is op(old, b, c).
template <auto kOp, class T>
T change(std::byte* at, T b, T c) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, SlotOf<T>>;
  std::atomic_ref<Bits> memory(*reinterpret_cast<Bits*>(at));
  Bits old = memory.load(std::memory_order_relaxed);
  Bits desired;
  do desired = std::bit_cast<Bits>(static_cast<T>(kOp(std::bit_cast<T>(old), b, c)));
  while (!memory.compare_exchange_weak(old, desired, std::memory_order_seq_cst));
  return std::bit_cast<T>(old);
}

// Instruction::flags of the decoder's own, beside those of accesses.
constexpr uint8_t kReturnsOld = 0x40;

template <auto kOp, class T>
void atomicLanes(Warp& warp, const Instruction& i, LaneMask active) {
  LanePointers pointers;
  resolve(warp, i, active, Access::Atomic, pointers);
  const SlotOf<T>*b = warp.row<T>(i.b), *c = warp.row<T>(i.c);
  SlotOf<T>* d = i.flags & kReturnsOld ? warp.row<T>(i.d) : nullptr;
  forLanes(active, [&](int lane) {
    T old{};
    const bool isAligned = reinterpret_cast<uintptr_t>(pointers.at[lane]) % sizeof(T) == 0;
    if (pointers.at[lane] && isAligned)
      old = change<kOp, T>(pointers.at[lane], fromSlot<T>(b[lane]), fromSlot<T>(c[lane]));
    if (d) d[lane] = toSlot(old);
  });
}

template <class T>
T sumOf(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return applyFloat<[](auto x, auto y) { return x + y; }, T>(a, b);
}
template <class T, bool kAtomicMax>
T extremeOf(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return (a < b) == kAtomicMax ? b : a;
  else
    return applyFloat<[](auto x, auto y) { return kAtomicMax ? std::fmax(x, y) : std::fmin(x, y); }, T>(a, b);
}

constexpr auto kAtomicAdd = [](auto old, auto b, auto) { return sumOf(old, b); };
constexpr auto kAtomicMin = [](auto old, auto b, auto) { return extremeOf<decltype(old), false>(old, b); };
constexpr auto kAtomicMax = [](auto old, auto b, auto) { return extremeOf<decltype(old), true>(old, b); };
constexpr auto kAtomicAnd = [](auto old, auto b, auto) { return old & b; };
constexpr auto kAtomicOr = [](auto old, auto b, auto) { return old | b; };
constexpr auto kAtomicXor = [](auto old, auto b, auto) { return old ^ b; };
constexpr auto kExchange = [](auto, auto b, auto) { return b; };
constexpr auto kCompare = [](auto old, auto b, auto c) { return old == b ? c : old; };
constexpr auto kIncrement = [](auto old, auto b, auto) { return old >= b ? decltype(old)(0) : old + 1; };
constexpr auto kDecrement = [](auto old, auto b, auto) { return old == 0 || old > b ? b : old - 1; };

template <auto kOp>
Handler integerHandler(Type type) {
  switch (type) {
    case Type::U16:
    case Type::B16: return atomicLanes<kOp, uint16_t>;
    case Type::U32:
    case Type::B32: return atomicLanes<kOp, uint32_t>;
    case Type::S32: return atomicLanes<kOp, int32_t>;
    case Type::U64:
    case Type::B64: return atomicLanes<kOp, uint64_t>;
    case Type::S64: return atomicLanes<kOp, int64_t>;
    default: return nullptr;
  }
}

template <auto kOp>
Handler numberHandler(Type type) {
  switch (type) {
    case Type::F32: return atomicLanes<kOp, float>;
    case Type::F64: return atomicLanes<kOp, double>;
    case Type::F16: return atomicLanes<kOp, Half>;
    case Type::BF16: return atomicLanes<kOp, BFloat>;
    case Type::F16x2: return atomicLanes<kOp, Half2>;
    case Type::BF16x2: return atomicLanes<kOp, BFloat2>;
    default: return integerHandler<kOp>(type);
  }
}

Handler takeOperation(Decoder& decoder, Type type) {
  if (decoder.take("add")) return numberHandler<kAtomicAdd>(type);
  if (decoder.take("min")) return numberHandler<kAtomicMin>(type);
  if (decoder.take("max")) return numberHandler<kAtomicMax>(type);
  if (decoder.take("and")) return integerHandler<kAtomicAnd>(type);
  if (decoder.take("or")) return integerHandler<kAtomicOr>(type);
  if (decoder.take("xor")) return integerHandler<kAtomicXor>(type);
  if (decoder.take("exch")) return integerHandler<kExchange>(type);
  if (decoder.take("cas")) return integerHandler<kCompare>(type);
  if (decoder.take("inc")) return type == Type::U32 ? atomicLanes<kIncrement, uint32_t> : nullptr;
  if (decoder.take("dec")) return type == Type::U32 ? atomicLanes<kDecrement, uint32_t> : nullptr;
  return nullptr;
}

void decodeAtomic(Decoder& decoder, bool returnsOld) {
  takeOrdering(decoder);
  takeCacheHints(decoder);
  decoder.ignore({"noftz"});
  const Space space = decoder.trySpace().value_or(Space::Generic);
  const Type type = decoder.takeType();
  const bool isCompare = decoder.has("cas");
  const Handler handler = takeOperation(decoder, type);
  if (!handler) return decoder.failUnknown("the operation " + std::string(decoder.statement().opcode));
  const size_t first = returnsOld ? 1 : 0;  // the address
  const size_t least = first + 2 + isCompare;
  if (!expectOperands(decoder, least, least + 1)) return;
  const uint32_t b = decoder.source(first + 1, type), c = isCompare ? decoder.source(first + 2, type) : b;
  const uint32_t d = returnsOld ? decoder.destination(0, type) : 0;
  Instruction& i = decoder.emit(handler);
  i.space = space;
  decoder.address(decoder.operand(first), i);
  i.d = d, i.b = b, i.c = c;
  i.bytes = static_cast<uint8_t>(bytesOf(type));
  i.flags |= returnsOld ? kReturnsOld : 0;
  noteAccess(decoder, i, false);
  const bool isOrderFree = !returnsOld && !isFloat(type);
  if (i.space != Space::Shared && !isOrderFree) decoder.kernel().isOrdered = true;
}

}  // namespace

void addAtomicInstructions(InstructionTable& table) {
  table["atom"] = [](Decoder& decoder) { decodeAtomic(decoder, true); };
  table["red"] = [](Decoder& decoder) { decodeAtomic(decoder, false); };
}

}  // namespace tessera::cuda::simulated
