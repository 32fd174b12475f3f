// Values of chosen instructions over a run of many steps: outputs become inputs of the next step, and of each watched
// value every step leaves its statistics. Used by the studio's panel Watch.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

// Of the finite elements of a value; without any all are 0.
struct ValueStats {
  double least = 0, most = 0, mean = 0, deviation = 0;
  int64_t nans = 0, infinities = 0;
};
ValueStats statsOf(const Literal& value);

struct WatchRequest {
  std::vector<InstructionId> watched;   // of the entry; arrays
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

// Where it is cancelled the steps until then. Fails with what the backend says; ErrorKind::Usage where a watched value
// is no array of the entry.
Result<WatchSeries> watchValues(const Module& module, const WatchRequest& request);

}  // namespace tessera
