// What devices of one run do to each other: waits that cannot end are found and named instead of hanging.
#include <gtest/gtest.h>

#include "core/evaluate/replicas.h"

namespace tessera {
namespace {

Literal number(uint32_t value) { return Literal::scalar(ElementType::U32, value); }
using Outputs = std::vector<Literal>;

TEST(Devices, ExchangeInTheOrderOfTheGroup) {
  const auto result = runOnDevices({3, 1}, [](Communicator& c) -> Result<Outputs> {
    return c.exchange({"k", {2, 0, 1}, "%x"}, number(static_cast<uint32_t>(c.device())));
  });
  ASSERT_TRUE(result) << result.error().toString();
  for (const Outputs& device : *result) {
    ASSERT_EQ(device.size(), 3u);
    EXPECT_EQ(device[0].data<uint32_t>()[0], 2u);
    EXPECT_EQ(device[2].data<uint32_t>()[0], 1u);
  }
}

TEST(Devices, NameTheOneThatNeverComes) {
  const auto result = runOnDevices({2, 1}, [](Communicator& c) -> Result<Outputs> {
    if (c.device() == 1) return Outputs{};
    return c.exchange({"k", {0, 1}, "%sum (all-reduce)"}, number(1));
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(result.error().message, "%sum (all-reduce) on replica 0 waits for replica 1, which has finished");
}

TEST(Devices, NameThoseThatWaitForEachOther) {
  const auto result = runOnDevices({1, 2}, [](Communicator& c) -> Result<Outputs> {
    return c.exchange({c.device() == 0 ? "a" : "b", {0, 1}, c.device() == 0 ? "%a" : "%b"}, number(1));
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "%a on replica 0, partition 0 waits for replica 0, partition 1, which waits at %b");
}

TEST(Devices, NameTheReceiveThatNothingIsSentTo) {
  const auto result = runOnDevices({1, 1}, [](Communicator& c) -> Result<Outputs> {
    TESSERA_ASSIGN_OR_RETURN(Literal value, c.receive(7, Shape::arrayRowMajor(ElementType::U32, {}), "%r"));
    return Outputs{value};
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "%r on replica 0 waits for a send that never comes");
}

}  // namespace
}  // namespace tessera
