// mov in all its forms (numbers, predicates, packing and unpacking of vectors, clocks) and addresses of the generic
// space: cvta, isspacep.
#include <chrono>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"

namespace tessera::cuda::simulated {

namespace {

template <class U>
void copyLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const U* a = warp.row<U>(i.a);
  U* d = warp.row<U>(i.d);
  forLanes(active, [&](int lane) { d[lane] = a[lane]; });
}

void copyPredicate(Warp& warp, const Instruction& i, LaneMask active) {
  LaneMask& d = warp.predicate(i.d);
  d = (d & ~active) | (warp.predicate(i.a) & active);
}

// Rows of `bytes` each, in lists from `list` on, side by side in one.
void packLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t* rows = &warp.kernel().lists[i.list];
  const int bits = i.bytes * 8;
  forLanes(active, [&](int lane) {
    uint64_t value = 0;
    for (int part = 0; part < i.count; ++part) {
      const uint64_t bitsOfPart = warp.row<uint32_t>(rows[part])[lane];
      value |= (bitsOfPart & ((uint64_t{1} << bits) - 1)) << (part * bits);
    }
    if (i.count * bits == 64)
      warp.row<uint64_t>(i.d)[lane] = value;
    else
      warp.row<uint32_t>(i.d)[lane] = static_cast<uint32_t>(value);
  });
}

void unpackLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t* rows = &warp.kernel().lists[i.list];
  const int bits = i.bytes * 8;
  forLanes(active, [&](int lane) {
    const uint64_t value = i.count * bits == 64 ? warp.row<uint64_t>(i.a)[lane] : warp.row<uint32_t>(i.a)[lane];
    for (int part = 0; part < i.count; ++part)
      warp.row<uint32_t>(rows[part])[lane] =
          static_cast<uint32_t>(value >> (part * bits) & ((uint64_t{1} << bits) - 1));
  });
}

Type typeOfBits(int bits) {
  switch (bits) {
    case 8: return Type::B8;
    case 16: return Type::B16;
    case 32: return Type::B32;
    default: return Type::B64;
  }
}

void decodeVectorMove(Decoder& decoder, Type type, bool packs) {
  const Operand& vector = decoder.operand(packs ? 1 : 0);
  const size_t count = vector.parts.size();
  const int bits = bitsOf(type) / static_cast<int>(std::max<size_t>(count, 1));
  if (count < 2 || count > 8 || bits * static_cast<int>(count) != bitsOf(type) || bits < 8 || bits > 32)
    return decoder.fail("the parts of a vector do not fill the instruction's type");
  const Type part = typeOfBits(bits);
  const uint32_t list = packs ? decoder.sourceList(vector, part, count) : decoder.destinationList(vector, part, count);
  const uint32_t whole = packs ? decoder.destination(0, type) : decoder.source(1, type);
  Instruction& i = decoder.emit(packs ? packLanes : unpackLanes);
  i.list = list;
  i.count = static_cast<uint8_t>(count);
  i.bytes = static_cast<uint8_t>(bits / 8);
  (packs ? i.d : i.a) = whole;
}

// Clocks: instructions are not timed, so that both count nanoseconds of the machine.
template <class U>
void readClock(Warp& warp, const Instruction& i, LaneMask active) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto value = static_cast<U>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  U* d = warp.row<U>(i.d);
  forLanes(active, [&](int lane) { d[lane] = value; });
}

bool isClock(std::string_view name) {
  return name == "%clock" || name == "%clock64" || name == "%clock_hi" || name.starts_with("%globaltimer");
}

void decodeMov(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  const Operand& from = decoder.operand(1);
  const bool isWide = bitsOf(type) == 64;
  if (type == Type::Pred) {
    const uint32_t a = decoder.predicate(from), d = decoder.predicateDestination(decoder.operand(0));
    Instruction& i = decoder.emit(copyPredicate);
    i.d = d, i.a = a;
    return;
  }
  if (from.kind == Operand::Kind::Vector) return decodeVectorMove(decoder, type, true);
  if (decoder.operand(0).kind == Operand::Kind::Vector) return decodeVectorMove(decoder, type, false);
  if (from.kind == Operand::Kind::Name && isClock(from.name)) {
    const uint32_t d = decoder.destination(0, type);
    decoder.emit(isWide ? readClock<uint64_t> : readClock<uint32_t>).d = d;
    return;
  }
  emitPlain(decoder, type, isWide ? copyLanes<uint64_t> : copyLanes<uint32_t>);
}

void addOffset(Warp& warp, const Instruction& i, LaneMask active) {
  const uint64_t* a = warp.row<uint64_t>(i.a);
  uint64_t* d = warp.row<uint64_t>(i.d);
  forLanes(active, [&](int lane) { d[lane] = a[lane] + static_cast<uint64_t>(i.offset); });
}

// The space of what is converted: that of a variable by its name, whatever the statement says.
Space actualSpace(Decoder& decoder, Space said) {
  const Operand& from = decoder.operand(1);
  const auto place = from.kind == Operand::Kind::Name ? decoder.findVariable(from.name) : std::nullopt;
  if (place) return place->space;
  return said == Space::Param && decoder.isInFunction() ? Space::Local : said;
}

void decodeCvta(Decoder& decoder) {
  const bool isTo = decoder.take("to");
  const auto said = decoder.trySpace();
  const Type type = decoder.takeType();
  if (!said) return decoder.fail("the instruction has no space");
  if (bitsOf(type) != 64) return decoder.failUnknown("an address of 32 bits in the generic space");
  if (!expectOperands(decoder, 2, 2)) return;
  const Space space = actualSpace(decoder, *said);
  Instruction& i = emitPlain(decoder, type, addOffset);
  const auto window = static_cast<int64_t>(windowOf(space));
  i.offset = isTo ? -window : window;
}

template <bool kIsGlobal>
void isInSpace(Warp& warp, const Instruction& i, LaneMask active) {
  const uint64_t* a = warp.row<uint64_t>(i.a);
  LaneMask result = 0;
  forLanes(active, [&](int lane) {
    const uint64_t begin = kIsGlobal ? kParamWindow + kWindowBytes : static_cast<uint64_t>(i.offset);
    const bool isIn = a[lane] >= begin && (kIsGlobal || a[lane] - begin < kWindowBytes);
    result |= LaneMask{isIn} << lane;
  });
  LaneMask& d = warp.predicate(i.d);
  d = (d & ~active) | result;
}

void decodeIsspacep(Decoder& decoder) {
  const auto space = decoder.trySpace();
  if (!space) return decoder.fail("the instruction has no space");
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t a = decoder.source(1, Type::U64), d = decoder.predicateDestination(decoder.operand(0));
  Instruction& i = decoder.emit(*space == Space::Global ? isInSpace<true> : isInSpace<false>);
  i.d = d, i.a = a;
  i.offset = static_cast<int64_t>(windowOf(*space));
}

}  // namespace

void addMoveInstructions(InstructionTable& table) {
  table["mov"] = decodeMov;
  table["cvta"] = decodeCvta;
  table["isspacep"] = decodeIsspacep;
}

}  // namespace tessera::cuda::simulated
