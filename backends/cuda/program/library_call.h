// LibraryCall: an operation of a plan that a library of NVIDIA's computes, as plain data. Arrays are dense and
// row-major.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/element_type.h"

namespace tessera::cuda {

enum class LibraryOperation : uint8_t {
  None,
  MatrixProduct,  // operands: a, b; results: d. d[batch, m, n] = sum over k of a[batch, m, k] · b[batch, k, n]
  Fourier,        // operands: the lines; results: their transforms, not scaled
};

struct LibraryCall {
  LibraryOperation operation = LibraryOperation::None;
  ElementType in = ElementType::F32, out = ElementType::F32;
  // MatrixProduct
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;  // a is stored as [k, m], b as [n, k]
  bool allowsTf32 = false;
  // Fourier: the last dimensions; `in` and `out` say whether one side is real
  std::vector<int64_t> lengths;
  bool isInverse = false;
  int64_t workspaceBytes = 0;

  template <class Archive>
  void fields(Archive& archive) {
    archive(operation, in, out, batch, m, n, k, aTransposed, bTransposed, allowsTf32, lengths, isInverse,
            workspaceBytes);
  }
};

// "512 by 512 by 64, bf16 to f32".
std::string toString(const LibraryCall& call);

}  // namespace tessera::cuda
