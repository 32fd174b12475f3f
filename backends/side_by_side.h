// Two modules on the same arguments, run in turn: are the results equal, and which is quicker? Used by the studio's
// round trip.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/evaluate/compare.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

struct RunTimes {
  std::vector<double> ms;  // of each run, in order
  double median() const;
  // The middle half of the runs: its width over the median.
  double spread() const;
};

struct SideBySide {
  Comparison values;  // of all results, at their default tolerances
  RunTimes before, after;
  // Of the medians; -0.2: after takes a fifth less.
  double change() const { return before.median() > 0 ? after.median() / before.median() - 1 : 0; }
  // Whether the medians are further apart than the interquartile ranges of both are long together: where the same
  // program lies in memory alone makes a percent or two.
  bool isTold() const;
};

struct SideBySideOptions {
  std::string backend = "cpu";
  int threads = 0;                     // 0: all
  int leastRuns = 9, mostRuns = 2000;  // of each
  double seconds = 1;                  // further runs until then
  const std::atomic<bool>* cancel = nullptr;
};
// After one run of each to warm up. Fails with what the backend says, and with ErrorKind::Usage where the results are
// not of the same shapes.
Result<SideBySide> runSideBySide(const Module& before, const Module& after, const std::vector<Literal>& arguments,
                                 const SideBySideOptions& options = {});

}  // namespace tessera
