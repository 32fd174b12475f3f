// What lanes of a warp do together: shfl, vote, match, redux, activemask.
#include <bit>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

// Makes the instruction wait for the lanes that the operand names.
void convergeOn(Instruction& instruction, uint32_t members) {
  instruction.control = Control::Converge;
  instruction.a = members;
}

// --- shfl: b is the value, c the lane operand, list the clamp and segment mask

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

template <Shuffle kMode>
void shuffleLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t *value = warp.row<uint32_t>(i.b), *by = warp.row<uint32_t>(i.c), *limits = warp.row<uint32_t>(i.list);
  std::array<uint32_t, kLanes> result{};
  LaneMask inRange = 0;
  forLanes(active, [&](int lane) {
    const int clamp = static_cast<int>(limits[lane] & 31), segment = static_cast<int>(limits[lane] >> 8 & 31);
    const int step = static_cast<int>(by[lane] & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = lane;
    switch (kMode) {
      case Shuffle::Up: from = lane - step; break;
      case Shuffle::Down: from = lane + step; break;
      case Shuffle::Butterfly: from = lane ^ step; break;
      case Shuffle::Index: from = least | (step & ~segment); break;
    }
    const bool isIn = kMode == Shuffle::Up ? from >= most : from <= most;
    if (!isIn) from = lane;
    result[lane] = value[from & 31];
    inRange |= LaneMask{isIn} << lane;
  });
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) { d[lane] = result[lane]; });
  setPredicate(warp.predicate(static_cast<uint32_t>(i.offset)), inRange, active);
}

Handler takeShuffle(Decoder& decoder) {
  if (decoder.take("up")) return shuffleLanes<Shuffle::Up>;
  if (decoder.take("down")) return shuffleLanes<Shuffle::Down>;
  if (decoder.take("bfly")) return shuffleLanes<Shuffle::Butterfly>;
  return decoder.take("idx") ? shuffleLanes<Shuffle::Index> : nullptr;
}

void decodeShfl(Decoder& decoder) {
  const bool isSync = decoder.take("sync");
  const Handler handler = takeShuffle(decoder);
  const Type type = decoder.takeType();
  if (!handler) return decoder.failUnknown("shfl without its mode");
  if (!expectOperands(decoder, isSync ? 5 : 4, isSync ? 5 : 4)) return;
  const Operand& result = decoder.operand(0);
  const bool isPair = result.kind == Operand::Kind::Pair;
  const uint32_t d = decoder.destinationOf(isPair ? result.parts[0] : result, type);
  const uint32_t p = isPair ? decoder.predicateDestination(result.parts[1]) : decoder.temporaryPredicate();
  const uint32_t value = decoder.source(1, type), by = decoder.source(2, Type::B32),
                 limits = decoder.source(3, Type::B32);
  const uint32_t members = isSync ? decoder.source(4, Type::B32) : decoder.constant(0, false);
  Instruction& i = decoder.emit(handler);
  convergeOn(i, members);
  i.d = d, i.b = value, i.c = by, i.list = limits;
  i.offset = p;
}

// --- vote

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

template <Vote kVote>
void voteLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const LaneMask yes = (i.flags ? ~warp.predicate(i.b) : warp.predicate(i.b)) & active;
  if constexpr (kVote == Vote::Ballot) {
    uint32_t* d = warp.row<uint32_t>(i.d);
    forLanes(active, [&](int lane) { d[lane] = yes; });
  } else {
    const bool isTrue = kVote == Vote::All ? yes == active : kVote == Vote::Any ? yes != 0 : yes == 0 || yes == active;
    setPredicate(warp.predicate(i.d), isTrue ? kAllLanes : 0, active);
  }
}

void decodeVote(Decoder& decoder) {
  const bool isSync = decoder.take("sync");
  const std::string_view mode = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  const Type type = decoder.takeType();
  if (mode.empty()) return decoder.failUnknown("vote without its mode");
  if (!expectOperands(decoder, isSync ? 3 : 2, isSync ? 3 : 2)) return;
  const uint32_t p = decoder.predicate(decoder.operand(1));
  const uint32_t members = isSync ? decoder.source(2, Type::B32) : decoder.constant(0, false);
  const bool isBallot = mode == "ballot";
  const uint32_t d = isBallot ? decoder.destination(0, type) : decoder.predicateDestination(decoder.operand(0));
  const Handler handler = mode == "all"   ? voteLanes<Vote::All>
                          : mode == "any" ? voteLanes<Vote::Any>
                          : isBallot      ? voteLanes<Vote::Ballot>
                                          : voteLanes<Vote::Uniform>;
  Instruction& i = decoder.emit(handler);
  convergeOn(i, members);
  i.d = d, i.b = p;
}

