// Buffer assignment: classes of the alias analysis get slots; those in the arena by their live ranges (arena_packing).
#include "core/passes/buffers/buffer_assignment.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/checked_math.h"
#include "core/base/result.h"
#include "core/hlo/memory_map.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/buffers/arena_packing.h"

namespace tessera {
namespace {

constexpr int64_t kAlignment = 64;

int64_t alignmentOf(int64_t bytes) {
  if (bytes > kSmallBufferBytes) return kAlignment;
  return bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

}  // namespace

std::string placeText(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::Parameter: return fmt::format("argument {}", slot.index);
    case SlotKind::Output: return fmt::format("output {}", slot.index);
    case SlotKind::Constant: return "constant";
    case SlotKind::Temp: return slot.lender < 0 ? "arena" : fmt::format("memory of output {}", slot.lender);
  }
  return {};
}

class BufferAssigner {
 public:
  BufferAssigner(const Module& module, AliasAnalysis analysis) : module_(module), analysis_(std::move(analysis)) {}

  Result<BufferAssignment> run(bool lendsResults) {
    numberParameters();
    TESSERA_TRY(makeSlots());
    collectLiveRanges();
    if (lendsResults) findLenders();
    TESSERA_TRY(out_.addScratch({}, std::vector<bool>(out_.slots.size(), true)));
    return std::move(out_);
  }

 private:
  void numberParameters() {
    int32_t number = 0;
    for (InstructionId parameter : module_.entryComputation().parameters)
      for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(parameter)); leaf < n; ++leaf) {
        uint32_t v = analysis_.valueOf(parameter, leaf);
        if (!analysis_.shapeOf(v).isToken()) parameterNumber_[v] = number++;
      }
  }

  Result<int64_t> bytesOf(uint32_t value) const {
    const Shape& shape = analysis_.shapeOf(value);
    auto map = MemoryMap::of(shape);
    auto bytes = map ? checkedMul(map->positions(), byteWidth(shape.type)) : std::nullopt;
    if (bytes) return *bytes;
    const Instruction& instruction = module_.at(analysis_.instructionOf(value));
    return fail(placedAt(instruction, {.kind = ErrorKind::Runtime,
                                       .message = fmt::format("%{} needs more memory than can be addressed: {}",
                                                              instruction.name, toString(shape))}));
  }

  Status makeSlots() {
    const uint32_t count = analysis_.valueCount();
    out_.first_.assign(module_.instructionSlots(), UINT32_MAX);
    out_.slotOfValue_.assign(count, BufferAssignment::kNoSlot);
    slotOfClass_.assign(count, BufferAssignment::kNoSlot);
    for (uint32_t v = 0; v < count; ++v) {
      InstructionId definition = analysis_.instructionOf(v);
      if (out_.first_[definition.value] == UINT32_MAX) out_.first_[definition.value] = analysis_.valueOf(definition);
      if (!analysis_.shapeOf(v).isArray()) continue;
      uint32_t c = analysis_.classOf(v);
      if (slotOfClass_[c] == BufferAssignment::kNoSlot) {
        slotOfClass_[c] = static_cast<int32_t>(out_.slots.size());
        out_.slots.push_back(slotOf(c));
        classOfSlot_.push_back(c);
      }
      out_.slotOfValue_[v] = slotOfClass_[c];
      TESSERA_ASSIGN_OR_RETURN(int64_t bytes, bytesOf(v));
      Slot& slot = out_.slots[static_cast<size_t>(slotOfClass_[c])];
      slot.bytes = std::max(slot.bytes, bytes);
    }
    return {};
  }

  Slot slotOf(uint32_t c) const {
    Slot slot;
    const Instruction& definition = module_.at(analysis_.instructionOf(c));
    if (definition.opcode == Opcode::Constant) {
      slot.kind = SlotKind::Constant;
      slot.constant = definition.id;
    } else if (auto it = parameterNumber_.find(c); it != parameterNumber_.end()) {
      slot.kind = SlotKind::Parameter;
      slot.index = it->second;
    } else if (analysis_.outputOf(c) != AliasAnalysis::kNone) {
      slot.kind = SlotKind::Output;
      slot.index = static_cast<int32_t>(analysis_.outputOf(c));
    }
    return slot;
  }

  // Results lend their memory until they are computed: not those whose memory is more than their elements.
  void findLenders() {
    for (size_t s = 0; s < out_.slots.size(); ++s) {
      const Slot& slot = out_.slots[s];
      if (slot.kind != SlotKind::Output || slot.bytes <= kSmallBufferBytes) continue;
      if (analysis_.shapeOf(classOfSlot_[s]).denseBytes() != slot.bytes) continue;
      out_.lenders_.push_back({slot.bytes, analysis_.liveBegin(classOfSlot_[s])});
      out_.lenderIndex_.push_back(slot.index);
    }
  }

  void collectLiveRanges() {
    for (uint32_t c : classOfSlot_) out_.liveRanges_.push_back({analysis_.liveBegin(c), analysis_.liveEnd(c)});
    out_.times_.resize(module_.instructionSlots());
    for (ComputationId computation : analysis_.computations())
      for (InstructionId id : module_.at(computation).instructions)
        out_.times_[id.value] = {analysis_.begin(id), analysis_.end(id)};
  }

  const Module& module_;
  AliasAnalysis analysis_;
  BufferAssignment out_;
  std::map<uint32_t, int32_t> parameterNumber_;  // by value
  std::vector<int32_t> slotOfClass_;
  std::vector<uint32_t> classOfSlot_;
};

