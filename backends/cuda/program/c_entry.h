// A program compiled ahead of time for a device, as C calls it. Its object (aot/device_object) holds one DeviceTable
// with all that it points to, and functions that call those below with it. The first run opens the device and loads the
// kernels; both are kept for the next. Runs at the same time wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::cuda {

constexpr uint64_t kDeviceTableVersion = 1;  // of the structure below and of DeviceProgram's fields

// What NAME_run answers; the numbers are those of programs for processors (runtime/program.h).
enum DeviceAnswer : int {
  kDeviceFine = 0,
  kDeviceArgument = 1,  // a pointer is null
  kDeviceMissing = 2,   // no driver, no card, or one that is too old
  kDeviceMemory = 3,
  kDeviceFailed = 4,
};

struct DeviceTable {
  uint64_t version;
  const char* program;  // a DeviceProgram's fields
  uint64_t programBytes;
  const char* constants;
  const uint64_t* argumentBytes;
  uint64_t argumentCount;
  const uint64_t* resultBytes;
  uint64_t resultCount;
  void* ready;  // what runs keep; null before the first
};

}  // namespace tessera::cuda

// workspace: not used; there as for programs that run on processors.
extern "C" int tessera_cuda_program_run(const void* const* arguments, void* const* results, void* workspace,
                                        char* error, size_t errorBytes, tessera::cuda::DeviceTable* table);
// Later runs use the device of this name (device_choice.h); null or "": $TESSERA_CUDA_DEVICE, else the first card.
extern "C" int tessera_cuda_program_device(const char* device, tessera::cuda::DeviceTable* table);
