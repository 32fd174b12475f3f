// ld, ldu, st, prefetch and fences: values of 1 to 8 bytes, vectors of them, all spaces; hints to caches are read over.
#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/memory_modifiers.h"
#include "backends/cuda/simulated/machine/access.h"
#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

// M is the type in memory, Slot that of the row's lanes.
template <class M, class Slot>
void loadLanes(Warp& warp, const Instruction& i, LaneMask active) {
  LanePointers pointers;
  resolve(warp, i, active, Access::Read, pointers);
  const uint32_t* rows = &warp.kernel().lists[i.list];
  for (int element = 0; element < i.count; ++element) {
    Slot* d = warp.row<Slot>(rows[element]);
    forLanes(active, [&](int lane) {
      M value{};
      if (pointers.at[lane])
        std::memcpy(&value, pointers.at[lane] + sizeof(M) * static_cast<size_t>(element), sizeof(M));
      d[lane] = static_cast<Slot>(value);
    });
  }
}

template <class M, class Slot>
void storeLanes(Warp& warp, const Instruction& i, LaneMask active) {
  LanePointers pointers;
  resolve(warp, i, active, Access::Write, pointers);
  const uint32_t* rows = &warp.kernel().lists[i.list];
  for (int element = 0; element < i.count; ++element) {
    const Slot* a = warp.row<Slot>(rows[element]);
    forLanes(active, [&](int lane) {
      const auto value = static_cast<M>(a[lane]);
      if (pointers.at[lane])
        std::memcpy(pointers.at[lane] + sizeof(M) * static_cast<size_t>(element), &value, sizeof(M));
    });
  }
}

template <class M>
Handler loadHandler(bool isWide) {
  return isWide ? loadLanes<M, uint64_t> : loadLanes<M, uint32_t>;
}
template <class M>
Handler storeHandler(bool isWide) {
  return isWide ? storeLanes<M, uint64_t> : storeLanes<M, uint32_t>;
}

Handler loadHandler(Type type, bool isWide) {
  if (!isSigned(type)) {
    switch (bitsOf(type)) {
      case 8: return loadHandler<uint8_t>(isWide);
      case 16: return loadHandler<uint16_t>(isWide);
      case 32: return loadHandler<uint32_t>(isWide);
      default: return loadHandler<uint64_t>(isWide);
    }
  }
  switch (bitsOf(type)) {
    case 8: return loadHandler<int8_t>(isWide);
    case 16: return loadHandler<int16_t>(isWide);
    case 32: return loadHandler<int32_t>(isWide);
    default: return loadHandler<int64_t>(isWide);
  }
}

Handler storeHandler(Type type, bool isWide) {
  switch (bitsOf(type)) {
    case 8: return storeHandler<uint8_t>(isWide);
    case 16: return storeHandler<uint16_t>(isWide);
    case 32: return storeHandler<uint32_t>(isWide);
    default: return storeHandler<uint64_t>(isWide);
  }
}

// The rows of a value or of a vector's elements; all have to be of one width.
struct Elements {
  uint32_t list = 0;
  uint8_t count = 0;
  bool isWide = false;
};

Elements elementsOf(Decoder& decoder, const Operand& operand, Type type, bool isResult) {
  std::vector<uint32_t> rows;
  Elements elements{.isWide = bitsOf(type) > 32};
  auto add = [&](const Operand& part) {
    bool isWide = bitsOf(type) > 32;
    rows.push_back(isResult ? decoder.destinationOfAny(part, type, isWide) : decoder.sourceOfAny(part, type, isWide));
    if (part.kind == Operand::Kind::Sink && elements.isWide && !isWide)
      rows.back() = decoder.temporary(true);
    else if (rows.size() > 1 && isWide != elements.isWide)
      decoder.fail("a vector's registers differ in width");
    elements.isWide = isWide;
  };
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand& part : operand.parts) add(part);
  else
    add(operand);
  if (bitsOf(type) > 32 && !elements.isWide) decoder.fail("a register is narrower than the instruction's type");
  elements.list = decoder.listOf(rows);
  elements.count = static_cast<uint8_t>(rows.size());
  return elements;
}

