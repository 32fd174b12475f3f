#include "backends/cuda/simulated/machine/access_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/units.h"

namespace tessera::cuda::simulated {

namespace {

constexpr uint64_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32;
constexpr double kWastefulRatio = 2;  // of sectors touched to needed

void addTo(PatternCount& sum, const PatternCount& more) {
  sum.accesses += more.accesses;
  sum.units += more.units;
  sum.needed += more.needed;
}

void addAll(std::vector<PatternCount>& sums, const std::vector<PatternCount>& more) {
  for (size_t i = 0; i < sums.size(); ++i) addTo(sums[i], more[i]);
}

bool isContiguous(const LaneAddresses& addresses, LaneMask active, unsigned bytes) {
  if (active != kAllLanes) return false;
  for (int lane = 1; lane < kLanes; ++lane)
    if (addresses[lane] != addresses[lane - 1] + bytes) return false;
  return true;
}

// The active lanes' addresses, ascending.
size_t sorted(const LaneAddresses& addresses, LaneMask active, LaneAddresses& result) {
  size_t count = 0;
  for (LaneMask left = active; left; left &= left - 1) result[count++] = addresses[std::countr_zero(left)];
  std::sort(result.begin(), result.begin() + count);
  return count;
}

int64_t divideUp(uint64_t a, uint64_t b) { return static_cast<int64_t>((a + b - 1) / b); }

// Rounds for a few lanes whose words together could be served at once: the most different words in one bank.
int64_t roundsOf(const uint64_t* addresses, size_t count, unsigned bytes) {
  std::array<uint64_t, 4 * kLanes> words;
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    for (uint64_t word = addresses[i] / kBankBytes; word * kBankBytes < addresses[i] + bytes; ++word)
      if (n < words.size()) words[n++] = word;
  std::sort(words.begin(), words.begin() + n);
  n = static_cast<size_t>(std::unique(words.begin(), words.begin() + n) - words.begin());
  std::array<int, kBanks> uses{};
  for (size_t i = 0; i < n; ++i) ++uses[words[i] % kBanks];
  return *std::max_element(uses.begin(), uses.end());
}

}  // namespace

PatternCount countSectors(const LaneAddresses& addresses, LaneMask active, unsigned bytes) {
  if (isContiguous(addresses, active, bytes)) {
    const uint64_t first = addresses[0] / kSectorBytes, last = (addresses[kLanes - 1] + bytes - 1) / kSectorBytes;
    return {1, static_cast<int64_t>(last - first + 1), divideUp(uint64_t{kLanes} * bytes, kSectorBytes)};
  }
  LaneAddresses order;
  const size_t count = sorted(addresses, active, order);
  uint64_t different = 0, nextSector = 0, end = 0;
  int64_t sectors = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t begin = std::max(order[i], end);
    end = order[i] + bytes;
    different += end - std::min(begin, end);
    const uint64_t first = std::max(order[i] / kSectorBytes, nextSector);
    nextSector = std::max(nextSector, (end - 1) / kSectorBytes + 1);
    sectors += static_cast<int64_t>(nextSector - std::min(first, nextSector));
  }
  return {1, sectors, divideUp(different, kSectorBytes)};
}

PatternCount countBankRounds(const LaneAddresses& addresses, LaneMask active, unsigned bytes) {
  const int lanesAtOnce = bytes <= 4 ? kLanes : std::max(1, static_cast<int>(kBanks * kBankBytes / bytes));
  PatternCount result{.accesses = 1};
  if (isContiguous(addresses, active, bytes) && addresses[0] % kBankBytes == 0 && bytes >= 4) {
    result.units = result.needed = kLanes / lanesAtOnce;
    return result;
  }
  for (int begin = 0; begin < kLanes; begin += lanesAtOnce) {
    std::array<uint64_t, kLanes> some;
    size_t count = 0;
    for (int lane = begin; lane < begin + lanesAtOnce; ++lane)
      if (active >> lane & 1) some[count++] = addresses[lane];
    if (count == 0) continue;
    result.units += roundsOf(some.data(), count, bytes);
    ++result.needed;
  }
  return result;
}

void AccessPatterns::noteGlobal(uint32_t site, const LaneAddresses& addresses, LaneMask active, unsigned bytes) {
  addTo(sectors_[site], countSectors(addresses, active, bytes));
}

void AccessPatterns::noteShared(uint32_t site, const LaneAddresses& addresses, LaneMask active, unsigned bytes) {
  addTo(banks_[site], countBankRounds(addresses, active, bytes));
}

void AccessPatterns::merge(const AccessPatterns& other) {
  addAll(sectors_, other.sectors_);
  addAll(banks_, other.banks_);
}

void AccessPatterns::report(ReportList& reports) const {
  for (uint32_t site = 0; site < sectors_.size(); ++site) {
    const PatternCount& global = sectors_[site];
    const PatternCount& shared = banks_[site];
    if (static_cast<double>(global.units) > kWastefulRatio * static_cast<double>(global.needed))
      reports.add(Complaint::UncoalescedAccess, site, 0,
                  fmt::format("{} accesses of warps touch {} sectors of 32 bytes; their bytes would fill {}",
                              countText(global.accesses), countText(global.units), countText(global.needed)),
                  global.accesses);
    if (shared.units > shared.needed)
      reports.add(Complaint::BankConflict, site, 0,
                  fmt::format("{} accesses of warps take {} rounds of the 32 banks; without conflicts it were {}",
                              countText(shared.accesses), countText(shared.units), countText(shared.needed)),
                  shared.accesses);
  }
}

}  // namespace tessera::cuda::simulated
