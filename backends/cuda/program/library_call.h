// LibraryCall: an operation of a plan that a library of NVIDIA's computes, as plain data. Arrays are dense; where
// nothing else is said, row-major.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/element_type.h"

namespace tessera::cuda {

// What is done to a product on its way to memory.
enum class ProductEnding : uint8_t { None, Relu, Gelu };

enum class LibraryOperation : uint8_t {
  None,
  MatrixProduct,     // operands: a, b, perhaps a bias [n]; results: d. d[batch, m, n] = ending(scale · sum over k of
                     // a[batch, m, k] · b[batch, k, n] + bias[n])
  Fourier,           // operands: the lines; results: their transforms, not scaled
  Convolution,       // operands: x, w; results: y
  ConvolutionInput,  // operands: y, w; results: x, the cotangent of a convolution's input for that of its output
  ConvolutionFilter  // operands: x, y; results: w, the cotangent of its filter
};

// y[n, k, i] = sum over c and r of x[n, c, i · step + r · dilation - pad] · w[k, c, r], in groups of features; x is
// zero outside its bounds. Sizes and strides (in elements) of x and y: n, c or k, then the window's dimensions; sizes
// of w: k, c of one group, window.
struct ConvolutionCall {
  std::vector<int64_t> xSizes, xStrides, ySizes, yStrides, wSizes;
  std::vector<int64_t> pads, steps, dilations;
  int64_t groups = 1;
  bool hasFeaturesLast = false;  // w is stored as [k, window, c], else as [k, c, window]
  bool isReversed = false;       // w[k, c, -r] in the place of w[k, c, r]

  template <class Archive>
  void fields(Archive& archive) {
    archive(xSizes, xStrides, ySizes, yStrides, wSizes, pads, steps, dilations, groups, hasFeaturesLast, isReversed);
  }
};

struct LibraryCall {
  LibraryOperation operation = LibraryOperation::None;
  ElementType in = ElementType::F32, out = ElementType::F32;
  // MatrixProduct
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;  // a is stored as [k, m], b as [n, k]
  bool allowsTf32 = false, hasBias = false;
  double scale = 1;
  ProductEnding ending = ProductEnding::None;
  // Fourier: the last dimensions; `in` and `out` say whether one side is real
  std::vector<int64_t> lengths;
  bool isInverse = false;
  ConvolutionCall convolution;
  int64_t workspaceBytes = 0;

  bool isConvolution() const { return operation >= LibraryOperation::Convolution; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(operation, in, out, batch, m, n, k, aTransposed, bTransposed, allowsTf32, hasBias, scale, ending, lengths,
            isInverse, convolution, workspaceBytes);
  }
};

// "512 by 512 by 64, bf16 to f32".
std::string toString(const LibraryCall& call);

}  // namespace tessera::cuda
