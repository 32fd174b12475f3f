// The program tessera-studio itself, without a person or a display: its options, exit codes and pictures.
#ifdef TESSERA_STUDIO_PROGRAM
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/cli/spawn.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

class StudioProgram : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("add.hlo", kAddProgram); }
  Ran studio(const std::string& arguments, const std::string& environment = "-u QT_QPA_PLATFORM") {
    // Settings and recovery files of its own.
    const std::string home = scratch_.folder().string();
    return scratch_.program(TESSERA_STUDIO_PROGRAM, arguments, {},
                            "env -u DISPLAY -u WAYLAND_DISPLAY " + environment + " HOME=" + home +
                                " XDG_CONFIG_HOME=" + home + "/config XDG_DATA_HOME=" + home +
                                "/data XDG_CACHE_HOME=" + home + "/cache XDG_RUNTIME_DIR=" + home);
  }
  void ends(const std::string& arguments, int exit, const std::string& message) {
    const Ran ran = studio(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.out << ran.err;
    EXPECT_NE((ran.out + ran.err).find(message), std::string::npos) << arguments << "\n" << ran.out << ran.err;
  }
  // Width and height from a PNG's header.
  std::pair<int, int> sizeOf(const std::string& png) {
    const std::string bytes = contentOf(scratch_.folder() / png);
    if (bytes.size() < 24 || bytes.substr(1, 3) != "PNG") return {};
    const auto number = [&](size_t at) {
      int out = 0;
      for (size_t i = 0; i < 4; ++i) out = out * 256 + static_cast<unsigned char>(bytes[at + i]);
      return out;
    };
    return {number(16), number(20)};
  }
  Scratch scratch_;
};

TEST_F(StudioProgram, Help) {
  for (const char* help : {"--help", "-h"}) {
    ends(help, 0, "Opens HLO files in the studio.");
    ends(help, 0, "--screenshot <OUT.png>");
  }
}

TEST_F(StudioProgram, TakesALinkToAnInstruction) {
  ends("--screenshot a.png add.hlo#sum", 0, "");
  ends("--screenshot a.png add.hlo#summ", 64, "no instruction is named summ; did you mean sum?");
  ends("--screenshot a.png missing.hlo#sum", 66, "missing.hlo");
  scratch_.write("a#b.hlo", kAddProgram);
  ends("--screenshot a.png 'a#b.hlo'", 0, "");
  ends("--screenshot a.png 'a#b.hlo#nope'", 64, "no instruction is named nope");
}

TEST_F(StudioProgram, UnknownOptionsAreUsage) {
  ends("--bogus", 64, "bogus");
  ends("--screenshot a.png --bogus=3 add.hlo", 64, "bogus");
  ends("--screenshot", 64, "screenshot");
  ends("--screenshot a.png --size wide add.hlo", 64, "wide is no size");
  ends("--screenshot a.png --theme pink add.hlo", 64, "pink");
  for (const std::string scale : {"-1", "0", "1e9", "nan", "inf", "abc", "''"}) {
    ends("--screenshot a.png --scale=" + scale + " add.hlo", 64, "--scale: expected a number from");
    ends("--screenshot a.png --scale " + scale + " add.hlo", 64, "--scale: expected a number from");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / "a.png"));
}

TEST_F(StudioProgram, WithoutADisplayItSaysWhatWorks) { ends("add.hlo", 64, "There is no display."); }

TEST_F(StudioProgram, PicturesOfFiles) {
  ends("--screenshot a.png --size 900x600 add.hlo", 0, "");
  EXPECT_EQ(sizeOf("a.png"), std::pair(900, 600));
  ends("--screenshot b.png --size 900x600 --scale 2 --theme dark --select sum add.hlo", 0, "");
  EXPECT_EQ(sizeOf("b.png"), std::pair(1800, 1200));
  ends("--screenshot nowhere/a.png add.hlo", 73, "nowhere/a.png");
  ends("--screenshot a.picture add.hlo", 64, "a.picture: expected a name that ends in .png");
  ends("--timing add.hlo", 0, "longest event of the UI thread");
}

TEST_F(StudioProgram, NumbersInFilesHaveAPointInEveryLocale) {
  const std::string locales = scratch_.folder().string();
  if (std::system(("localedef -i de_DE -f UTF-8 " + locales + "/de_DE.UTF-8 >/dev/null 2>&1").c_str()) != 0)
    TESSERA_SKIP("no-locales");
  scratch_.write("heat.csv", "name,heat\nsum,0.5\n");
  scratch_.write("play.txt", "open heat.csv\n");
  const Ran ran = studio("--do play.txt add.hlo", "-u QT_QPA_PLATFORM LC_ALL=de_DE.UTF-8 LOCPATH=" + locales);
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
}

