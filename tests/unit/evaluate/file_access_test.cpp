// What a project's files may be used for without asking, what is asked for, and for what an allowance holds.
#include "core/trust/file_access.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class FileAccessTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-access-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    scratch_ = fs::canonical(name);
    project_ = scratch_ / "project";
    fs::create_directories(project_);
    ::setenv("XDG_CONFIG_HOME", (scratch_ / "config").c_str(), 1);
    write(scratch_ / "far", "far");
    write(project_ / "near", "near");
    write(project_ / "library", "code");
  }
  void TearDown() override {
    ::unsetenv("XDG_CONFIG_HOME");
    std::error_code error;
    fs::remove_all(scratch_, error);
  }
  static void write(const fs::path& path, const std::string& content) { std::ofstream(path) << content; }

  FileAccess access(const char* constant = "1") const {
    FileAccess out(project_);
    out.setGraph(
        *readHloText(std::string("HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(") + constant + ")\n}\n").module);
    return out;
  }
  static RunSettings argument(const std::string& name) {
    RunSettings out;
    out.sources[0] = "npy " + name;
    return out;
  }
  static RunSettings library(const std::string& name) {
    RunSettings out;
    out.library = name;
    return out;
  }
  fs::path scratch_, project_;
};

TEST_F(FileAccessTest, ReadingInTheFolderIsFree) {
  const FileAccess files = access();
  for (const std::string& name : {std::string("near"), std::string("./near"), (project_ / "near").string()}) {
    EXPECT_TRUE(files.asks(argument(name)).empty()) << name;
    EXPECT_EQ(files.read({FileUse::Argument, name}).value_or(""), "near") << name;
  }
  EXPECT_TRUE(files.asks(argument("absent")).empty());
  EXPECT_FALSE(files.read({FileUse::Argument, "absent"}));
}

TEST_F(FileAccessTest, AllElseIsAskedFor) {
  fs::create_symlink("../far", project_ / "link");
  const FileAccess files = access();
  for (const std::string& name : {std::string("../far"), (scratch_ / "far").string(), std::string("link")}) {
    const auto asks = files.asks(argument(name));
    ASSERT_EQ(asks.size(), 1u) << name;
    EXPECT_EQ(asks[0].path, scratch_ / "far");
    EXPECT_EQ(asks[0].words(), name == asks[0].path
                                   ? "read, for arguments, " + name
                                   : "read, for arguments, " + name + " (" + asks[0].path.string() + ")");
    EXPECT_FALSE(files.read({FileUse::Argument, name})) << name;
  }
  RunSettings settings = library("library");
  settings.outfeed = "out";
  EXPECT_EQ(files.asks(settings).size(), 2u);
  EXPECT_FALSE(files.readLibrary({FileUse::Library, "library"}));
  EXPECT_FALSE(files.writeArrays({FileUse::Outfeed, "out"}, {}));
  EXPECT_FALSE(fs::exists(project_ / "out"));
}

TEST_F(FileAccessTest, AnAllowanceHoldsForWhatWasShown) {
  FileAccess files = access();
  const RunSettings settings = library("library");
  ASSERT_TRUE(files.allow(files.asks(settings).at(0)));
  EXPECT_TRUE(access().asks(settings).empty());
  EXPECT_EQ(access().readLibrary({FileUse::Library, "library"}).value_or(""), "code");
  EXPECT_EQ(access("2").asks(settings).size(), 1u) << "another graph";
  write(project_ / "library", "other code");
  EXPECT_EQ(access().asks(settings).size(), 1u) << "another library";
  EXPECT_FALSE(access().readLibrary({FileUse::Library, "library"}));
  write(project_ / "library", "code");
  EXPECT_TRUE(access().asks(settings).empty());
  // A name that leads elsewhere now.
  write(scratch_ / "twin", "code");
  fs::remove(project_ / "library");
  fs::create_symlink(scratch_ / "twin", project_ / "library");
  EXPECT_EQ(access().asks(settings).size(), 1u) << "another place";
}

TEST_F(FileAccessTest, AllowancesAreTheUsersAlone) {
  FileAccess files = access();
  ASSERT_TRUE(files.allow(files.asks(argument("../far")).at(0)));
  EXPECT_TRUE(access().asks(argument("../far")).empty());
  const fs::path kept = scratch_ / "config" / "tessera" / "allowed_files";
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(::chmod(kept.c_str(), 0664), 0);
  EXPECT_EQ(access().asks(argument("../far")).size(), 1u);
  ASSERT_EQ(::chmod(kept.c_str(), 0600), 0);
  const std::string lines = readFile(kept).value_or("");
  EXPECT_NE(lines.find("read, for arguments, ../far"), std::string::npos);
  // Taken out by hand.
  write(kept, "");
  EXPECT_EQ(access().asks(argument("../far")).size(), 1u);
}

TEST_F(FileAccessTest, AnAllowanceIsTakenBack) {
  FileAccess files = access();
  const RunSettings far = argument("../far");
  ASSERT_TRUE(files.granted(far).empty());
  ASSERT_TRUE(files.allow(files.asks(far).at(0)));
  ASSERT_TRUE(files.allow(files.asks(library("library")).at(0)));
  const auto granted = files.granted(library("library"));
  ASSERT_EQ(granted.size(), 2u);
  EXPECT_TRUE(granted[0].used && granted[0].words.starts_with("load the library library"));
  EXPECT_FALSE(granted[1].used);
  EXPECT_NE(granted[1].words.find("../far"), std::string::npos);
  ASSERT_TRUE(files.withdraw(granted[1].hash));
  EXPECT_EQ(files.asks(far).size(), 1u);
  EXPECT_TRUE(files.asks(library("library")).empty());
  EXPECT_EQ(access().asks(far).size(), 1u);  // nor in the next session
  EXPECT_TRUE(access().asks(library("library")).empty());
  EXPECT_TRUE(files.withdraw("unknown"));
  EXPECT_EQ(files.granted(far).size(), 1u);
}

TEST_F(FileAccessTest, WithoutAGraphAnAllowanceLastsForTheSession) {
  FileAccess files(project_);
  ASSERT_TRUE(files.allow(files.asks(argument("../far")).at(0)));
  EXPECT_TRUE(files.asks(argument("../far")).empty());
  EXPECT_EQ(FileAccess(project_).asks(argument("../far")).size(), 1u);
}

TEST_F(FileAccessTest, TheUsersWordIsOfThisSession) {
  FileAccess files = access();
  RunSettings before = argument("../far"), now = before;
  now.library = "library";
  files.trustNew(before, now);
  EXPECT_TRUE(files.isOwnWord({FileUse::Library, "library"}));
  EXPECT_FALSE(files.isOwnWord({FileUse::Argument, "library"}));
  EXPECT_EQ(files.asks(now).size(), 1u) << "what the file said stays asked for";
}

TEST_F(FileAccessTest, WordsShowNoTricks) {
  const FileAccess files = access();
  const auto asks = files.asks(argument("../\x1b[2K\u202egnp.txt"));
  ASSERT_EQ(asks.size(), 1u);
  EXPECT_EQ(asks[0].words().find('\x1b'), std::string::npos);
  EXPECT_EQ(asks[0].words().find("\u202e"), std::string::npos);
}

}  // namespace
}  // namespace tessera
