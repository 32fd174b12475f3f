// cuBLAS, opened at run time: triangular systems in f32, f64, c64 and c128. Products are cuBLASLt's.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class Cublas {
 public:
  // The process's own. The error says why there is none.
  static Result<const Cublas*> get();

#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cublas.inc"
#undef TESSERA_LIBRARY_FUNCTION

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
};

// Of one device, in whose context it is made and used.
class CublasHandle {
 public:
  ~CublasHandle();
  Status open(const Cublas& library);
  const std::string& version() const { return version_; }  // "13.1"
  // ErrorKind::Unsupported where the type is not its.
  Status choose(LibraryCall& call) const;
  // b becomes x.
  Status run(const LibraryCall& call, DeviceAddress a, DeviceAddress b, void* stream) const;

 private:
  const Cublas* library_ = nullptr;
  void* handle_ = nullptr;
  std::string version_;
};

}  // namespace tessera::cuda
