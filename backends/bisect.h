// The smallest module that still shows something: a difference between two backends, versions or precisions, or most of
// the time. With the inputs that it had in the whole module, so that it runs alone. Used by `tessera bisect`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/value_compare.h"

namespace tessera {

struct BisectOptions {
  ComparedTolerance tolerance;
  int64_t mostRuns = 300;  // of candidates
  std::function<void(std::string_view step, const Module&)> observe;
};

// A module with the arguments that show it.
struct Reproducer {
  Module module;
  std::vector<Literal> arguments;
  int64_t runs = 0;
};

// One module, two backends; `reference` computes the values that cut parameters get. ErrorKind::Usage: the results do
// not differ.
Result<Reproducer> bisectBackends(const Module& module, std::span<const Literal> arguments,
                                  const std::string& reference, const std::string& suspect,
                                  const BisectOptions& options);

// The smallest module that takes at least `share` of the whole one's time on a backend.
Result<Reproducer> bisectTime(const Module& module, std::span<const Literal> arguments, const std::string& backend,
                              double share, const BisectOptions& options);

// Two modules: the first instruction that differs, with as little of what it is computed from as shows the difference
// where the edges have the left module's values.
struct ReproducerPair {
  Module left, right;
  std::vector<Literal> arguments;  // of the left one
};
Result<ReproducerPair> bisectVersions(const ComparedSide& left, const ComparedSide& right, const DiffResult& pairs,
                                      const BisectOptions& options);

}  // namespace tessera
