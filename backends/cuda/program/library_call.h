// LibraryCall: an operation of a plan that a library of NVIDIA's computes, as plain data. Arrays are dense; where
// nothing else is said, row-major.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/element_type.h"

namespace tessera::cuda {

// What is done to a product or a convolution on its way to memory.
enum class ProductEnding : uint8_t { None, Relu, Gelu };

enum class LibraryOperation : uint8_t {
  None,
  MatrixProduct,     // operands: a, b, perhaps a bias [n]; results: d. d[batch, m, n] = ending(scale · sum over k of
                     // a[batch, m, k] · b[batch, k, n] + bias[n])
  Fourier,           // operands: the lines; results: their transforms, not scaled
  MatrixRoutine,     // see MatrixRoutine
  Attention,         // operands: q, k, v; results: o
  Convolution,       // operands: x, w, perhaps a bias [k]; results: y, which becomes ending(scale · y + bias)
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

// A routine of linear algebra on `batch` matrices one behind the other, column-major as cuSOLVER and cuBLAS have them;
// for a row-major array that is each matrix transposed. info: s32, one a matrix, as LAPACK has it.
enum class MatrixRoutine : uint8_t {
  Cholesky,          // results: a (in place, one triangle), info
  Lu,                // results: a (in place), pivots (s64, from 1), info
  Qr,                // results: a (in place), tau
  ReflectorProduct,  // operands: tau; results: a (in place): the product of its reflectors
  ReflectorApply,    // operands: a [rows or columns, reflectors], tau; results: c (in place): that product times c
  SymmetricEigen,    // results: a (in place, its vectors), w (ascending), info
  Singular,          // results: a (overwritten), s, u, vt, info; rows >= columns
  Tridiagonal,       // results: a (in place), d, e, tau, info
  TriangularSolve    // operands: a; results: b (in place), that becomes x with op(a) · x = b or x · op(a) = b
};

struct MatrixCall {
  MatrixRoutine routine = MatrixRoutine::Cholesky;
  int64_t rows = 0, columns = 0, reflectors = 0;  // of the matrix in place
  bool isLower = false, isLeft = true, isTransposed = false, isConjugated = false, hasUnitDiagonal = false;
  bool hasVectors = true, isWhole = false;  // Singular: u and vt are square

  template <class Archive>
  void fields(Archive& archive) {
    archive(routine, rows, columns, reflectors, isLower, isLeft, isTransposed, isConjugated, hasUnitDiagonal,
            hasVectors, isWhole);
  }
};

// o[b, h, i] = sum over j of softmax over j of (scale · q[b, h, i] · k[b, h, j]) · v[b, h, j]. Strides in elements:
// of the batch, the heads, the queries or keys, and the elements of one.
struct AttentionCall {
  int64_t batch = 1, heads = 1, queries = 0, keys = 0, depth = 0, width = 0;  // depth: of q and k; width: of v
  std::vector<int64_t> qStrides, kStrides, vStrides, oStrides;
  double scale = 1;

  template <class Archive>
  void fields(Archive& archive) {
    archive(batch, heads, queries, keys, depth, width, qStrides, kStrides, vStrides, oStrides, scale);
  }
};

struct LibraryCall {
  LibraryOperation operation = LibraryOperation::None;
  ElementType in = ElementType::F32, out = ElementType::F32;
  // MatrixProduct
  ElementType right = ElementType::F32;  // of b; `in`: of a
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;  // a is stored as [k, m], b as [n, k]
  bool allowsTf32 = false;
  // MatrixProduct, Convolution
  bool hasBias = false;
  double scale = 1;
  ProductEnding ending = ProductEnding::None;
  // Fourier: the last dimensions; `in` and `out` say whether one side is real
  std::vector<int64_t> lengths;
  bool isInverse = false;
  MatrixCall matrix;
  AttentionCall attention;
  ConvolutionCall convolution;
  int64_t workspaceBytes = 0;

  bool isConvolution() const { return operation >= LibraryOperation::Convolution; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(operation, in, out, right, batch, m, n, k, aTransposed, bTransposed, allowsTf32, hasBias, scale, ending,
            lengths, isInverse, matrix, attention, convolution, workspaceBytes);
  }
};

// "512 by 512 by 64, bf16 to f32".
std::string toString(const LibraryCall& call);

}  // namespace tessera::cuda
