// See library_call.h.
#include "backends/cuda/program/library_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::cuda {

namespace {

const char* nameOf(MatrixRoutine routine) {
  switch (routine) {
    case MatrixRoutine::Cholesky: return "Cholesky factors";
    case MatrixRoutine::Lu: return "LU factors";
    case MatrixRoutine::Qr: return "QR factors";
    case MatrixRoutine::ReflectorProduct: return "product of reflectors";
    case MatrixRoutine::ReflectorApply: return "product with reflectors";
    case MatrixRoutine::SymmetricEigen: return "eigenvalues";
    case MatrixRoutine::Singular: return "singular values";
    case MatrixRoutine::Tridiagonal: return "tridiagonal form";
    case MatrixRoutine::TriangularSolve: return "triangular systems";
  }
  return "";
}

std::string endOf(const LibraryCall& call) {
  std::string out;
  if (call.scale != 1) out += fmt::format(", times {:.6g}", call.scale);
  if (call.hasBias) out += ", bias";
  if (call.ending != ProductEnding::None) out += call.ending == ProductEnding::Relu ? ", relu" : ", gelu";
  return out;
}

}  // namespace

std::string toString(const LibraryCall& call) {
  const std::string types = call.in == call.out ? std::string(info(call.in).name)
                                                : fmt::format("{} to {}", info(call.in).name, info(call.out).name);
  if (call.operation == LibraryOperation::Fourier)
    return fmt::format("{} lines of {}, {}", call.batch, fmt::join(call.lengths, " by "), types);
  if (call.operation == LibraryOperation::MatrixRoutine)
    return fmt::format("{} of {} of {} by {}, {}", nameOf(call.matrix.routine), call.batch, call.matrix.rows,
                       call.matrix.columns, types);
  if (call.operation == LibraryOperation::Attention) {
    const AttentionCall& a = call.attention;
    return fmt::format("attention of {} by {}: {} queries of {}, {} keys, values of {}, times {:.6g}, {}", a.batch,
                       a.heads, a.queries, a.depth, a.keys, a.width, a.scale, types);
  }
  if (call.isConvolution()) {
    const ConvolutionCall& c = call.convolution;
    const char* what = call.operation == LibraryOperation::ConvolutionInput    ? ", cotangent of the input"
                       : call.operation == LibraryOperation::ConvolutionFilter ? ", cotangent of the filter"
                                                                               : "";
    return fmt::format("{} with a filter of {}{}, {}{}", fmt::join(c.xSizes, " by "), fmt::join(c.wSizes, " by "), what,
                       types, endOf(call));
  }
  const std::string factors = call.in == call.right ? types
                                                    : fmt::format("{} and {} to {}", info(call.in).name,
                                                                  info(call.right).name, info(call.out).name);
  const std::string one = fmt::format("{} by {} by {}, {}{}", call.m, call.n, call.k, factors, endOf(call));
  return call.batch > 1 ? fmt::format("{} of {}", call.batch, one) : one;
}

}  // namespace tessera::cuda
