// Candidates for the period are the distances between equal windows of tokens, the most frequent first; every candidate
// is verified in one sweep. What the longest stretches do not cover is searched again.
#include "core/arrange/repeats.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr size_t kWindow = 6;      // tokens that must be equal to vote for a distance
constexpr size_t kRemembered = 4;  // earlier places of a window
constexpr size_t kMaxCandidates = 48;
constexpr size_t kShortestPeriod = 4;
constexpr size_t kShortestPair = 48;  // a stretch that comes only twice must be this long to count
constexpr size_t kShortestStretch = 24;
constexpr int kRounds = 3;

// Places by the window that begins there, equal ones side by side in the order of the program.
std::vector<std::pair<uint64_t, uint32_t>> sortedWindows(std::span<const uint64_t> tokens) {
  std::vector<std::pair<uint64_t, uint32_t>> out;
  out.reserve(tokens.size());
  for (size_t i = 0; i + kWindow <= tokens.size(); ++i) {
    uint64_t window = 0;
    for (size_t k = 0; k < kWindow; ++k) window = mixedHash(window, tokens[i + k]);
    out.push_back({window, static_cast<uint32_t>(i)});
  }
  std::ranges::sort(out);
  return out;
}

// Distances at which windows come again, by how often, at most kMaxCandidates.
std::vector<size_t> candidatePeriods(std::span<const uint64_t> tokens) {
  std::vector<uint32_t> votes(tokens.size());  // by distance
  const auto windows = sortedWindows(tokens);
  for (size_t i = 0; i < windows.size(); ++i)
    for (size_t k = 1; k <= std::min(i, kRemembered) && windows[i - k].first == windows[i].first; ++k)
      ++votes[windows[i].second - windows[i - k].second];
  std::vector<std::pair<size_t, uint32_t>> sorted;
  for (size_t distance = kShortestPeriod; distance < votes.size(); ++distance)
    if (votes[distance] > 0) sorted.push_back({distance, votes[distance]});
  const size_t kept = std::min(sorted.size(), kMaxCandidates);
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(kept), [](auto& a, auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<size_t> out;
  for (size_t k = 0; k < kept; ++k) out.push_back(sorted[k].first);
  return out;
}

bool worthwhile(const Repeat& r) {
  return r.count >= 2 && r.period * r.count >= kShortestStretch && (r.count > 2 || r.period >= kShortestPair);
}

// The phase within the slack that cuts the fewest values.
Repeat aligned(size_t begin, size_t end, size_t period, std::span<const uint32_t> cuts) {
  Repeat best{begin, period, (end - begin) / period};
  uint64_t leastCost = UINT64_MAX;
  const size_t slack = (end - begin) % period;
  for (size_t shift = 0; shift <= slack; ++shift) {
    uint64_t cost = 0;
    for (size_t k = 0; k <= best.count; ++k) {
      const size_t place = begin + shift + k * period;
      if (place < cuts.size()) cost += cuts[place];
    }
    if (cost < leastCost) leastCost = cost, best.begin = begin + shift;
  }
  return best;
}

struct Stretch {
  Repeat repeat;
  size_t length = 0;  // before it was cut to whole periods: a period and its multiples have the same
};

void addStretches(std::span<const uint64_t> tokens, size_t period, const std::vector<uint8_t>& taken,
                  std::span<const uint32_t> cuts, std::vector<Stretch>& out) {
  size_t start = 0;
  for (size_t i = 0; i + period <= tokens.size(); ++i) {
    const bool equal = i + period < tokens.size() && tokens[i] == tokens[i + period] && !taken[i] && !taken[i + period];
    if (equal) continue;
    if (i >= start + period) {
      const Repeat found = aligned(start, i + period, period, cuts);
      if (worthwhile(found)) out.push_back({found, i + period - start});
    }
    start = i + 1;
  }
}

bool isFree(const Repeat& r, const std::vector<uint8_t>& taken) {
  return std::none_of(taken.begin() + static_cast<std::ptrdiff_t>(r.begin),
                      taken.begin() + static_cast<std::ptrdiff_t>(r.end()), [](uint8_t b) { return b != 0; });
}

}  // namespace

std::vector<Repeat> findRepeats(std::span<const uint64_t> tokens, std::span<const uint32_t> cuts) {
  std::vector<Repeat> out;
  std::vector<uint8_t> taken(tokens.size());  // 1: is in a stretch
  const std::vector<size_t> periods = candidatePeriods(tokens);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Stretch> found;
    for (size_t period : periods) addStretches(tokens, period, taken, cuts, found);
    sortWith(found, [](const Stretch& a, const Stretch& b) {
      return a.length != b.length ? a.length > b.length : a.repeat.period < b.repeat.period;
    });
    bool any = false;
    for (const Stretch& stretch : found) {
      const Repeat& r = stretch.repeat;
      if (!isFree(r, taken)) continue;
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(r.begin),
                taken.begin() + static_cast<std::ptrdiff_t>(r.end()), uint8_t{1});
      out.push_back(r);
      any = true;
    }
    if (!any) break;
  }
  sortWith(out, [](const Repeat& a, const Repeat& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace tessera
