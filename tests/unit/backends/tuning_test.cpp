// The tuning constants: what follows from caches, and what TESSERA_TUNING may say.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/tuning_constants.h"

namespace tessera {
namespace {

TuningConstant constantOf(const Tuning& tuning, std::string_view name) {
  for (TuningConstant& constant : tuningConstants(tuning))
    if (constant.name == name) return std::move(constant);
  ADD_FAILURE() << name << " is no constant";
  return {};
}

void expectRefused(std::string_view text, std::string_view expected, std::string_view found) {
  const auto refused = tuningWith(Caches{}, text);
  ASSERT_FALSE(refused) << text;
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage) << text;
  EXPECT_EQ(refused.error().expected, expected) << text;
  EXPECT_EQ(refused.error().found, found) << text;
}

TEST(Tuning, SharesFollowFromTheCaches) {
  const Caches here{.firstBytes = 48 << 10, .secondBytes = 2 << 20, .lastBytes = 24 << 20};
  const Tuning tuning = tuningFor(here);
  EXPECT_EQ(tuning.caches.lastBytes, here.lastBytes);
  EXPECT_EQ(tuning.fusion.farBytes, 6 << 20);
  EXPECT_EQ(tuning.movement.streamedBytes, 6 << 20);
  EXPECT_EQ(tuning.codegen.rowTileBytes, 24 << 10);
  EXPECT_EQ(tuning.fusion.longestRow, 12 << 10);
  EXPECT_EQ(tuning.codegen.scatterPieceBytes, 512 << 10);
  EXPECT_EQ(tuning.fusion.launch, tuningFor(Caches{}).fusion.launch);
}
TEST(Tuning, AShareStaysInItsRange) {
  const Tuning tuning = tuningFor({.firstBytes = 512 << 20, .secondBytes = 1, .lastBytes = 1});
  EXPECT_EQ(tuning.codegen.rowTileBytes, 128 << 10);
  EXPECT_EQ(tuning.codegen.keptRowBytes, 256 << 10);
  EXPECT_EQ(tuning.movement.streamedBytes, 64 << 10);
  for (const TuningConstant& constant : tuningConstants(tuning)) {
    if (constant.name.starts_with("caches.")) continue;
    EXPECT_GE(constant.value, constant.least) << constant.name;
    EXPECT_LE(constant.value, constant.most) << constant.name;
  }
}
TEST(Tuning, TheSystemTellsSizesInOrder) {
  const Caches caches = measuredCaches();
  EXPECT_GE(caches.firstBytes, 4 << 10);
  EXPECT_LE(caches.firstBytes, caches.secondBytes);
  EXPECT_LE(caches.firstBytes, caches.lastBytes);
  EXPECT_LT(caches.lastBytes, 1 << 30);
}
TEST(Tuning, EachConstantIsNamedOnceAndExplained) {
  std::set<std::string> names;
  for (const TuningConstant& constant : tuningConstants(tuning())) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
    EXPECT_FALSE(constant.decides.empty()) << constant.name;
    EXPECT_TRUE(!constant.chosenBy.empty() || constant.name.starts_with("caches.")) << constant.name;
    EXPECT_LT(constant.least, constant.most) << constant.name;
  }
  EXPECT_GT(names.size(), 100u);
}
TEST(Tuning, EachConstantCanBeSetAlone) {
  const Tuning before = tuningFor(Caches{});
  for (const TuningConstant& constant : tuningConstants(before)) {
    const bool isRoom = constant.value * 2 <= constant.most;
    const double wanted = isRoom ? (constant.value > 0 ? constant.value * 2 : constant.least + 1) : constant.least;
    const auto after = tuningWith(Caches{}, constant.name + "=" + std::to_string(wanted));
    ASSERT_TRUE(after) << constant.name << ": " << after.error().toString();
    EXPECT_EQ(constantOf(*after, constant.name).value, wanted) << constant.name;
    if (constant.name.starts_with("caches.")) continue;
    const auto restored = tuningConstants(before), now = tuningConstants(*after);
    const auto isOther = [&](size_t i) { return restored[i].value != now[i].value; };
    for (size_t i = 0; i < now.size(); ++i) EXPECT_EQ(isOther(i), now[i].name == constant.name) << now[i].name;
  }
}
TEST(Tuning, CachesAreTakenFirst) {
  const auto tuning = tuningWith(Caches{}, "movement.streamedBytes=1000000,caches.lastBytes=4194304");
  ASSERT_TRUE(tuning);
  EXPECT_EQ(tuning->caches.lastBytes, 4 << 20);
  EXPECT_EQ(tuning->fusion.farBytes, 1 << 20);
  EXPECT_EQ(tuning->movement.streamedBytes, 1000000);
}
TEST(Tuning, WhatIsNotUnderstoodIsRefused) {
  expectRefused("fusion.lunch=1", "a name that tessera machine --tuning lists", "fusion.lunch");
  expectRefused("launch=1", "a name that tessera machine --tuning lists", "launch");
  expectRefused("fusion.launch", "name=value", "fusion.launch");
  expectRefused("fusion.launch=", "a number from 0 to 1000000000", "");
  expectRefused("fusion.launch=12x", "a number from 0 to 1000000000", "12x");
  expectRefused("fusion.launch=nan", "a number from 0 to 1000000000", "nan");
  expectRefused("fusion.launch=-1", "a number from 0 to 1000000000", "-1");
  expectRefused("fusion.maxUses=1.5", "a whole number from 1 to 10000", "1.5");
  expectRefused("siblings.maxOperands=65", "a whole number from 1 to 64", "65");
  expectRefused("caches.lastBytes=1", "a whole number from 4096 to 1073741824", "1");
  expectRefused("fusion.launch=1,,fusion.maxUses=3", "name=value", "");
  EXPECT_TRUE(tuningWith(Caches{}, ""));
}
TEST(Tuning, EqualBytesAreEqualConstants) {
  const std::string own = bytesOf(tuningFor(Caches{}));
  EXPECT_EQ(own, bytesOf(*tuningWith(Caches{}, "")));
  for (const TuningConstant& constant : tuningConstants(tuningFor(Caches{}))) {
    const double other = constant.value == constant.least ? constant.least + 1 : constant.least;
    EXPECT_NE(own, bytesOf(*tuningWith(Caches{}, constant.name + "=" + std::to_string(other)))) << constant.name;
  }
}

}  // namespace
}  // namespace tessera
