// npz: every type survives a round trip; what is no npz has its own message.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "core/evaluate/evaluate.h"
#include "core/formats/npz.h"

namespace tessera {
namespace {

class Npz : public testing::Test {
 protected:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / ("tessera_npz_test_" + std::to_string(getpid()) + ".npz");
  void TearDown() override { std::filesystem::remove(path_); }
};

TEST_F(Npz, EveryTypeSurvives) {
  NamedArrays arrays;
  FillRule rule;
  rule.scale = 1;
  for (int t = 0; t <= static_cast<int>(ElementType::Buffer); ++t) {
    auto type = static_cast<ElementType>(t);
    if (!isArrayElement(type)) continue;
    auto literal = fillParameter(Shape::arrayRowMajor(type, {3, 5}), static_cast<uint64_t>(t), rule);
    ASSERT_TRUE(literal);
    arrays["arg" + std::to_string(t)] = *literal;
  }
  arrays["scalar"] = Literal::scalar<float>(ElementType::F32, 2.5f);
  arrays["empty"] = Literal::zeros(Shape::arrayRowMajor(ElementType::S64, {0, 4})).value();
  ASSERT_TRUE(writeNpz(path_, arrays));
  auto back = readNpz(path_);
  ASSERT_TRUE(back) << back.error().toString();
  ASSERT_EQ(back->size(), arrays.size());
  for (const auto& [name, literal] : arrays) EXPECT_TRUE(back->at(name).identical(literal)) << toString(literal.shape());
}

TEST_F(Npz, BadFilesAreInputFaults) {
  EXPECT_EQ(readNpz("/nonexistent.npz").error().fault, Fault::Input);
  EXPECT_EQ(readNpz(std::filesystem::temp_directory_path()).error().fault, Fault::Input);
  std::ofstream(path_) << "not a zip";
  EXPECT_EQ(readNpz(path_).error().fault, Fault::Input);
  std::ofstream(path_, std::ios::trunc).close();
  (void)readNpz(path_);  // an empty file is an empty archive or an error, never a crash
  EXPECT_EQ(writeNpz("/nonexistent/x.npz", {}).error().fault, Fault::Output);
}

}  // namespace
}  // namespace tessera
