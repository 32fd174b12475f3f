// Backend: compile(Module) -> Executable; Executable::run(values) -> values. The only header through which apps see
// code generation; LLVM and oneDNN stay behind it.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/roofline.h"
#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

class Communicator;       // core/devices/collectives.h
class CustomCallLibrary;  // core/custom_calls/custom_call_library.h

struct CompileOptions {
  int threads = 0;                            // 0: all cores
  const std::atomic<bool>* cancel = nullptr;  // polled; cancelled compiles fail with ErrorKind::Runtime
  std::function<void(std::string_view stage, double fraction)> progress;
  // Widest vectors: "native", "avx2" or "sse4"; libraries choose for themselves. With keepsCode also the levels
  // "x86-64-v2", "x86-64-v3", "x86-64-v4", which this machine need not have.
  std::string isa = "native";
  std::string kernelCache;  // folder of compiled kernels; "": none are kept
  bool keepsCode = false;   // for Executable::object
  // Of the backend "cuda": a card's number, "simulated", "simulated:sm_90", or the architecture of a device that this
  // machine lacks ("sm_90", for Executable::object); "": the first card.
  std::string device;
  // Of several devices of a run on this machine, which this is: with device "" the card of this number, modulo how many
  // there are.
  int deviceNumber = 0;
  // The user's targets of custom calls, which runs are given through their communicator; null: the built-in ones only.
  const CustomCallLibrary* customCalls = nullptr;
};

// $TESSERA_KERNEL_CACHE ("off": none), else tessera/kernels in $XDG_CACHE_HOME or ~/.cache; "" where there is no home.
std::string defaultKernelCache();

struct RunOptions {
  const std::atomic<bool>* cancel = nullptr;
  // Connects the run with those on other devices and with the outside; null: it runs alone. An executable runs on one
  // device at a time.
  Communicator* communicator = nullptr;
  // Of devices with a memory of their own: the arguments are those of the run before, which are there; the results stay
  // there, and what is returned for them holds no values.
  bool argumentsStay = false, resultsStay = false;
};

struct KernelCounts {
  int64_t kernels = 0, cached = 0;  // of them not compiled but found in the cache
  int64_t codeBytes = 0;
};

// The location of an array of a step while it runs.
struct BufferLocation {
  std::string role;   // "operand 0", "result", "scratch"
  std::string place;  // "argument 1", "output 0", "constant", "arena"
  int64_t offset = 0, bytes = 0;
};

// What a step of a run is, for readers.
struct StepListing {
  std::string name, what;  // as in StepProfile
  std::vector<BufferLocation> buffers;
  double flops = 0, bytes = 0;              // estimated
  std::string irBefore, irAfter, assembly;  // of its kernel, if it has one: LLVM's, before and after its passes
  std::string kernel;                       // on a device: its entry, whose PTX is the assembly
  int64_t blocks = 0;                       // of its launch
  unsigned blockThreads = 0;
  unsigned dynamicSharedBytes = 0;  // of a block, beside the kernel's own
};

// What a simulated device complains of, beside the values that it computes.
struct DeviceReport {
  std::string kind, kernel, place, text;  // "race on shared memory"; its entry, line and sentence
  bool isError = true;                    // false: costs time only
  int64_t count = 1;                      // on all of `devices`
  int64_t devices = 1;                    // that report the same
};

// What a warp of a kernel does to memory at one instruction.
struct WarpAccess {
  std::string kernel, place;  // its entry; "line 41: ld.global.f32 %f1, [%rd4]"
  std::string array;          // "operand 0", "result"; "shared memory"
  bool isShared = false, isWrite = false;
  unsigned bytes = 0;                    // of a lane
  uint32_t lanes = 0;                    // that take part, a bit each
  std::array<int64_t, 32> offsets = {};  // in bytes from the array's begin
  int64_t units = 0, needed = 0;         // sectors of 32 bytes touched; rounds of the banks; and the least
};
// Which warp of the instruction's kernels.
struct WarpPlace {
  int64_t block = 0, warp = 0;
};

