// From samples in picoseconds to the numbers that are shown. Used by matching and by the readers of runs and tables.
#pragma once

#include <algorithm>

#include "core/profile/op_profile.h"
#include "core/profile/sources/time_samples.h"

namespace tessera {

inline int64_t toNs(int64_t ps) { return (ps >= 0 ? saturatingAdd(ps, 500) : saturatingAdd(ps, -500)) / 1000; }

// The q-quantile of the samples.
inline int64_t quantile(std::vector<int64_t>& samples, double q) {
  const auto place = static_cast<size_t>(q * static_cast<double>(samples.size() - 1) + 0.5);
  std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(place));
  return samples[place];
}

// If a profiler wrote only sums, the quantiles are the mean.
inline TimeStats statsOf(TimeSamples samples) {
  TimeStats out{.count = samples.count,
                .totalNs = toNs(samples.totalPs),
                .selfNs = toNs(samples.selfPs),
                .minNs = toNs(samples.minPs),
                .maxNs = toNs(samples.maxPs)};
  if (samples.count == 0) return out;
  out.medianNs = toNs(samples.each.empty() ? samples.totalPs / samples.count : quantile(samples.each, 0.5));
  out.p99Ns = toNs(samples.each.empty() ? samples.totalPs / samples.count : quantile(samples.each, 0.99));
  return out;
}

}  // namespace tessera
