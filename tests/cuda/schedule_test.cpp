// Which pieces of work run beside each other: by the memory that they touch alone.
#include <gtest/gtest.h>

#include "backends/cuda/program/stream_schedule.h"

namespace tessera::cuda {
namespace {

constexpr MemoryRange kA{0, 64}, kB{64, 128}, kC{128, 192}, kD{192, 256};

TEST(CudaStreams, WhatSharesNothingRunsSideBySide) {
  const StreamSchedule out = scheduleOnStreams(std::vector<UnitAccess>{{{kA}, {kB}}, {{kA}, {kC}}, {{kA}, {kD}}}, 2);
  EXPECT_EQ(out.streams, 2);
  EXPECT_EQ(out.units[0].stream, 0);
  EXPECT_EQ(out.units[1].stream, 1);
  for (const ScheduledUnit& unit : out.units) EXPECT_TRUE(unit.waits.empty());
  ASSERT_EQ(out.last.size(), 1u);
  EXPECT_EQ(out.units[out.last[0]].stream, 1);
  EXPECT_TRUE(out.units[out.last[0]].isAwaited);
}

TEST(CudaStreams, AChainStaysOnOneStream) {
  const StreamSchedule out = scheduleOnStreams(std::vector<UnitAccess>{{{kA}, {kB}}, {{kB}, {kC}}, {{kC}, {kD}}}, 4);
  EXPECT_EQ(out.streams, 1);
  for (const ScheduledUnit& unit : out.units) EXPECT_TRUE(unit.waits.empty() && !unit.isAwaited);
}

TEST(CudaStreams, AJoinWaitsForBothSides) {
  const StreamSchedule out =
      scheduleOnStreams(std::vector<UnitAccess>{{{kA}, {kB}}, {{kA}, {kC}}, {{kB, kC}, {kD}}}, 4);
  EXPECT_EQ(out.streams, 2);
  EXPECT_EQ(out.units[2].stream, 1);
  EXPECT_EQ(out.units[2].waits, std::vector<size_t>{0});
  EXPECT_TRUE(out.units[0].isAwaited);
}

// A part of the memory counts as the memory; writers wait for readers, and for writers.
TEST(CudaStreams, WritersWaitForReadersOfAnyPart) {
  const MemoryRange part{32, 80}, end{100, 300};
  const StreamSchedule out = scheduleOnStreams(
      std::vector<UnitAccess>{{{part}, {{1000, 1001}}}, {{kD}, {{2000, 2001}}}, {{}, {kA}}, {{}, {end}}}, 4);
  EXPECT_EQ(out.units[2].stream, out.units[0].stream);
  EXPECT_EQ(out.units[3].stream, out.units[1].stream);
  const StreamSchedule writers = scheduleOnStreams(std::vector<UnitAccess>{{{}, {kA}}, {{}, {kB}}, {{}, {part}}}, 4);
  EXPECT_EQ(writers.units[2].stream, 1);
  EXPECT_EQ(writers.units[2].waits, std::vector<size_t>{0});
}

TEST(CudaStreams, WhatWasWaitedForIsNotWaitedForAgain) {
  const StreamSchedule out =
      scheduleOnStreams(std::vector<UnitAccess>{{{}, {kA}}, {{}, {kB}}, {{kA, kB}, {kC}}, {{kA, kC}, {kD}}}, 2);
  EXPECT_EQ(out.units[2].waits.size(), 1u);
  EXPECT_TRUE(out.units[3].waits.empty());
}

}  // namespace
}  // namespace tessera::cuda
