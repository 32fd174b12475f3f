// cuBLASLt, opened at run time: products of matrices. Its matrices are column-major: ours, row-major, are their
// transposes, so that dᵀ = bᵀ aᵀ is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class CublasLt {
 public:
  // The process's own. The error says why there is none.
  static Result<const CublasLt*> get();

  struct Algorithm {
    uint64_t data[8];
  };
  struct Heuristic {
    Algorithm algorithm;
    size_t workspaceBytes;
    int state;
    float waves;
    int reserved[4];
  };
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cublas_lt.inc"
#undef TESSERA_LIBRARY_FUNCTION

  const std::string& version() const { return version_; }  // "13.1"
  static std::string nameOf(int status);

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  std::string version_;
};

// Of one device, in whose context it is made and used.
class CublasLtHandle {
 public:
  ~CublasLtHandle();
  Status open(const CublasLt& library);
  // Fills in workspaceBytes. ErrorKind::Unsupported where it has no algorithm.
  Status choose(LibraryCall& call) const;
  // factors: a, b, and the bias where there is one.
  Status run(const LibraryCall& call, std::span<const DeviceAddress> factors, DeviceAddress d, DeviceAddress workspace,
             void* stream) const;

 private:
  struct Product;
  const CublasLt* library_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace tessera::cuda
