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
  const std::string one = fmt::format("{} by {} by {}, {}", call.m, call.n, call.k, types);
  return call.batch > 1 ? fmt::format("{} of {}", call.batch, one) : one;
}

}  // namespace tessera::cuda
