// Thousands of random edits with undo and redo between them, by the same rules as the fuzzer's.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/edit_bytes.h"

namespace tessera {
namespace {

TEST(EditProperty, RandomEditsUndoAndRedoExactly) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint8_t> bytes(120);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const std::string broken = EditBytes(bytes).run();
    ASSERT_EQ(broken, "") << "round " << round;
  }
}

}  // namespace
}  // namespace tessera
