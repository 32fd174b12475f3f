// cuDNN, opened at run time: convolutions, with their ends, and the cotangents of their inputs and filters, by
// algorithms that give the same bits each time. f32 is multiplied as f32, not as TF32.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class Cudnn {
 public:
  // The process's own. The error says why there is none.
  static Result<const Cudnn*> get();

  // An algorithm that is proposed.
  struct Choice {
    int algorithm, status;
    float milliseconds;
    size_t workspaceBytes;
    int determinism, arithmetic;
    int reserved[3];
  };
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cudnn.inc"
#undef TESSERA_LIBRARY_FUNCTION

  const std::string& version() const { return version_; }  // "9.13"

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  std::string version_;
};

// Of one device, in whose context it is made and used.
class CudnnHandle {
 public:
  ~CudnnHandle();
  Status open(const Cudnn& library);
  void* native() const { return handle_; }
  // Fills in workspaceBytes. ErrorKind::Unsupported where it has no algorithm.
  Status choose(LibraryCall& call) const;
  // operands: of the call's operation.
  Status run(const LibraryCall& call, std::span<const DeviceAddress> operands, DeviceAddress result,
             DeviceAddress workspace, void* stream) const;

 private:
  struct Site;
  const Cudnn* library_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace tessera::cuda
