// How long one thing took, which ran many times: sums in picoseconds, as profilers write them, and each duration for
// the quantiles. Filled by Recorder; core/profile/op_profile.h has the numbers that are shown.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

// Saturating sums: the numbers of a file may be anything.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

struct TimeSamples {
  int64_t count = 0;
  int64_t totalPs = 0;  // with what is nested in it
  int64_t selfPs = 0;   // without instructions that are nested in it
  int64_t minPs = 0, maxPs = 0;
  std::vector<int64_t> each;  // in ps; fewer than count where a profiler wrote sums

  void add(int64_t ps, int64_t self) {
    addSum({1, ps, self, ps, ps, {}});
    each.push_back(ps);
  }
  void add(const TimeSamples& other) {
    addSum(other);
    each.insert(each.end(), other.each.begin(), other.each.end());
  }

 private:
  void addSum(const TimeSamples& other) {
    minPs = count == 0 || other.minPs < minPs ? other.minPs : minPs;
    maxPs = count == 0 || other.maxPs > maxPs ? other.maxPs : maxPs;
    count = saturatingAdd(count, other.count);
    totalPs = saturatingAdd(totalPs, other.totalPs);
    selfPs = saturatingAdd(selfPs, other.selfPs);
  }
};

}  // namespace tessera
