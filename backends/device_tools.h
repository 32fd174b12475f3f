// What NVIDIA's tools say of kernels without a card, where they are installed: `ptxas` their registers and memory, and
// `nvdisasm` the machine code. Looked for in PATH, $CUDA_HOME/bin and /usr/local/cuda*/bin. Nothing else needs them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct KernelFigures {
  std::string name;   // the entry's
  int registers = 0;  // of a thread
  int64_t spilledBytes = 0, stackBytes = 0, sharedBytes = 0;
  int64_t instructions = 0;  // of the machine code
  // Threads that an SM can hold over those that it could, by registers, shared memory and the block's size.
  double occupancy(unsigned blockThreads) const;
};

struct MachineCode {
  std::string architecture;  // for which it was made: the oldest that the tool knows from the asked one on
  std::vector<KernelFigures> kernels;
  std::string sass;     // "" without nvdisasm
  std::string without;  // why there is none
};

// ErrorKind::Unsupported without ptxas; ErrorKind::Invalid with its words where it refuses the text.
Result<MachineCode> machineCodeOf(const std::string& ptx, const std::string& architecture);
// The part of a kernel; "" where it is not there.
std::string sassOf(const MachineCode& code, const std::string& kernel);

}  // namespace tessera
