// Blocks of the arrays of an npz are those of the arrays read whole: of compressed and stored entries, both orders of
// elements, both byte orders, and types with a suffix.
#include "core/formats/npz_blocks.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <cstdlib>
#include <cstring>

#include "core/devices/sharding.h"
#include "core/formats/npz.h"
#include "core/hlo/index_math.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class NpzBlocksTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-npz-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  // An npy file of u16 numbers 0, 1, … in the order of the file.
  static std::string npy(const char* type, bool fortran, bool bigEndian, const std::string& shape, int count) {
    std::string text = std::string("{'descr': '") + (bigEndian ? ">" : "<") + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + shape + "), }";
    text.append(63 - (text.size() + 10) % 64, ' ');
    text += '\n';
    std::string out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(text.size() & 0xff);
    out += static_cast<char>(text.size() >> 8);
    out += text;
    for (int i = 0; i < count; ++i) {
      const char low = static_cast<char>(i & 0xff), high = static_cast<char>(i >> 8);
      out += bigEndian ? std::string{high, low} : std::string{low, high};
    }
    return out;
  }
  fs::path archive(const std::string& key, const std::string& npy, bool compressed) const {
    const fs::path path = folder_ / "in.npz";
    fs::remove(path);
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
    const zip_int64_t index =
        zip_file_add(zip, (key + ".npy").c_str(), zip_source_buffer(zip, npy.data(), npy.size(), 0), ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 1);
    EXPECT_EQ(zip_close(zip), 0);
    return path;
  }
  // Every block of the tiling is cut out of the whole.
  static void sameBlocks(const fs::path& path, const std::string& key, std::vector<int64_t> tiles) {
    const auto whole = readNpz(path);
    ASSERT_TRUE(whole) << whole.error().toString();
    const Literal& array = whole->at(key);
    const auto blocks = NpzBlocks::open(path);
    ASSERT_TRUE(blocks) << blocks.error().toString();
    EXPECT_TRUE(compatible(blocks->shapes().at(key), array.shape()));
    const auto again = blocks->whole(key);
    ASSERT_TRUE(again) << again.error().toString();
    EXPECT_TRUE(again->identical(array));
    if (tiles.empty()) return;
    Shape part = Shape::arrayRowMajor(array.shape().type, array.shape().dimensions);
    for (size_t d = 0; d < tiles.size(); ++d) part.dimensions[d] /= tiles[d];
    Tiling tiling{tiles, {}, 1};
    for (int64_t i = 0; i < productOf(tiles); ++i) tiling.devices.push_back(i);
    for (int64_t device : tiling.devices) {
      const auto start = blockStart(part, tiling, device);
      ASSERT_TRUE(start);
      const auto block = blocks->block(key, *start, part.dimensions);
      ASSERT_TRUE(block) << block.error().toString();
      EXPECT_TRUE(block->identical(blockOf(array, part, tiling, device).value())) << device;
    }
  }
  fs::path folder_;
};

TEST_F(NpzBlocksTest, AreCutOutOfTheWhole) {
  for (const bool compressed : {false, true})
    for (const bool fortran : {false, true})
      for (const bool bigEndian : {false, true}) {
        const fs::path path = archive("arg0", npy("u2", fortran, bigEndian, "4, 6, 10", 240), compressed);
        sameBlocks(path, "arg0", {2, 3, 5});
        sameBlocks(path, "arg0", {4, 1, 1});
        sameBlocks(path, "arg0", {1, 1, 2});
      }
}

TEST_F(NpzBlocksTest, KeepTypesThatNumPyLacks) {
  sameBlocks(archive("arg1__bfloat16", npy("u2", false, false, "8,", 8), true), "arg1", {4});
}

TEST_F(NpzBlocksTest, ScalarsAndEmptyArraysAreWhole) {
  sameBlocks(archive("arg0", npy("u2", false, false, "", 1), true), "arg0", {});
  sameBlocks(archive("arg0", npy("u2", false, false, "0, 4", 0), false), "arg0", {1, 2});
}

TEST_F(NpzBlocksTest, ADamagedFileIsNamed) {
  const std::string whole = npy("u2", false, false, "4, 6", 24);
  const auto cut = NpzBlocks::open(archive("arg0", whole.substr(0, whole.size() - 10), false));
  ASSERT_TRUE(cut);
  const auto block = cut->block("arg0", std::vector<int64_t>{2, 0}, std::vector<int64_t>{2, 6});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().kind, ErrorKind::Input);
  EXPECT_NE(block.error().toString().find("in.npz"), std::string::npos);
  const auto header = NpzBlocks::open(archive("arg0", whole.substr(0, 11), false));
  ASSERT_FALSE(header);
  EXPECT_NE(header.error().toString().find("arg0"), std::string::npos);
  EXPECT_FALSE(NpzBlocks::open(folder_ / "missing.npz"));
}

}  // namespace
}  // namespace tessera
