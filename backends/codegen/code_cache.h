// CodeCache: compiled code kept in a folder between processes, by keys. Entries are written under a temporary name and
// renamed. Whatever goes wrong (no folder, a full disk, a damaged entry) means a compilation, never an error and never
// wrong code.
//
// An entry is code that this process will run, so it must be of this user's making: the folder is opened once and used
// by its descriptor alone; it, its parents and every entry must be safe by owner and mode (core/base/safe_files.h); and
// each entry carries a keyed hash of its content, whose secret only this user can read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/safe_files.h"

namespace tessera::codegen {

using CodeKey = std::array<uint8_t, 32>;
CodeKey hashOf(std::string_view bytes);

// Which build the shared object is that holds the address: the linker's hash of it; "": it has none.
std::string buildIdOf(const void* address);

// What all code depends on beside its program: the builds of this library and of LLVM, the tuning constants. "" when it
// is not known which build this is; then nothing may be kept.
std::string buildEnvironment();

class CodeCache {
 public:
  static constexpr int64_t kMaxBytes = int64_t{256} << 20;

  // folder "": off. Off, too, when the folder cannot be made or is not safe, or where no secret can be kept.
  explicit CodeCache(const std::string& folder, int64_t mostBytes = kMaxBytes);

  bool isOn() const { return on_.load(std::memory_order_relaxed); }
  // Damaged and forged entries are removed. From any thread.
  std::optional<std::string> find(const CodeKey& key) const;
  void store(const CodeKey& key, std::string_view code);
  void remove(const CodeKey& key) const;
  // Removes the entries that were not used for longest until three quarters of the bound are left.
  void trim() const;

 private:
  Descriptor folder_;
  UserKey secret_{};
  int64_t mostBytes_;
  std::atomic<bool> on_{false};
};

}  // namespace tessera::codegen
