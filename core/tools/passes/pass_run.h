// Chosen passes over a module, one after another, and the file names under which XLA would dump the modules between
// them. Used by `tessera opt`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"
#include "core/passes/pipeline.h"

namespace tessera {

// By name, in the given order, a name as often as it is given; no names: those for the processor. ErrorKind::Usage for
// an unknown one.
Result<std::vector<const Pass*>> choosePasses(std::span<const std::string> names);

struct PassStep {
  const Pass* pass;
  bool changed = false;
};
// Runs them on a copy of `source`. `observe` sees the module after each; its failure ends the run.
Result<Module> runPasses(const Module& source, std::span<const Pass* const> chosen,
                         const std::function<Status(const PassStep&, const Module&)>& observe);

// "module_0000.NAME.0003.optimize.after_simplify.before_fuse.txt"; number 0 is the start ("pipeline-start"), the last
// one is before "pipeline-end". Letters that no file name should hold become '_'.
std::string dumpName(const Module& module, std::span<const Pass* const> chosen, size_t number);
// "module_0000.NAME.before_optimizations.txt"
std::string dumpName(const Module& module, std::string_view moment);

}  // namespace tessera
