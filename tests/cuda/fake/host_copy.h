// Memory of the fake driver's device on the host, for fake libraries that compute there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/cuda/fake/fake_numbers.h"

namespace tessera::fake {

// An array of the device, fetched when it is made; put() writes it back. Status 0: fine.
template <class T>
class HostCopy {
 public:
  HostCopy(const void* device, size_t count, void* stream)
      : address_(reinterpret_cast<uint64_t>(device)), stream_(stream), values_(count) {
    if (count > 0 &&
        (cuMemcpyDtoHAsync_v2(values_.data(), address_, count * sizeof(T), stream) || cuStreamSynchronize(stream)))
      hasFailed_ = true;
  }
  T* data() { return values_.data(); }
  bool hasFailed() const { return hasFailed_; }
  bool put() const {
    return values_.empty() || !(cuMemcpyHtoDAsync_v2(address_, values_.data(), values_.size() * sizeof(T), stream_) ||
                                cuStreamSynchronize(stream_));
  }

 private:
  uint64_t address_;
  void* stream_;
  std::vector<T> values_;
  bool hasFailed_ = false;
};

}  // namespace tessera::fake