TEST_F(StudioProgram, FilesThatCannotBeOpened) {
  ends("--screenshot a.png missing.hlo", 66, "missing.hlo");
  ends("--screenshot b.png add.hlo missing.hlo", 66, "missing.hlo");  // the other one is shown
  EXPECT_GT(sizeOf("b.png").first, 100);
  scratch_.write("cut.hlo", std::string(kAddProgram).substr(0, 100));
  ends("--screenshot a.png cut.hlo", 2, "cut.hlo");
}

TEST_F(StudioProgram, PlaysCommands) {
  scratch_.write("good.txt", "run\nselect sum\nsave saved.hlo\nscreenshot c.png\n");
  ends("--do good.txt add.hlo", 0, "");
  EXPECT_NE(contentOf(scratch_.folder() / "saved.hlo").find("add("), std::string::npos);
  EXPECT_GT(sizeOf("c.png").first, 100);
  scratch_.write("unknown.txt", "frobnicate\n");
  ends("--do unknown.txt add.hlo", 64, "frobnicate");
  ends("--select nobody --screenshot a.png add.hlo", 64, "there is no instruction nobody");
  ends("--open nogroup --screenshot a.png add.hlo", 64, "nogroup");
  ends("--do missing.txt add.hlo", 66, "missing.txt");
}

// As the command line says it of the same programs.
TEST_F(StudioProgram, RunsThatFail) {
  scratch_.write("run.txt", "run\n");
  scratch_.write("call.hlo",
                 "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n"
                 "  ROOT mine = f32[2] custom-call(x), custom_call_target=\"nobody_has_this\"\n}\n");
  ends("--do run.txt call.hlo", 4, "mine");
  scratch_.write("huge.hlo", negateProgram("4611686018427387904"));
  ends("--do run.txt huge.hlo", 5, "f32[4611686018427387904]");
}

#ifndef TESSERA_NO_RUNTIME  // a sanitizer needs more address space than there is
// Wherever it runs out: while the file is read, in a worker, or in a library that lets no exception out.
TEST_F(StudioProgram, MemoryThatRunsOutIsSaid) {
  constexpr int kInstructions = 200000;
  std::string module = "HloModule big\n\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
  for (int i = 1; i < kInstructions; ++i)
    module += "  v" + std::to_string(i) + " = f32[4] add(v" + std::to_string(i - 1) + ", v" +
              std::to_string(std::max(0, i - 7)) + ")\n";
  scratch_.write("big.hlo", module + "  ROOT r = f32[4] negate(v9)\n}\n");
  int ended = 0;
  for (const int megabytes : {250, 300, 350}) {
    const Ran ran = studio("--screenshot big.png big.hlo",
                           "-u QT_QPA_PLATFORM prlimit --as=" + std::to_string(megabytes) + "000000 env");
    EXPECT_TRUE(ran.exit == 0 || ran.exit == 5) << megabytes << " MB: " << ran.exit << "\n" << ran.err;
    if (ran.exit != 5) continue;
    const bool isSaid = ran.err.find("not enough memory") != std::string::npos ||
                        ran.err.find("the system gives no more threads") != std::string::npos;
    EXPECT_TRUE(isSaid) << megabytes << " MB\n" << ran.err;
    ++ended;
  }
  EXPECT_GT(ended, 0);
}

// Qt's painting does not look at what malloc gave.
TEST_F(StudioProgram, MemoryThatRunsOutInPaintingIsSaid) {
  scratch_.write("paint.txt", "open-groups\nfit\nzoom 3\nrun\npanel layout\npanel text\nscreenshot a.png\n");
  for (int megabytes = 240; megabytes <= 480; megabytes += 20) {
    const Ran ran = studio("--do paint.txt --size 1440x900 add.hlo",
                           "-u QT_QPA_PLATFORM prlimit --as=" + std::to_string(megabytes) + "000000 env");
    const bool isSaid = ran.exit == 0 || ran.exit == 5 || ran.exit == 4;  // 4: the compiler's library does not fit
    EXPECT_TRUE(isSaid) << megabytes << " MB: " << ran.exit << "\n" << ran.err;
  }
}
#endif

}  // namespace
}  // namespace tessera
#endif
