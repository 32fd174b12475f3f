// Control flow and barriers: bra, brx, call, ret, exit, trap, bar, barrier, nanosleep.
#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

void decodeBra(Decoder& decoder) {
  decoder.take("uni");
  if (!expectOperands(decoder, 1, 1)) return;
  decoder.branchTo(decoder.operand(0).name);
}

void decodeBrx(Decoder& decoder) {
  decoder.ignore({"idx", "uni"});
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t index = decoder.source(0, Type::U32);
  decoder.branchByTable(decoder.operand(1).name, index);
}

void decodeCall(Decoder& decoder) {
  decoder.take("uni");
  decoder.call();
}

void decodeRet(Decoder& decoder) {
  decoder.take("uni");
  decoder.leaveFunction();
}

void nothing(Warp&, const Instruction&, LaneMask) {}

// --- barriers

enum class Reduction : uint8_t { Popc, And, Or };

// What bar.red gives, once all threads have come.
template <Reduction kReduction>
void barrierResult(Warp& warp, const Instruction& i, LaneMask active) {
  if constexpr (kReduction == Reduction::Popc) {
    uint32_t* d = warp.row<uint32_t>(i.d);
    forLanes(active, [&](int lane) { d[lane] = warp.barrierTrue; });
  } else {
    const bool isTrue = kReduction == Reduction::And ? warp.barrierTrue == warp.barrierAll : warp.barrierTrue > 0;
    LaneMask& d = warp.predicate(i.d);
    d = (d & ~active) | (isTrue ? active : 0);
  }
}

void setBarrier(Instruction& instruction, uint32_t number, uint32_t threads, bool hasThreads, bool isAligned) {
  instruction.a = number;
  instruction.b = threads;
  instruction.hasThreadCount = hasThreads;
  instruction.flags |= isAligned ? kAlignedBarrier : 0;
}

void decodeBarrierWait(Decoder& decoder, Control control, bool isAligned) {
  if (!expectOperands(decoder, 1, 2)) return;
  const bool hasThreads = decoder.operands() > 1;
  const uint32_t number = decoder.source(0, Type::U32), threads = hasThreads ? decoder.source(1, Type::U32) : 0;
  setBarrier(decoder.emitControl(control), number, threads, hasThreads, isAligned);
}

void decodeBarrierReduction(Decoder& decoder, bool isAligned) {
  const bool isPopc = decoder.take("popc"), isAnd = decoder.take("and");
  decoder.take("or");
  decoder.tryType();
  if (!expectOperands(decoder, 3, 4)) return;
  const bool hasThreads = decoder.operands() > 3;
  const Operand& condition = decoder.operand(hasThreads ? 3 : 2);
  const uint32_t d = isPopc ? decoder.destination(0, Type::U32) : decoder.predicateDestination(decoder.operand(0));
  const uint32_t number = decoder.source(1, Type::U32), threads = hasThreads ? decoder.source(2, Type::U32) : 0;
  const uint32_t p = decoder.predicate(condition);
  Instruction& i = decoder.emitControl(Control::Barrier);
  setBarrier(i, number, threads, hasThreads, isAligned);
  i.flags |= kBarrierHasPredicate;
  i.d = d, i.c = p;
  i.run = isPopc  ? barrierResult<Reduction::Popc>
          : isAnd ? barrierResult<Reduction::And>
                  : barrierResult<Reduction::Or>;
}

void warpBarrier(Warp& warp, const Instruction&, LaneMask) { warp.block().shared().warpBarrier(warp.number()); }

void decodeWarpBarrier(Decoder& decoder) {
  decoder.take("sync");
  if (!expectOperands(decoder, 1, 1)) return;
  const uint32_t members = decoder.source(0, Type::B32);
  Instruction& i = decoder.emit(warpBarrier);
  i.control = Control::Converge;
  i.a = members;
}

// bar is barrier with all threads of a warp together.
void decodeBarrier(Decoder& decoder, bool isAligned) {
  decoder.take("cta");
  if (decoder.take("warp")) return decodeWarpBarrier(decoder);
  isAligned |= decoder.take("aligned");
  if (decoder.take("red")) return decodeBarrierReduction(decoder, isAligned);
  if (decoder.take("arrive")) return decodeBarrierWait(decoder, Control::BarrierArrive, isAligned);
  decoder.take("sync");
  decodeBarrierWait(decoder, Control::Barrier, isAligned);
}

}  // namespace

void addControlInstructions(InstructionTable& table) {
  table["bra"] = decodeBra;
  table["brx"] = decodeBrx;
  table["call"] = decodeCall;
  table["ret"] = decodeRet;
  table["exit"] = [](Decoder& decoder) { decoder.emitControl(Control::Exit); };
  table["trap"] = [](Decoder& decoder) { decoder.emitControl(Control::Trap); };
  table["brkpt"] = [](Decoder& decoder) { decoder.emit(nothing); };
  table["bar"] = [](Decoder& decoder) { decodeBarrier(decoder, true); };
  table["barrier"] = [](Decoder& decoder) { decodeBarrier(decoder, false); };
  table["nanosleep"] = [](Decoder& decoder) {
    decoder.take("u32");
    decoder.emitControl(Control::Yield);
  };
  table["pmevent"] = [](Decoder& decoder) { decoder.emit(nothing); };
}

}  // namespace tessera::cuda::simulated
