// Backend: compile(Module) -> Executable; Executable::run(values) -> values. The only header through which apps see
// code generation; LLVM and oneDNN stay behind it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

class Communicator;  // core/evaluate/collectives.h

struct CompileOptions {
  int threads = 0;                             // 0: all cores
  const std::atomic<bool>* cancel = nullptr;   // polled; cancelled compiles fail with Fault::Runtime
  std::function<void(std::string_view stage, double fraction)> progress;
};

struct RunOptions {
  const std::atomic<bool>* cancel = nullptr;
  // Connects the run with those on other devices and with the outside; null: it runs alone. An executable runs on one
  // device at a time.
  Communicator* communicator = nullptr;
};

class Executable {
 public:
  virtual ~Executable() = default;
  // arguments: leaves of the entry parameters in order (tuples flattened, tokens skipped), dense row-major.
  // Result: leaves of the entry's root, likewise. With profile, measurements are added to it.
  virtual Result<std::vector<Literal>> run(std::span<const Literal> arguments, const RunOptions& options = {},
                                           Profile* profile = nullptr) = 0;
  virtual const Module& optimized() const = 0;  // the module whose steps run
  virtual int64_t peakBytes() const = 0;        // arena + arguments + outputs + constants
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual Result<std::unique_ptr<Executable>> compile(const Module& module, const CompileOptions& options = {}) = 0;
};

// "cpu" (opens the module that links LLVM at the first call) or "evaluator". Fails with Fault::Usage on others.
Result<std::unique_ptr<Backend>> makeBackend(std::string_view name);
std::vector<std::string_view> backendNames();

}  // namespace tessera
