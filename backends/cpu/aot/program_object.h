// ProgramObject: a plan and the machine code of its kernels as an object file with a C entry point, and the C header
// that declares it. The run-time library (backends/runtime) deserializes the steps of the plan and runs them, so
// each kind of step has one implementation. Used by cpu_executable.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/kernels/kernel_code.h"
#include "backends/cpu/plan/plan.h"
#include "core/devices/collectives.h"
#include "core/hlo/module.h"

namespace tessera::aot {

// An argument or result in C's eyes.
struct ArrayForm {
  std::string name;  // the parameter's, or "result"
  const Shape* shape = nullptr;
  int64_t argument = -1;  // of a result: the argument in whose memory it may be stored
  std::string note = {};  // what a reader must know beside the shape
};

struct ProgramParts {
  std::string name;    // of its functions, a C identifier
  std::string module;  // where it comes from, for readers
  std::vector<ArrayForm> arguments, results;
  const Module& optimized;  // whose plan it is
  cpu::Plan& plan;
  std::span<const cpu::KernelCode> codes;
  std::span<const cpu::CompiledKernel> kernels;
  std::string features;  // of the processor, that kernels use: "avx2,fma"
  int threads = 1;
  DeviceGrid grid = {};  // the arrays below are of all its devices, one device after the other
};

// The entry's parameters and results on each device, aliases as the module declares them. `source` is what the
// optimised module was made of: where its entry has dynamic dimensions, arrays are as large as their bounds, and their
// sizes follow.
void describeArrays(const Module& source, ProgramParts& parts);

// ErrorKind::Unsupported names the instruction whose step no object can hold.
Result<CompiledObject> makeObject(ProgramParts& parts);

// The header: `workspace` is what NAME_workspace_bytes answers.
std::string headerText(const ProgramParts& parts, int64_t workspace, const std::vector<std::string>& libraries);

}  // namespace tessera::aot
