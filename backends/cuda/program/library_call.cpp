// See library_call.h.
#include "backends/cuda/program/library_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::cuda {

std::string toString(const LibraryCall& call) {
  const std::string types = call.in == call.out ? std::string(info(call.in).name)
                                                : fmt::format("{} to {}", info(call.in).name, info(call.out).name);
  if (call.operation == LibraryOperation::Fourier)
    return fmt::format("{} lines of {}, {}", call.batch, fmt::join(call.lengths, " by "), types);
  if (call.isConvolution()) {
    const ConvolutionCall& c = call.convolution;
    const char* what = call.operation == LibraryOperation::ConvolutionInput    ? ", cotangent of the input"
                       : call.operation == LibraryOperation::ConvolutionFilter ? ", cotangent of the filter"
                                                                               : "";
    return fmt::format("{} with a filter of {}{}, {}", fmt::join(c.xSizes, " by "), fmt::join(c.wSizes, " by "), what,
                       types);
  }
  std::string one = fmt::format("{} by {} by {}, {}", call.m, call.n, call.k, types);
  if (call.scale != 1) one += fmt::format(", times {:.6g}", call.scale);
  if (call.hasBias) one += ", bias";
  if (call.ending != ProductEnding::None) one += call.ending == ProductEnding::Relu ? ", relu" : ", gelu";
  return call.batch > 1 ? fmt::format("{} of {}", call.batch, one) : one;
}

}  // namespace tessera::cuda
