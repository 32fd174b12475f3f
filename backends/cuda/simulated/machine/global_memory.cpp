#include "backends/cuda/simulated/machine/global_memory.h"

#include <fmt/format.h>

#include <cstring>

#include "core/base/memory.h"
#include "core/base/units.h"

namespace tessera::cuda::simulated {

namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kGuard = 4096;  // between two allocations
constexpr uint64_t kNullPage = 65536;

std::unexpected<Diagnostic> noMemory(int64_t bytes, const DeviceMemory& amount) {
  return fail(ErrorKind::Runtime,
              fmt::format("CUDA_ERROR_OUT_OF_MEMORY: not enough memory on the device: {} asked, {} of {} free",
                          bytesText(static_cast<double>(bytes)), bytesText(static_cast<double>(amount.free)),
                          bytesText(static_cast<double>(amount.total))));
}

}  // namespace

Result<DeviceAddress> GlobalMemory::allocate(int64_t bytes) {
  if (bytes <= 0) return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_VALUE: an allocation of no bytes");
  if (bytes > total_ - used_) return noMemory(bytes, amount());
  if (!memoryIsAvailable(bytes)) return fail(ErrorKind::Runtime, "not enough memory for the simulated device's memory");
  std::unique_ptr<std::byte, FreeBytes> memory(static_cast<std::byte*>(std::calloc(1, static_cast<size_t>(bytes))));
  if (!memory) return fail(ErrorKind::Runtime, "not enough memory for the simulated device's memory");
  const uint64_t begin = next_;
  next_ = (begin + static_cast<uint64_t>(bytes) + kGuard + kAlignment - 1) / kAlignment * kAlignment;
  used_ += bytes;
  const MemorySpan span{begin, static_cast<uint64_t>(bytes), memory.get()};
  allocations_.emplace(begin, Allocation{.span = span, .memory = std::move(memory)});
  return begin;
}

Status GlobalMemory::release(DeviceAddress address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.isReleased)
    return fail(ErrorKind::Runtime,
                fmt::format("CUDA_ERROR_INVALID_VALUE: no allocation begins at {:#x}: {}", address, describe(address)));
  Allocation& allocation = found->second;
  used_ -= static_cast<int64_t>(allocation.span.bytes);
  allocation.memory.reset();
  allocation.span.host = nullptr;
  allocation.isReleased = true;
  return {};
}

const GlobalMemory::Allocation* GlobalMemory::before(uint64_t address) const {
  auto next = allocations_.upper_bound(address);
  return next == allocations_.begin() ? nullptr : &std::prev(next)->second;
}

const MemorySpan* GlobalMemory::find(uint64_t address) const {
  const Allocation* allocation = before(address);
  return allocation && !allocation->isReleased && allocation->span.holds(address, 1) ? &allocation->span : nullptr;
}

Result<std::byte*> GlobalMemory::range(DeviceAddress address, int64_t bytes, const char* what) const {
  const MemorySpan* span = find(address);
  if (bytes < 0 || !span || !span->holds(address, static_cast<uint64_t>(bytes)))
    return fail(ErrorKind::Runtime, fmt::format("CUDA_ERROR_INVALID_VALUE: {} of {} bytes at {:#x}: {}", what, bytes,
                                                address, describe(address)));
  return span->host + (address - span->begin);
}

std::string GlobalMemory::describe(uint64_t address) const {
  const Allocation* allocation = before(address);
  if (!allocation) return address < kNullPage ? "a null address" : "no memory was ever there";
  const MemorySpan& span = allocation->span;
  const uint64_t distance = address - span.begin;
  const std::string name = fmt::format("the {} bytes at {:#x}", countText(span.bytes), span.begin);
  if (allocation->isReleased && distance < span.bytes) return fmt::format("within {}, which were released", name);
  if (distance < span.bytes) return fmt::format("byte {} of {}", countText(distance), name);
  const auto next = allocations_.upper_bound(address);
  if (next != allocations_.end() && next->first - address < distance - span.bytes)
    return fmt::format("{} bytes before the {} bytes at {:#x}", countText(next->first - address),
                       countText(next->second.span.bytes), next->first);
  return fmt::format("{} bytes behind the end of {}", countText(distance - span.bytes), name);
}

}  // namespace tessera::cuda::simulated
