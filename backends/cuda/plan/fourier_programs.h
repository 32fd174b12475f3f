// FourierPrograms: transforms of lines as element programs, one a pass: each output of a pass sums `radix` inputs, each
// times a root of one (Stockham's form of Cooley and Tukey, which needs no reordering). Any length; the radices are its
// factors, small ones joined. Half spectra of real lines are cut and completed by the outermost passes.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/element/element_program.h"

namespace tessera::cuda {

struct FourierPass {
  LoopProgram program;  // operands: the array before, the roots; output: the array after
  std::string roots;    // of the line's length, c64 or c128: exp(∓2πi k / length)
};

struct FourierRequest {
  Shape operand, result;         // of the instruction
  std::string type;              // "FFT", "IFFT", "RFFT", "IRFFT"
  std::vector<int64_t> lengths;  // of the last dimensions
};

// In order; each reads what the one before has made. ErrorKind::Unsupported where an array is empty.
Result<std::vector<FourierPass>> fourierPassesOf(const FourierRequest& request);

}  // namespace tessera::cuda