size_t takeVector(Decoder& decoder) {
  if (decoder.take("v2")) return 2;
  if (decoder.take("v4")) return 4;
  return decoder.take("v8") ? 8 : 1;
}

void decodeAccess(Decoder& decoder, bool isLoad) {
  const bool isStrong = takeOrdering(decoder);
  takeCacheHints(decoder);
  const Space space = decoder.trySpace().value_or(Space::Generic);
  const size_t count = takeVector(decoder);
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 3)) return;  // the third is a cache policy
  if (type == Type::Pred || bitsOf(type) > 64) return decoder.failUnknown("an access of this type");
  const Operand& value = decoder.operand(isLoad ? 0 : 1);
  const Elements elements = elementsOf(decoder, value, type, isLoad);
  if (elements.count != count)
    return decoder.fail("a vector has another length", std::to_string(count), std::to_string(elements.count));
  Instruction& i = decoder.emit(isLoad ? loadHandler(type, elements.isWide) : storeHandler(type, elements.isWide));
  i.space = space;
  decoder.address(decoder.operand(isLoad ? 1 : 0), i);
  i.list = elements.list;
  i.count = elements.count;
  i.bytes = static_cast<uint8_t>(count * static_cast<size_t>(bytesOf(type)));
  noteAccess(decoder, i, isStrong);
}

void decodePrefetch(Decoder& decoder) {
  decoder.takeWhere([](std::string_view) { return true; });
}

// membar and fence order what a warp did to shared memory with what other warps do behind fences of their own.
void fence(Warp& warp, const Instruction&, LaneMask) { warp.block().shared().fence(warp.number()); }

void fenceForProducts(Warp& warp, const Instruction&, LaneMask active) {
  forLanes(active, [&](int lane) { warp.block().shared().fenceForProducts(warp.thread(lane)); });
}

void decodeFence(Decoder& decoder) {
  const bool isForProducts = decoder.has("proxy") && decoder.has("async");
  decoder.takeWhere([](std::string_view m) {
    for (const std::string_view known : {"cta", "gl", "sys", "gpu", "cluster", "sc", "acq_rel", "acquire", "release",
                                         "proxy", "alias", "async", "async::global", "global", "mbarrier_init"})
      if (m == known) return true;
    return spaceNamed(m).has_value();
  });
  decoder.emit(isForProducts ? fenceForProducts : fence);
}

}  // namespace

void noteAccess(Decoder& decoder, Instruction& instruction, bool isStrong) {
  Kernel& kernel = decoder.kernel();
  if (isStrong) {
    instruction.flags |= kStrongAccess;
    if (instruction.space != Space::Shared && instruction.space != Space::Local) kernel.isOrdered = true;
  }
  if (instruction.space == Space::Shared || instruction.space == Space::Generic)
    kernel.sharedGranule = std::min<unsigned>(kernel.sharedGranule, std::max<unsigned>(1, instruction.bytes));
}

bool takeOrdering(Decoder& decoder) {
  if (decoder.take("weak")) return false;
  const bool isStrong =
      !decoder.takeOneOf({"volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio"}).empty();
  decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  return isStrong;
}

void takeCacheHints(Decoder& decoder) {
  decoder.takeWhere([](std::string_view m) {
    for (const std::string_view known : {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"})
      if (m == known) return true;
    return m.starts_with("L1::") || m.starts_with("L2::");
  });
}

void addMemoryInstructions(InstructionTable& table) {
  table["ld"] = [](Decoder& decoder) { decodeAccess(decoder, true); };
  table["ldu"] = [](Decoder& decoder) { decodeAccess(decoder, true); };
  table["st"] = [](Decoder& decoder) { decodeAccess(decoder, false); };
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;

  table["applypriority"] = decodePrefetch;
  table["membar"] = decodeFence;
  table["fence"] = decodeFence;
}

}  // namespace tessera::cuda::simulated
