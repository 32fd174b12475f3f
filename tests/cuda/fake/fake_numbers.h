// Numbers of a type in host memory, and what NVIDIA's other libraries call of the driver. Used by the fake libraries
// that compute.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/hlo/numbers.h"

extern "C" int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream);
extern "C" int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream);
extern "C" int cuStreamSynchronize(void* stream);
extern "C" int cuStreamIsCapturing(void* stream, int* status);

namespace tessera::fake {

inline double load(ElementType type, const std::byte* at) {
  if (type == ElementType::F32) return *reinterpret_cast<const float*>(at);
  if (type == ElementType::F64) return *reinterpret_cast<const double*>(at);
  if (tessera::byteWidth(type) == 1) return tessera::smallFloatToDouble(type, *reinterpret_cast<const uint8_t*>(at));
  return tessera::smallFloatToDouble(type, *reinterpret_cast<const uint16_t*>(at));
}
inline void store(ElementType type, std::byte* at, double value) {
  if (type == ElementType::F32)
    *reinterpret_cast<float*>(at) = static_cast<float>(value);
  else if (type == ElementType::F64)
    *reinterpret_cast<double*>(at) = value;
  else
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>(tessera::doubleToSmallFloat(type, value));
}

}  // namespace tessera::fake
