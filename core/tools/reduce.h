// Shrinking a module while something about it stays true: the smallest program that still crashes a compiler. Used by
// `tessera reduce` and fuzzing.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct ReduceOptions {
  // Does this module still fail? Only called for modules that inference and the verifier accept. An error ends all.
  std::function<Result<bool>(const Module&)> fails;
  int64_t mostRuns = 1000;  // of `fails`
  // Told after each step that helped.
  std::function<void(std::string_view step, const Module&)> observe;
};

struct Reduction {
  Module module;
  int64_t runs = 0;
  bool complete = false;  // no step helps any more; false: the runs were used up
};

// Fails with ErrorKind::Usage when the module does not fail to begin with.
Result<Reduction> reduceModule(const Module& module, const ReduceOptions& options);

}  // namespace tessera
