// KernelCache: compiled kernels kept between processes, by the keys of kernel_key.h, in a codegen/code_cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/codegen/code_cache.h"
#include "backends/cpu/kernels/kernel_key.h"

namespace tessera::cpu {

class KernelCache {
 public:
  using Key = KernelKey;
  static constexpr int64_t kMaxBytes = codegen::CodeCache::kMaxBytes;

  // As a CodeCache; off, too, when it is not known which build this is.
  KernelCache(const std::string& folder, const HostProcessor& host, int64_t mostBytes = kMaxBytes)
      : cache_(folder, mostBytes), environment_(kernelEnvironment(host)) {}

  bool isOn() const { return cache_.isOn(); }
  Key keyOf(const KernelSource& source) const { return kernelKey(environment_, source); }
  // From any thread.
  std::optional<KernelCode> find(const Key& key) const {
    const auto bytes = cache_.find(key);
    auto code = bytes ? decoded(*bytes) : std::nullopt;
    if (bytes && !code) cache_.remove(key);
    return code;
  }
  void store(const Key& key, const KernelCode& code) { cache_.store(key, encoded(code)); }
  void trim() const { cache_.trim(); }

 private:
  codegen::CodeCache cache_;
  std::string environment_;
};

}  // namespace tessera::cpu
