// KernelCache: compiled kernels kept in a folder between processes. A kernel's key is a hash of its program (or tile)
// and of all else that its code depends on: this library's and LLVM's builds, the processor and the features that may
// be used. Entries are written under a temporary name and renamed, and carry their key and a checksum. Whatever goes
// wrong (no folder, a full disk, a damaged entry) means a compilation, never an error and never wrong code.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "backends/cpu/kernels/kernel_compiler.h"

namespace tessera::cpu {

class KernelCache {
 public:
  using Key = std::array<uint8_t, 32>;
  static constexpr int64_t kMaxBytes = int64_t{256} << 20;

  // folder "": off. Off, too, when the folder cannot be made, or another user could write into it.
  KernelCache(std::string folder, const HostProcessor& host, int64_t mostBytes = kMaxBytes);

  bool isOn() const { return on_.load(std::memory_order_relaxed); }
  Key keyOf(const KernelSource& source) const;
  // Damaged entries are removed. From any thread.
  std::optional<KernelCode> find(const Key& key) const;
  void store(const Key& key, const KernelCode& code);
  // Removes the entries that were not used for longest until three quarters of the bound are left.
  void trim() const;

 private:
  std::string pathOf(const Key& key) const;

  std::string folder_, environment_;
  int64_t mostBytes_;
  std::atomic<bool> on_{false};
};

}  // namespace tessera::cpu
