// SlotAllocator: places of arena slots, decided while the plan is built in execution order: best fit among freed
// ranges, else the arena grows. Sizes are checked, so that a module too large for memory is told by its size.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backends/cpu/plan.h"
#include "core/base/result.h"

namespace tessera::cpu {

class SlotAllocator {
 public:
  explicit SlotAllocator(std::vector<Slot>& slots) : slots_(slots) {}

  // A slot in the arena with one reference. Fault::Runtime when the arena would pass 2^62 bytes.
  Result<int> allocate(int64_t bytes);
  int fixed(Slot slot);  // argument, constant or output: never freed
  void retain(int slot) { ++references_[static_cast<size_t>(slot)]; }
  void release(int slot);  // frees an arena slot with its last reference
  int references(int slot) const { return references_[static_cast<size_t>(slot)]; }
  bool isWritable(int slot) const {
    SlotKind kind = slots_[static_cast<size_t>(slot)].kind;
    return kind == SlotKind::Arena || kind == SlotKind::Output;
  }
  int64_t arenaBytes() const { return end_; }

 private:
  std::vector<Slot>& slots_;
  std::vector<int> references_;
  std::map<int64_t, int64_t> free_;  // offset -> bytes, neither touching
  int64_t end_ = 0;
};

}  // namespace tessera::cpu
