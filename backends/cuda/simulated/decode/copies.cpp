// cp.async: copies from global to shared memory beside the computation. What is read is taken at once; it is there when
// its group has been waited for. Until then an access to where it goes is a race, as is a copy to what others still
// use.
#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/memory_modifiers.h"
#include "backends/cuda/simulated/machine/access.h"
#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

LaneAddresses rowAddresses(Warp& warp, uint32_t row, bool isNarrow, int64_t offset) {
  LaneAddresses addresses;
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] =
        (isNarrow ? warp.row<uint32_t>(row)[lane] : warp.row<uint64_t>(row)[lane]) + static_cast<uint64_t>(offset);
  return addresses;
}

// a, offset: where to, in shared memory; lists: row and offset of where from; c: how many bytes are read, where flags
// has kHasSize. The bytes behind them are zero.
constexpr uint8_t kHasSize = 0x40, kNarrowSource = 0x20;

void beginCopies(Warp& warp, const Instruction& i, LaneMask active) {
  const int64_t offset = static_cast<int32_t>(i.target);
  const LaneAddresses from = rowAddresses(warp, i.b, i.flags & kNarrowSource, offset);
  const uint32_t* sizes = i.flags & kHasSize ? warp.row<uint32_t>(i.c) : nullptr;
  LaneMask reads = active;
  if (sizes) forLanes(active, [&](int lane) { reads &= ~(LaneMask{sizes[lane] == 0} << lane); });
  LanePointers pointers{};
  if (reads) resolveAt(warp, i, reads, Access::Read, Space::Global, i.bytes, from, pointers);
  LaneAddresses to;
  addressesOf(warp, i, to);
  Instruction place;
  place.site = i.site;
  LanePointers shared{};
  resolveAt(warp, place, active, Access::Write, Space::Shared, i.bytes, to, shared);
  forLanes(active, [&](int lane) {
    if (!shared.at[lane]) return;
    warp.block().shared().beginCopy(warp.thread(lane), i.site, to[lane], i.bytes);
    PendingCopy copy{.group = warp.copyGroup, .lane = lane, .to = to[lane], .bytes = i.bytes};
    copy.site = i.site;
    const size_t size = sizes ? std::min<size_t>(sizes[lane], i.bytes) : i.bytes;
    if (pointers.at[lane] && size) std::memcpy(copy.value.data(), pointers.at[lane], size);
    warp.copies.push_back(copy);
  });
}

void decodeCopy(Decoder& decoder) {
  const bool hasPolicy = decoder.has("L2::cache_hint");
  takeCacheHints(decoder);
  decoder.takeWhere([](std::string_view m) { return m == "shared" || m == "shared::cta" || m == "global"; });
  if (!expectOperands(decoder, 3, 5)) return;
  const Operand& size = decoder.operand(2);
  if (size.kind != Operand::Kind::Integer || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    return decoder.fail("cp.async copies 4, 8 or 16 bytes");
  const bool hasSize = decoder.operands() > (hasPolicy ? 4u : 3u);
  const uint32_t read = hasSize ? decoder.source(3, Type::B32) : 0;
  Instruction from;
  from.space = Space::Global;
  decoder.address(decoder.operand(1), from);
  Instruction& i = decoder.emit(beginCopies);
  i.space = Space::Shared;
  decoder.address(decoder.operand(0), i);
  i.bytes = static_cast<uint8_t>(size.bits);
  i.b = from.a, i.c = read;
  i.target = static_cast<uint32_t>(static_cast<int32_t>(from.offset));
  if (from.offset != static_cast<int32_t>(from.offset))
    decoder.fail("the address's distance is too large for cp.async");
  i.flags |= static_cast<uint8_t>((hasSize ? kHasSize : 0) | (from.flags & kNarrowAddress ? kNarrowSource : 0));
  noteAccess(decoder, i, false);
}

void finishCopy(Warp& warp, const PendingCopy& copy) {
  SharedMemory& shared = warp.block().shared();
  shared.endCopy(copy.to, copy.bytes);
  (void)shared.note(Access::Write, warp.thread(copy.lane), copy.site, copy.to, copy.bytes);  // known to be free
  std::memcpy(shared.data() + copy.to, copy.value.data(), copy.bytes);
}

void closeGroup(Warp& warp, const Instruction&, LaneMask) { ++warp.copyGroup; }

// The active lanes' copies of all groups but the last `offset` become visible.
void waitForGroups(Warp& warp, const Instruction& i, LaneMask active) {
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    const bool isDone = int64_t{copy.group} + i.offset < int64_t{warp.copyGroup} || i.offset < 0;
    if (!isDone || !(active >> copy.lane & 1)) return false;
    finishCopy(warp, copy);
    return true;
  });
}

void decodeCp(Decoder& decoder) {
  if (!decoder.take("async")) return decoder.failUnknown(std::string(decoder.statement().opcode));
  if (decoder.take("commit_group")) return void(decoder.emit(closeGroup));
  if (decoder.take("wait_all")) {
    decoder.emit(waitForGroups).offset = -1;
    return;
  }
  if (!decoder.take("wait_group")) return decodeCopy(decoder);
  if (!expectOperands(decoder, 1, 1)) return;
  if (decoder.operand(0).kind != Operand::Kind::Integer) return decoder.fail("the number of groups is a number");
  decoder.emit(waitForGroups).offset = static_cast<int64_t>(decoder.operand(0).bits & 0xffff);
}

}  // namespace

void addCopyInstructions(InstructionTable& table) { table["cp"] = decodeCp; }

}  // namespace tessera::cuda::simulated
