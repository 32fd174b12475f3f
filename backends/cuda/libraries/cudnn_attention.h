// Attention by cuDNN's graph API, whose operation for it (newer versions of 9) takes queries, keys and values of bf16
// or f16 without a mask. Its plans are made once for each call.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "backends/cuda/libraries/cudnn.h"

namespace tessera::cuda {

class CudnnAttention {
 public:
  CudnnAttention();
  ~CudnnAttention();
  // handle: cuDNN's own of the device; both outlive this.
  void open(const Cudnn& library, void* handle) { library_ = &library, handle_ = handle; }
  // Fills in workspaceBytes. ErrorKind::Unsupported where the version, the card or the sizes are not its.
  Status choose(LibraryCall& call);
  // operands: q, k, v.
  Status run(const LibraryCall& call, std::span<const DeviceAddress> operands, DeviceAddress result,
             DeviceAddress workspace, void* stream);

 private:
  struct Plan;
  Result<const Plan*> planFor(const LibraryCall& call);
  const Cudnn* library_ = nullptr;
  void* handle_ = nullptr;
  std::map<std::string, std::unique_ptr<Plan>> plans_;  // by toString of the call, and strides
};

}  // namespace tessera::cuda