// A program compiled ahead of time: an object file and the C header that declares its functions.
struct CompiledObject {
  std::string bytes, header;
  std::vector<std::string> libraries;  // to link with it, in order: "tessera_runtime", "dnnl", "m"
};

class Executable {
 public:
  virtual ~Executable() = default;
  // arguments: leaves of the entry parameters in order (tuples flattened, tokens skipped), dense row-major.
  // outputs: leaves of the entry's root, likewise; what an earlier run of this executable left there may be overwritten
  // in place, copies of those literals see it too; a run that finds all arrays there need not allocate. With profile,
  // measurements are added to it.
  virtual Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                         const RunOptions& options = {}, Profile* profile = nullptr) = 0;
  // The same into arrays of its own.
  Result<std::vector<Literal>> run(std::span<const Literal> arguments, const RunOptions& options = {},
                                   Profile* profile = nullptr) {
    std::vector<Literal> outputs;
    TESSERA_TRY(runInto(arguments, outputs, options, profile));
    return outputs;
  }
  virtual const Module& optimized() const = 0;  // the module whose steps run
  virtual int64_t peakBytes() const = 0;        // arena + arguments + outputs + constants
  virtual KernelCounts kernelCounts() const { return {}; }
  // The steps of an instruction of optimized(); withCode compiles its kernels once more to show their code.
  virtual Result<std::vector<StepListing>> list(InstructionId instruction, bool withCode) const {
    (void)instruction, (void)withCode;
    return std::vector<StepListing>{};
  }
  // Of all runs so far.
  virtual std::vector<DeviceReport> deviceReports() const { return {}; }
  // Runs the program and tells what a warp of the instruction's kernels touches, in order. Of the simulated device.
  virtual Result<std::vector<WarpAccess>> warpAccesses(InstructionId instruction, std::span<const Literal> arguments,
                                                       WarpPlace place, const RunOptions& options) {
    (void)instruction, (void)arguments, (void)place, (void)options;
    return fail(ErrorKind::Unsupported, "only the simulated device shows what a warp does");
  }
  // Functions NAME_run and NAME_workspace_bytes, which need the run-time library and no Tessera. Needs keepsCode.
  // ErrorKind::Unsupported names the instruction that needs more.
  virtual Result<CompiledObject> object(const std::string& name) {
    return fail(ErrorKind::Unsupported, name + " cannot be compiled ahead of time: the backend writes no objects");
  }
  // Of the backend "cuda": all kernels as text, and what is launched.
  virtual Result<std::string> ptx(const std::string& name) {
    return fail(ErrorKind::Unsupported, name + " has no PTX: the backend makes none");
  }
};

// A device that a person may choose.
struct DeviceEntry {
  std::string device;  // CompileOptions::device; "": the kind is not here
  std::string name;    // "NVIDIA H200", "simulated"
  std::string text;    // its memory and architecture; or why it is not here and what to do
  int64_t memoryBytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual Result<std::unique_ptr<Executable>> compile(const Module& module, const CompileOptions& options = {}) = 0;
  // What the device can do at most, measured, about `seconds` a figure. Of the backend "cuda"; the processor's is
  // measureRoofline.
  virtual Result<Roofline> roofline(const std::string& device, double seconds) {
    (void)device, (void)seconds;
    return fail(ErrorKind::Unsupported, "this backend has no device of its own to measure");
  }
  // Those that it can run on, and why there are no others. Of the backend "cuda": the cards, then the simulated device.
  virtual std::vector<DeviceEntry> devices() { return {}; }
};

// "cpu" or "cuda" (each opens its module, which links LLVM, at the first call) or "evaluator". Fails with
// ErrorKind::Usage on others.
Result<std::unique_ptr<Backend>> makeBackend(std::string_view name);
// A backend with its device: "cpu", "evaluator", "cuda" (the first card), "cuda:1", "cuda:simulated".
struct BackendChoice {
  std::string backend, device;
};
BackendChoice backendChoice(std::string_view name);
Result<std::unique_ptr<Executable>> compileOn(std::string_view name, const Module& module, CompileOptions options = {});
// Those that run on any machine: "cuda" needs a device.
std::vector<std::string_view> backendNames();

}  // namespace tessera
