// cuSOLVER, opened at run time: factors, eigenvalues and singular values of dense matrices in f32, f64, c64 and c128.
// Matrices are taken one after another. It waits for the device while it works, so no graph holds it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class Cusolver {
 public:
  // The process's own. The error says why there is none.
  static Result<const Cusolver*> get();

#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cusolver.inc"
#undef TESSERA_LIBRARY_FUNCTION

  const std::string& version() const { return version_; }  // "12.0"

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  std::string version_;
};

// Of one device, in whose context it is made and used.
class CusolverHandle {
 public:
  ~CusolverHandle();
  Status open(const Cusolver& library);
  // Fills in workspaceBytes. ErrorKind::Unsupported where the type or the size is not its.
  Status choose(LibraryCall& call) const;
  Status run(const LibraryCall& call, std::span<const DeviceAddress> operands, std::span<const DeviceAddress> results,
             DeviceAddress workspace, void* stream) const;

 private:
  class Site;
  const Cusolver* library_ = nullptr;
  void *handle_ = nullptr, *parameters_ = nullptr;
};

}  // namespace tessera::cuda
