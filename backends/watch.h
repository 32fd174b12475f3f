// Values of chosen instructions over a run of many steps: outputs become inputs of the next step, and of each watched
// value every step leaves its statistics. Used by the studio's panel Watch.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

// Of the finite elements of a value; without any the numbers are 0.
struct ValueStats {
  double least = 0, most = 0, mean = 0, deviation = 0;
  int64_t finite = 0, nans = 0, infinities = 0;  // elements
  bool hasSpecials() const { return nans + infinities > 0; }
};
ValueStats statsOf(const Literal& value);

struct WatchRequest {
  std::vector<InstructionId> watched;
  std::vector<Literal> arguments;       // of the first step: leaves of the entry's parameters
  std::map<int64_t, int64_t> feedback;  // argument leaf of the next step -> leaf of the root
  int64_t steps = 1000;
  std::string backend = "cpu";
  int64_t threads = 0;  // 0: all
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(int64_t step)> progress;  // after each
};
// By watched value, then step.
using WatchSeries = std::vector<std::vector<ValueStats>>;

// Whether the value is an array of real numbers of the entry; ErrorKind::Usage where not.
Status checkWatched(const Module& module, InstructionId id);

// Where it is cancelled the steps until then. Fails with what the backend says, and where a value cannot be watched.
Result<WatchSeries> watchValues(const Module& module, const WatchRequest& request);

// A row a step and value: step (from 1), name, statistics (none without finite elements), counts.
std::string toCsv(const WatchSeries& series, std::span<const std::string> names);

}  // namespace tessera