void activeLanes(Warp& warp, const Instruction& i, LaneMask active) {
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) { d[lane] = active; });
}

void decodeActivemask(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 1, 1)) return;
  const uint32_t d = decoder.destination(0, type);
  decoder.emit(activeLanes).d = d;
}

// --- match

template <class U>
LaneMask lanesEqualTo(const U* values, LaneMask active, U value) {
  LaneMask equal = 0;
  forLanes(active, [&](int lane) { equal |= LaneMask{values[lane] == value} << lane; });
  return equal;
}

template <class U, bool kAll>
void matchLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const U* values = warp.row<U>(i.b);
  uint32_t* d = warp.row<uint32_t>(i.d);
  LaneMask agreed = 0;
  std::array<LaneMask, kLanes> equal{};
  forLanes(active, [&](int lane) {
    equal[lane] = lanesEqualTo(values, active, values[lane]);
    agreed |= LaneMask{equal[lane] == active} << lane;
  });
  forLanes(active, [&](int lane) { d[lane] = kAll ? (equal[lane] == active ? active : 0) : equal[lane]; });
  if (kAll) setPredicate(warp.predicate(i.c), agreed, active);
}

void decodeMatch(Decoder& decoder) {
  const bool isAll = decoder.take("all");
  decoder.ignore({"any", "sync"});
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 3, 3)) return;
  const Operand& result = decoder.operand(0);
  const bool isPair = result.kind == Operand::Kind::Pair;
  const uint32_t d = decoder.destinationOf(isPair ? result.parts[0] : result, Type::B32);
  const uint32_t p = isPair ? decoder.predicateDestination(result.parts[1]) : decoder.temporaryPredicate();
  const uint32_t value = decoder.source(1, type), members = decoder.source(2, Type::B32);
  const bool isWide = bitsOf(type) == 64;
  const Handler all = isWide ? matchLanes<uint64_t, true> : matchLanes<uint32_t, true>;
  const Handler any = isWide ? matchLanes<uint64_t, false> : matchLanes<uint32_t, false>;
  Instruction& i = decoder.emit(isAll ? all : any);
  convergeOn(i, members);
  i.d = d, i.b = value, i.c = p;
}

// --- redux

template <auto kOp, class T>
void reduceLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t* values = warp.row<uint32_t>(i.b);
  T result = std::bit_cast<T>(values[std::countr_zero(active)]);
  forLanes(active & (active - 1), [&](int lane) { result = kOp(result, std::bit_cast<T>(values[lane])); });
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) { d[lane] = std::bit_cast<uint32_t>(result); });
}

constexpr auto kLeast = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto kMost = [](auto a, auto b) { return a < b ? b : a; };

Handler takeReduction(Decoder& decoder, Type type) {
  const bool isSign = isSigned(type);
  if (decoder.take("add")) return reduceLanes<[](uint32_t a, uint32_t b) { return a + b; }, uint32_t>;
  if (decoder.take("min")) return isSign ? reduceLanes<kLeast, int32_t> : reduceLanes<kLeast, uint32_t>;
  if (decoder.take("max")) return isSign ? reduceLanes<kMost, int32_t> : reduceLanes<kMost, uint32_t>;
  if (decoder.take("and")) return reduceLanes<[](uint32_t a, uint32_t b) { return a & b; }, uint32_t>;
  if (decoder.take("or")) return reduceLanes<[](uint32_t a, uint32_t b) { return a | b; }, uint32_t>;
  if (decoder.take("xor")) return reduceLanes<[](uint32_t a, uint32_t b) { return a ^ b; }, uint32_t>;
  return nullptr;
}

void decodeRedux(Decoder& decoder) {
  decoder.take("sync");
  const Type type = decoder.takeType();
  const Handler handler = isFloat(type) ? nullptr : takeReduction(decoder, type);
  if (!handler) return decoder.failUnknown("the reduction " + std::string(decoder.statement().opcode));
  if (!expectOperands(decoder, 3, 3)) return;
  const uint32_t value = decoder.source(1, type), members = decoder.source(2, Type::B32),
                 d = decoder.destination(0, type);
  Instruction& i = decoder.emit(handler);
  convergeOn(i, members);
  i.d = d, i.b = value;
}

}  // namespace

void addWarpInstructions(InstructionTable& table) {
  table["shfl"] = decodeShfl;
  table["vote"] = decodeVote;
  table["activemask"] = decodeActivemask;
  table["match"] = decodeMatch;
  table["redux"] = decodeRedux;
}

}  // namespace tessera::cuda::simulated
