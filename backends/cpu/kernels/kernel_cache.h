// KernelCache: compiled kernels kept in a folder between processes, by the keys of kernel_key.h. Entries are written
// under a temporary name and renamed. Whatever goes wrong (no folder, a full disk, a damaged entry) means a
// compilation, never an error and never wrong code.
//
// An entry is code that this process will run, so it must be of this user's making: the folder is opened once and used
// by its descriptor alone; it, its parents and every entry must be safe by owner and mode (core/base/safe_files.h); and
// each entry carries a keyed hash of its content, whose secret only this user can read.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "backends/cpu/kernels/kernel_key.h"
#include "core/base/safe_files.h"

namespace tessera::cpu {

class KernelCache {
 public:
  using Key = KernelKey;
  static constexpr int64_t kMaxBytes = int64_t{256} << 20;

  // folder "": off. Off, too, when the folder cannot be made or is not safe, or where no secret can be kept.
  KernelCache(const std::string& folder, const HostProcessor& host, int64_t mostBytes = kMaxBytes);

  bool isOn() const { return on_.load(std::memory_order_relaxed); }
  Key keyOf(const KernelSource& source) const { return kernelKey(environment_, source); }
  // Damaged and forged entries are removed. From any thread.
  std::optional<KernelCode> find(const Key& key) const;
  void store(const Key& key, const KernelCode& code);
  // Removes the entries that were not used for longest until three quarters of the bound are left.
  void trim() const;

 private:
  Descriptor folder_;
  UserKey secret_{};
  std::string environment_;
  int64_t mostBytes_;
  std::atomic<bool> on_{false};
};

}  // namespace tessera::cpu
