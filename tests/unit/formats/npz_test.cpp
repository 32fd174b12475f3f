// npz: every type survives a round trip; what is no npz has its own message.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"

namespace tessera {
namespace {

class Npz : public testing::Test {
 protected:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("tessera_npz_test_" + std::to_string(getpid()) + ".npz");
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
  for (const auto& [name, literal] : arrays)
    EXPECT_TRUE(back->at(name).identical(literal)) << toString(literal.shape());
}

TEST_F(Npz, BadFilesAreInputFaults) {
  EXPECT_EQ(readNpz("/nonexistent.npz").error().kind, ErrorKind::Input);
  EXPECT_EQ(readNpz(std::filesystem::temp_directory_path()).error().kind, ErrorKind::Input);
  std::ofstream(path_) << "not a zip";
  EXPECT_EQ(readNpz(path_).error().kind, ErrorKind::Input);
  std::ofstream(path_, std::ios::trunc).close();
  (void)readNpz(path_);  // an empty file is an empty archive or an error, never a crash
  EXPECT_EQ(writeNpz("/nonexistent/x.npz", {}).error().kind, ErrorKind::Output);
}

TEST_F(Npz, NoArraysAreAnArchiveToo) {
  ASSERT_TRUE(writeNpz(path_, {}));
  const auto back = readNpz(path_);
  ASSERT_TRUE(back) << back.error().toString();
  EXPECT_TRUE(back->empty());
}

TEST_F(Npz, ColumnMajorBigEndian) {
  std::string npy("\x93NUMPY\x01\x00\x46\x00", 10);
  npy += "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
  npy.resize(10 + 0x46, ' ');
  npy += std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12);  // columns (1,4) (2,5) (3,6)
  const auto array = readNpyBytes(npy);
  ASSERT_TRUE(array) << array.error().message;
  const auto data = array->data<int16_t>();
  EXPECT_EQ(std::vector<int16_t>(data.begin(), data.end()), (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(readNpyBytes(npy.substr(0, npy.size() - 1)));
  EXPECT_FALSE(readNpyBytes(npy.substr(0, 20)));
  EXPECT_FALSE(readNpyBytes(""));
}

// np.save of an array of ml_dtypes.bfloat16 says two raw bytes.
TEST_F(Npz, RawPairsOfBytesAreBfloat16) {
  const auto array = [](std::string_view descriptor, std::string_view bytes) {
    std::string npy("\x93NUMPY\x01\x00\x46\x00", 10);
    npy += "{'descr': '" + std::string(descriptor) + "', 'fortran_order': False, 'shape': (2,), }";
    npy.resize(10 + 0x46, ' ');
    return readNpyBytes(npy + std::string(bytes));
  };
  const auto pair = array("<V2", std::string_view("\x80\x3f\0\xc0", 4));
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(printLiteral(*pair), "{1, -2}");
  EXPECT_EQ(pair->shape().type, ElementType::BF16);
  EXPECT_NE(array("|V1", "ab").error().message.find("__float8_e5m2"), std::string::npos);
}

TEST_F(Npz, AnEmptyArrayMayHaveHugeOtherDimensions) {
  std::string npy("\x93NUMPY\x01\x00\x76\x00", 10);
  npy += "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 4611686018427387904, 4611686018427387904), }";
  npy.resize(10 + 0x76, ' ');
  (void)readNpyBytes(npy);  // no overflow: the sanitizers see it
}

}  // namespace
}  // namespace tessera
