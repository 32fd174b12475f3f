// Buffer assignment: classes of the alias analysis get places; those in the arena by their lives, best fit.
#include "core/passes/buffer_assignment.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "core/base/checked_math.h"
#include "core/hlo/index_math.h"
#include "core/passes/alias_analysis.h"

namespace tessera {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kSmallBytes = 32;  // up to here values share cache lines
constexpr int64_t kSmallAlignment = 8;

// Free and taken pieces of the arena. Best fit, neighbours merged; O(log n) each.
class Arena {
 public:
  // nullopt on overflow.
  std::optional<int64_t> take(int64_t size) {
    auto fit = bySize_.lower_bound({size, 0});
    if (fit == bySize_.end()) return grow(size);
    auto [freeSize, offset] = *fit;
    erase(offset, freeSize);
    if (freeSize > size) insert(offset + size, freeSize - size);
    return offset;
  }
  void give(int64_t offset, int64_t size) {
    auto next = byOffset_.lower_bound(offset);
    if (next != byOffset_.end() && offset + size == next->first) {
      size += next->second;
      erase(next->first, next->second);
      next = byOffset_.lower_bound(offset);
    }
    if (next != byOffset_.begin()) {
      auto [before, beforeSize] = *std::prev(next);
      if (before + beforeSize == offset) {
        erase(before, beforeSize);
        offset = before;
        size += beforeSize;
      }
    }
    insert(offset, size);
  }
  int64_t size() const { return end_; }

 private:
  // The last free piece is stretched when it reaches the end.
  std::optional<int64_t> grow(int64_t size) {
    int64_t offset = end_;
    if (!byOffset_.empty() && byOffset_.rbegin()->first + byOffset_.rbegin()->second == end_) {
      offset = byOffset_.rbegin()->first;
      erase(offset, byOffset_.rbegin()->second);
    }
    auto end = checkedAdd(offset, size);
    if (end) end_ = *end;
    return end ? std::optional(offset) : std::nullopt;
  }
  void insert(int64_t offset, int64_t size) {
    byOffset_.emplace(offset, size);
    bySize_.emplace(size, offset);
  }
  void erase(int64_t offset, int64_t size) {
    byOffset_.erase(offset);
    bySize_.erase({size, offset});
  }
  std::map<int64_t, int64_t> byOffset_;
  std::set<std::pair<int64_t, int64_t>> bySize_;
  int64_t end_ = 0;
};

}  // namespace

class BufferAssigner {
 public:
  BufferAssigner(const Module& module, AliasAnalysis analysis) : module_(module), analysis_(std::move(analysis)) {}

  Result<BufferAssignment> run() {
    numberParameters();
    TESSERA_TRY(makeSlots());
    TESSERA_TRY(placeTemporaries());
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
    Diagnostic d;
    d.fault = Fault::Runtime;
    d.instruction = analysis_.instructionOf(value);
    d.instructionName = std::string(module_.at(d.instruction).name);
    d.message = fmt::format("%{} needs more memory than can be addressed: {}", d.instructionName, toString(shape));
    return fail(std::move(d));
  }

  Status makeSlots() {
    const uint32_t count = analysis_.valueCount();
    out_.first_.assign(module_.instructionSlots(), UINT32_MAX);
    out_.slotOfValue_.assign(count, BufferAssignment::kNoSlot);
    slotOfClass_.assign(count, BufferAssignment::kNoSlot);
    for (uint32_t v = 0; v < count; ++v) {
      InstructionId maker = analysis_.instructionOf(v);
      if (out_.first_[maker.value] == UINT32_MAX) out_.first_[maker.value] = analysis_.valueOf(maker);
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
    const Instruction& maker = module_.at(analysis_.instructionOf(c));
    if (maker.opcode == Opcode::Constant) {
      slot.kind = SlotKind::Constant;
      slot.constant = maker.id;
    } else if (auto it = parameterNumber_.find(c); it != parameterNumber_.end()) {
      slot.kind = SlotKind::Parameter;
      slot.index = it->second;
    } else if (analysis_.outputOf(c) != AliasAnalysis::kNone) {
      slot.kind = SlotKind::Output;
      slot.index = static_cast<int32_t>(analysis_.outputOf(c));
    }
    return slot;
  }

  // In order of birth; what died before is given back first. Both ends of a life belong to it. Small values are packed
  // behind the others, so that a scalar does not take a cache line.
  Status placeTemporaries() {
    std::vector<size_t> order;
    for (size_t s = 0; s < out_.slots.size(); ++s)
      if (out_.slots[s].kind == SlotKind::Temp) order.push_back(s);
    std::ranges::stable_sort(order, {}, [&](size_t s) { return analysis_.birth(classOfSlot_[s]); });
    using Death = std::pair<int64_t, size_t>;
    std::priority_queue<Death, std::vector<Death>, std::greater<>> alive;
    Arena large, small;
    auto arenaOf = [&](const Slot& slot) -> Arena& { return isSmall(slot) ? small : large; };
    for (size_t s : order) {
      Slot& slot = out_.slots[s];
      while (!alive.empty() && alive.top().first < analysis_.birth(classOfSlot_[s])) {
        const Slot& dead = out_.slots[alive.top().second];
        arenaOf(dead).give(dead.offset, aligned(dead));
        alive.pop();
      }
      auto offset = slot.bytes > INT64_MAX - kAlignment ? std::nullopt : arenaOf(slot).take(aligned(slot));
      if (!offset) return tooLarge();
      slot.offset = *offset;
      alive.push({analysis_.death(classOfSlot_[s]), s});
    }
    for (size_t s : order)
      if (isSmall(out_.slots[s])) out_.slots[s].offset += large.size();
    auto end = checkedAdd(large.size(), small.size());
    if (!end) return tooLarge();
    out_.arenaBytes = *end;
    return {};
  }
  static bool isSmall(const Slot& slot) { return slot.bytes <= kSmallBytes; }
  static int64_t aligned(const Slot& slot) {
    const int64_t unit = isSmall(slot) ? kSmallAlignment : kAlignment;
    return std::max<int64_t>(slot.bytes + unit - 1, unit) / unit * unit;
  }
  static Status tooLarge() {
    Diagnostic d;
    d.fault = Fault::Runtime;
    d.message = "the values that live at the same time need more memory than can be addressed";
    return fail(std::move(d));
  }

  const Module& module_;
  AliasAnalysis analysis_;
  BufferAssignment out_;
  std::map<uint32_t, int32_t> parameterNumber_;  // by value
  std::vector<int32_t> slotOfClass_;
  std::vector<uint32_t> classOfSlot_;
};

int64_t BufferAssignment::totalBytes() const {
  int64_t total = arenaBytes;
  for (const Slot& slot : slots)
    if (slot.kind == SlotKind::Output || slot.kind == SlotKind::Constant)
      if (__builtin_add_overflow(total, slot.bytes, &total)) return INT64_MAX;
  return total;
}

Result<BufferAssignment> assignBuffers(const Module& module) {
  TESSERA_ASSIGN_OR_RETURN(AliasAnalysis analysis, AliasAnalysis::of(module));
  if (!analysis.requests().empty()) return fail("buffers can be assigned only after copy insertion");
  return BufferAssigner(module, std::move(analysis)).run();
}

}  // namespace tessera