// The arena with a place for each temporary.
struct BufferAssignment::Packing {
  std::vector<ArenaOffset> offsets;  // by slot
  int64_t bytes = 0;
};

namespace {

std::unexpected<Diagnostic> tooLarge() {
  return fail(ErrorKind::Runtime, "the values that live at the same time need more memory than can be addressed");
}

}  // namespace

// Small values are packed behind the others, so that a scalar does not take a cache line.
Result<BufferAssignment::Packing> BufferAssignment::packTemporaries(const std::vector<bool>& hasMemory) const {
  Packing out;
  out.offsets.resize(slots.size());
  for (const bool isSmall : {false, true}) {
    std::vector<size_t> group;
    std::vector<LiveRange> ranges;
    int64_t alignment = 1;
    for (size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].kind != SlotKind::Temp || (slots[s].bytes <= kSmallBufferBytes) != isSmall || !hasMemory[s])
        continue;
      group.push_back(s);
      ranges.push_back({slots[s].bytes, alignmentOf(slots[s].bytes), liveRanges_[s].begin, liveRanges_[s].end});
      alignment = std::max(alignment, ranges.back().alignment);
    }
    const auto packing =
        packArena(ranges, isSmall ? std::span<const ArenaLender>() : std::span<const ArenaLender>(lenders_));
    const auto begin = checkedAdd(out.bytes, alignment - 1);
    const int64_t base = begin ? *begin / alignment * alignment : 0;
    const auto end = begin && packing ? checkedAdd(base, packing->bytes) : std::nullopt;
    if (!end) return tooLarge();
    if (packing->bytes > 0) out.bytes = *end;
    for (size_t i = 0; i < group.size(); ++i) {
      const ArenaOffset& offset = packing->offsets[i];
      if (offset.lender < 0)
        out.offsets[group[i]] = {-1, base + offset.offset};
      else
        out.offsets[group[i]] = {lenderIndex_[static_cast<size_t>(offset.lender)], offset.offset};
    }
  }
  return out;
}

// Temporaries are in the arena or in results that are not alive yet.
bool BufferAssignment::areDisjoint(int32_t slot, int32_t other) const {
  if (slot == other) return false;
  const SlotKind kinds[] = {slots[static_cast<size_t>(slot)].kind, slots[static_cast<size_t>(other)].kind};
  const auto isOwn = [](SlotKind kind) { return kind == SlotKind::Parameter || kind == SlotKind::Constant; };
  if (std::ranges::any_of(kinds, isOwn) || std::ranges::find(kinds, SlotKind::Temp) == std::end(kinds)) return true;
  const Interval &a = liveRanges_[static_cast<size_t>(slot)], &b = liveRanges_[static_cast<size_t>(other)];
  return a.begin <= b.end && b.begin <= a.end;
}

Status BufferAssignment::addScratch(std::span<const ScratchNeed> needs, const std::vector<bool>& hasMemory) {
  std::vector<bool> counts = hasMemory;
  for (const ScratchNeed& need : needs) {
    Slot slot;
    slot.bytes = need.bytes;
    slots.push_back(slot);
    liveRanges_.push_back(times_[need.during.value]);
    counts.push_back(need.bytes > 0);
  }
  TESSERA_ASSIGN_OR_RETURN(const Packing packing, packTemporaries(counts));
  arenaBytes = packing.bytes;
  for (size_t s = 0; s < slots.size(); ++s)
    if (slots[s].kind == SlotKind::Temp)
      slots[s].lender = packing.offsets[s].lender, slots[s].offset = packing.offsets[s].offset;
  return {};
}

Result<BufferAssignment> assignBuffers(const Module& module, bool lendsResults) {
  TESSERA_ASSIGN_OR_RETURN(AliasAnalysis analysis, AliasAnalysis::of(module));
  if (!analysis.requests().empty()) return fail("buffers can be assigned only after copy insertion");
  return BufferAssigner(module, std::move(analysis)).run(lendsResults);
}

}  // namespace tessera
