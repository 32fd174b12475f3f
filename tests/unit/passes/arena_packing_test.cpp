// Arena packing: whatever the live ranges are, those that meet do not overlap, and lenders are free again in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/passes/buffers/arena_packing.h"

namespace tessera::test {
namespace {

bool overlap(int64_t a, int64_t aEnd, int64_t b, int64_t bEnd) { return a < bEnd && b < aEnd; }

void expectSound(std::span<const LiveRange> ranges, std::span<const ArenaLender> lenders, const ArenaPacking& packing) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    const ArenaOffset& offset = packing.offsets[i];
    const int64_t end = offset.offset + ranges[i].bytes;
    EXPECT_EQ(offset.offset % ranges[i].alignment, 0);
    if (offset.lender < 0) {
      EXPECT_LE(end, packing.bytes);
    } else {
      EXPECT_LE(end, lenders[static_cast<size_t>(offset.lender)].bytes);
      EXPECT_LT(ranges[i].end, lenders[static_cast<size_t>(offset.lender)].begin);
    }
    for (size_t j = 0; j < i; ++j) {
      const ArenaOffset& other = packing.offsets[j];
      if (other.lender != offset.lender || ranges[i].begin > ranges[j].end || ranges[j].begin > ranges[i].end) continue;
      EXPECT_FALSE(overlap(offset.offset, end, other.offset, other.offset + ranges[j].bytes)) << i << " and " << j;
    }
  }
}

TEST(ArenaPacking, LivesNeverOverlap) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (const int64_t count : {1, 10, 100, 1500}) {
    std::vector<LiveRange> ranges;
    std::vector<ArenaLender> lenders;
    int64_t most = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t alignment = int64_t{1} << (count < 1000 ? upTo(7) : 3), begin = upTo(count);
      ranges.push_back({1 + upTo(10000), alignment, begin, begin + upTo(20)});
      most += ranges.back().bytes + 64;
    }
    for (int64_t i = 0; i < 3; ++i) lenders.push_back({upTo(40000), upTo(count)});
    const auto packing = packArena(ranges, lenders);
    ASSERT_TRUE(packing);
    EXPECT_LE(packing->bytes, most);
    expectSound(ranges, lenders, *packing);
  }
}

TEST(ArenaPacking, TheSmallestLenderThatWillDo) {
  const std::vector<LiveRange> ranges{{100, 4, 0, 1}, {100, 4, 0, 3}};
  const std::vector<ArenaLender> lenders{{4000, 3}, {100, 2}, {90, 9}};
  const auto packing = packArena(ranges, lenders);
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->offsets[0].lender, 1);
  EXPECT_EQ(packing->offsets[1].lender, -1) << "it is still live when the first lender needs its memory";
  EXPECT_EQ(packing->bytes, 100);
}

TEST(ArenaPacking, LargestFirstFillsGaps) {
  // In order of definition the third finds a hole of 64 only; largest first, everything fits into 192.
  const std::vector<LiveRange> ranges{{64, 64, 0, 1}, {64, 64, 0, 3}, {128, 64, 2, 3}};
  const auto packing = packArena(ranges, {});
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->bytes, 192);
}

TEST(ArenaPacking, MoreThanCanBeAddressedIsNoPacking) {
  const std::vector<LiveRange> ranges{{INT64_MAX - 100, 64, 0, 1}, {INT64_MAX - 100, 64, 0, 1}};
  EXPECT_FALSE(packArena(ranges, {}));
}

}  // namespace
}  // namespace tessera::test
