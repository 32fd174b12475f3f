// See slot_memory.h.
#include "backends/cuda/program/slot_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::cuda {

SlotMemory::~SlotMemory() { giveBack(); }

void SlotMemory::giveBack() {
  for (DeviceAddress address : taken_) (void)device_.release(address);
  taken_.clear();
  addresses_.clear();
}

int64_t SlotMemory::neededBytes() const {
  int64_t bytes = plan_.arenaBytes;
  for (const DeviceSlot& slot : plan_.slots)
    if (slot.kind != SlotKind::Temp && __builtin_add_overflow(bytes, slot.bytes, &bytes)) return INT64_MAX;
  return bytes;
}

std::string SlotMemory::shortage(const std::string& cause) {
  const auto memory = device_.memory();
  std::string out = fmt::format("not enough memory on the device: the program needs {} bytes ({} for temporary values)",
                                neededBytes(), plan_.arenaBytes);
  if (memory) out += fmt::format(", {} of {} are free", memory->free, memory->total);
  const auto largest = std::ranges::max_element(plan_.slots, {}, &DeviceSlot::bytes);
  if (largest != plan_.slots.end() && !largest->owner.empty())
    out += fmt::format("; the largest value is %{} with {} bytes", largest->owner, largest->bytes);
  return out + " (" + cause + ")";
}

Result<DeviceAddress> SlotMemory::take(int64_t bytes) {
  if (bytes == 0) return DeviceAddress{0};
  TESSERA_ASSIGN_OR_RETURN(const DeviceAddress address, device_.allocate(bytes));
  taken_.push_back(address);
  return address;
}

// An array of its own each but for the temporaries, so that the simulated device sees what leaves one.
Status SlotMemory::takeAll() {
  TESSERA_ASSIGN_OR_RETURN(const DeviceAddress arena, take(plan_.arenaBytes));
  std::vector<DeviceAddress> outputs;
  addresses_.assign(plan_.slots.size(), 0);
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    const DeviceSlot& slot = plan_.slots[s];
    if (slot.kind == SlotKind::Temp) continue;
    TESSERA_ASSIGN_OR_RETURN(addresses_[s], take(slot.bytes));
    if (slot.kind != SlotKind::Output) continue;
    outputs.resize(std::max(outputs.size(), static_cast<size_t>(slot.index) + 1));
    outputs[static_cast<size_t>(slot.index)] = addresses_[s];
  }
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    const DeviceSlot& slot = plan_.slots[s];
    if (slot.kind != SlotKind::Temp) continue;
    const DeviceAddress base = slot.lender < 0 ? arena : outputs[static_cast<size_t>(slot.lender)];
    addresses_[s] = base + static_cast<DeviceAddress>(slot.offset);
  }
  return {};
}

Status SlotMemory::writeConstants() {
  for (size_t s = 0; s < plan_.slots.size(); ++s)
    if (const DeviceSlot& slot = plan_.slots[s]; slot.kind == SlotKind::Constant && addresses_[s] != 0)
      TESSERA_TRY(device_.copyToDevice(addresses_[s], slot.value, StreamId::Default));
  return device_.synchronize(StreamId::Default);
}

Status SlotMemory::prepare() {
  if (isReady()) return {};
  if (const Status taken = takeAll(); !taken) {
    const std::string cause = taken.error().message;
    giveBack();
    return fail(ErrorKind::Runtime, shortage(cause));
  }
  const Status written = writeConstants();
  if (!written) giveBack();
  return written;
}

}  // namespace tessera::cuda
