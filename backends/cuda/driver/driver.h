// The CUDA driver's library, opened at run time, with declarations of our own: names and numbers are those of the CUDA
// driver API, which keeps them. Used by driver_device.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "backends/cuda/device.h"

namespace tessera::cuda::driver {

using Handle = void*;  // of a context, module, function, stream, event, graph or link
enum class Code : int {
  Success = 0,
  OutOfMemory = 2,
  StubLibrary = 34,
  NoDevice = 100,
  NotReady = 600,
  SystemDriverMismatch = 803,
};
enum class Attribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedMemoryPerBlock = 8,
  ClockKilohertz = 13,
  MultiprocessorCount = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  L2CacheBytes = 38,
  MaxThreadsPerMultiprocessor = 39,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxRegistersPerMultiprocessor = 82,
  MaxSharedMemoryPerBlockOptIn = 97,
};
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};
enum class LinkOption : int { ErrorLog = 5, ErrorLogBytes = 6, TargetFromContext = 8 };
enum class LinkInput : int { Ptx = 1 };
enum class CaptureMode : int { ThreadLocal = 1 };
inline constexpr unsigned kStreamNonBlocking = 1, kMemHostPortable = 1;
// Behind a launch's parameters: "a buffer", "its size", "the end".
inline void* const kParameterBuffer = reinterpret_cast<void*>(1);
inline void* const kParameterBytes = reinterpret_cast<void*>(2);

class Driver {
 public:
  // The process's driver, initialised. The error names what is missing and what to do.
  static Result<const Driver*> get();

#define TESSERA_DRIVER_FUNCTION(symbol, name, parameters) Code(*name) parameters = nullptr;
#include "backends/cuda/driver/driver_functions.inc"
#undef TESSERA_DRIVER_FUNCTION

  int version() const { return version_; }
  std::string nameOf(Code code) const;  // "CUDA_ERROR_INVALID_VALUE: invalid argument"
                                        // Success, or a failure that names the operation.
  Status check(Code code, const char* doing) const;

 private:
  Status open();
  Status initialise();
  int version_ = 0;
};

}  // namespace tessera::cuda::driver
