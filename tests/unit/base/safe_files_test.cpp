// Opening what a foreign file names: beneath a folder, through no symbolic link; folders and keys that only this user
// has.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "core/base/own_symbol.h"
#include "core/base/safe_files.h"
#include "core/base/sha256.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class SafeFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-safe-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    scratch_ = fs::canonical(name);
    inside_ = scratch_ / "project";
    fs::create_directories(inside_ / "data");
    write(scratch_ / "secret", "secret");
    write(inside_ / "own", "own");
    write(inside_ / "data" / "deep", "deep");
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(scratch_, error);
  }
  static void write(const fs::path& path, const std::string& content) { std::ofstream(path) << content; }
  static std::string contentOf(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // The content, or the error.
  std::string read(const fs::path& name) const {
    const auto file = openBeneath(inside_, name);
    if (!file) return "error " + std::to_string(file.error());
    char buffer[16];
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
    return {buffer, static_cast<size_t>(std::max<ssize_t>(got, 0))};
  }
  static int writing(const fs::path& path) {
    const auto done = writeWithoutLinks(path, "x");
    return done ? 0 : done.error();
  }
  static std::string error(int number) { return "error " + std::to_string(number); }

  fs::path scratch_, inside_;
};

TEST_F(SafeFiles, WhatLiesBeneathIsRead) {
  EXPECT_EQ(read("own"), "own");
  EXPECT_EQ(read("./data/deep"), "deep");
  EXPECT_EQ(read("data/../own"), "own");
  EXPECT_EQ(read("absent"), error(ENOENT));
  EXPECT_EQ(read("data"), error(EISDIR));
}

TEST_F(SafeFiles, PathsDoNotLeaveTheFolder) {
  for (const char* name : {"../secret", "data/../../secret", "..", ""}) EXPECT_EQ(read(name), error(EXDEV)) << name;
  EXPECT_EQ(read(scratch_ / "secret"), error(EXDEV));
  EXPECT_EQ(read(inside_ / "own"), error(EXDEV));
}

TEST_F(SafeFiles, LinksDoNotLeaveTheFolder) {
  fs::create_symlink(scratch_ / "secret", inside_ / "file");
  fs::create_symlink("../secret", inside_ / "near");
  fs::create_directory_symlink(scratch_, inside_ / "up");
  fs::create_symlink("own", inside_ / "alias");
  for (const char* name : {"file", "near", "up/secret", "alias"}) EXPECT_EQ(read(name), error(ELOOP)) << name;
  EXPECT_FALSE(openWithoutLinks(inside_ / "up" / "secret"));
  EXPECT_TRUE(openWithoutLinks(scratch_ / "secret"));
}

TEST_F(SafeFiles, WhatIsNoFileIsNotRead) {
  ASSERT_EQ(::mkfifo((inside_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("pipe"), error(EINVAL));
  EXPECT_FALSE(openWithoutLinks("/dev/zero"));
}

TEST_F(SafeFiles, WritingReplacesFilesAndFollowsNoLink) {
  const fs::path file = inside_ / "out";
  ASSERT_TRUE(writeWithoutLinks(file, "first"));
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_TRUE(writeWithoutLinks(file, "second"));
  EXPECT_EQ(contentOf(file), "second");
  EXPECT_EQ(static_cast<unsigned>(fs::status(file).permissions()), 0640u);
  fs::create_symlink(scratch_ / "secret", inside_ / "link");
  fs::create_directory_symlink(scratch_, inside_ / "up");
  EXPECT_EQ(writing(inside_ / "link"), ELOOP);
  EXPECT_EQ(writing(inside_ / "up" / "secret"), ELOOP);
  EXPECT_EQ(contentOf(scratch_ / "secret"), "secret");
  EXPECT_EQ(writing(inside_ / "data"), EINVAL);
}

TEST_F(SafeFiles, FoldersArePrivateOrRefused) {
  const fs::path made = scratch_ / "a" / "b";
  ASSERT_TRUE(openPrivateFolder(made));
  EXPECT_EQ(static_cast<unsigned>(fs::status(made).permissions()), 0700u);
  ASSERT_TRUE(openPrivateFolder(made / ""));
  ASSERT_EQ(::chmod(made.c_str(), 0770), 0);
  EXPECT_EQ(openPrivateFolder(made).error(), EPERM);
  ASSERT_EQ(::chmod(made.c_str(), 0700), 0);
  ASSERT_EQ(::chmod((scratch_ / "a").c_str(), 0777), 0);
  EXPECT_EQ(openPrivateFolder(made).error(), EPERM);
  EXPECT_EQ(openPrivateFolder(made / "deeper").error(), EPERM);
  EXPECT_EQ(openPrivateFolder(inside_ / "own").error(), ENOTDIR);
}

TEST_F(SafeFiles, LinksAboveAPrivateFolderAreTheSystems) {
  fs::create_directory_symlink(inside_, scratch_ / "home");
  EXPECT_TRUE(openPrivateFolder(scratch_ / "home" / "cache"));
  EXPECT_TRUE(fs::is_directory(inside_ / "cache"));
}

TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256Text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256Text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Text(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(OwnSymbol, IsOfTheObjectAlone) {
  void* math = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(math, nullptr);
  EXPECT_NE(ownSymbol(math, "fmodf"), nullptr);
  for (const char* name : {"system", "exit", "puts", "dlopen", ""}) EXPECT_EQ(ownSymbol(math, name), nullptr) << name;
  EXPECT_EQ(ownSymbol(math, std::string("fmodf\0x", 7)), nullptr);
  EXPECT_EQ(ownSymbol(nullptr, "system"), nullptr);
}

}  // namespace
}  // namespace tessera
