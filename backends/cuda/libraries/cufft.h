// cuFFT, opened at run time: transforms from complex to complex and from real to complex. Those from complex to real
// overwrite what they read, and are left to our own kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class Cufft {
 public:
  // The process's own. The error says why there is none.
  static Result<const Cufft*> get();

#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cufft.inc"
#undef TESSERA_LIBRARY_FUNCTION

  const std::string& version() const { return version_; }  // "11.4"

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  std::string version_;
};

// The plans of one device, in whose context they are made and used; each is made once.
class CufftPlans {
 public:
  ~CufftPlans();
  void open(const Cufft& library) { library_ = &library; }
  Status choose(LibraryCall& call);
  Status run(const LibraryCall& call, DeviceAddress from, DeviceAddress to, DeviceAddress workspace, void* stream);

 private:
  struct Plan {
    int number = -1;
    size_t workspaceBytes = 0;
  };
  Result<Plan> planFor(const LibraryCall& call);
  const Cufft* library_ = nullptr;
  std::map<std::string, Plan> plans_;  // by toString of the call
};

}  // namespace tessera::cuda
