// The compiled side of `tessera explain`: what an instruction has become in the optimised module and in machine code.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace tessera {
struct Roofline;
}

namespace tessera::cli {

struct CodeOptions {
  bool loops = false, ir = false, assembly = false;
  bool ptx = false, sass = false;       // compiled for a CUDA device instead, with its PTX, its machine code
  bool warp = false;                    // what a warp touches, on the simulated device
  std::vector<int64_t> warpPlace;       // its block and number; empty: 0, 0
  std::string device = "cuda:sm_80";    // of those three
  std::string isa = "native", machine;  // machine: file of `tessera machine --json`
  int64_t runs = 0;                     // measured, with arguments by rule
  bool onDevice() const { return ptx || sass || warp; }
  bool any() const { return loops || ir || assembly || onDevice() || runs > 0 || !machine.empty(); }
};

// The output of `tessera machine --json`.
Result<Roofline> readRoofline(const std::string& file);

// name: of the source or of the optimised module.
Status explainCode(const Module& module, const std::string& name, const CodeOptions& options, Report& report);

}  // namespace tessera::cli
