// What a file or folder that comes from anywhere could do besides being shown: names that are code in what is written
// of them, names that lead out of a folder, and links in folders that are opened as a whole.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"
#include "tests/support/xplane_bytes.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class ForeignFiles : public testing::Test {
 protected:
  // A protobuf of a module with this name, which HLO text could not have.
  void named(const std::string& file, const std::string& name) {
    scratch_.write("plain.hlo", "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n");
    ASSERT_EQ(scratch_.tessera("print plain.hlo --to=pb -o plain.pb").exit, 0);
    std::string bytes = contentOf(scratch_.folder() / "plain.pb");
    ASSERT_TRUE(bytes.starts_with("\x0a\x01m")) << "the first field is the module's name";
    ASSERT_LT(name.size(), 128u);
    bytes.replace(0, 3, std::string("\x0a") + static_cast<char>(name.size()) + name);
    scratch_.write(file, bytes);
  }
  std::string out(const std::string& arguments, int exit = 0) {
    const Ran ran = scratch_.tessera(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    return ran.out;
  }
  Scratch scratch_;
};

TEST_F(ForeignFiles, NamesAreNoCodeInWhatIsWrittenOfThem) {
  named("m.pb", "m\nimport evil\n#include <evil>\n</title><script>evil()</script>*/ evil(); \\");
  for (const char* form : {"hlo", "short", "jax", "xlabuilder", "dot", "pbtxt"}) {
    const std::string text = out(std::string("print m.pb --to=") + form);
    EXPECT_EQ(text.find("\nimport evil"), std::string::npos) << text;
    EXPECT_EQ(text.find("\n#include <evil>"), std::string::npos) << text;
  }
  for (const char* file : {"m.html", "m.svg"}) {
    out(std::string("render m.pb -o ") + file);
    EXPECT_EQ(contentOf(scratch_.folder() / file).find("<script>evil"), std::string::npos) << file;
  }
  out("diff m.pb plain.hlo --html=d.html");
  ASSERT_TRUE(fs::exists(scratch_.folder() / "d.html"));
  EXPECT_EQ(contentOf(scratch_.folder() / "d.html").find("<script>evil"), std::string::npos);
}

TEST_F(ForeignFiles, NamesLeadOutOfNoFolder) {
  named("m.pb", "../../up/m");
  fs::create_directories(scratch_.folder() / "a/b");
  out("opt m.pb --dump=a/b");
  EXPECT_FALSE(fs::exists(scratch_.folder() / "up"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.folder() / "a"), fs::directory_iterator()), 1);
  EXPECT_GT(std::distance(fs::directory_iterator(scratch_.folder() / "a/b"), fs::directory_iterator()), 2);
}

TEST_F(ForeignFiles, LinksInDumpsAreLeftOut) {
  scratch_.write("plain.hlo", "HloModule m\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}\n");
  out("opt plain.hlo --dump=dump");
  scratch_.write("secret", "HloModule secret\nENTRY e {\n  ROOT p = f32[7] parameter(0)\n}\n");
  fs::remove(scratch_.folder() / "dump/module_0000.m.before_optimizations.txt");
  fs::create_symlink("../secret", scratch_.folder() / "dump/module_0000.m.before_optimizations.txt");
  const Ran ran = scratch_.tessera("dump dump");
  EXPECT_NE(ran.err.find("is a symbolic link and left out"), std::string::npos) << ran.err;
  EXPECT_EQ(out("passes dump").find("f32[7]"), std::string::npos);
}

TEST_F(ForeignFiles, LinksInLogFoldersAreLeftOut) {
  PlaneBytes gpu("/device:GPU:0");
  gpu.line("Stream #1", {gpu.event("mystery", 0, 2'000'000)});
  scratch_.write("far.xplane.pb", spaceBytes({gpu}));
  out("profile far.xplane.pb");
  fs::create_directories(scratch_.folder() / "log/plugins/profile/run");
  fs::create_symlink("../../../../far.xplane.pb", scratch_.folder() / "log/plugins/profile/run/host.xplane.pb");
  const Ran ran = scratch_.tessera("profile log");
  EXPECT_EQ(ran.exit, 66) << ran.out;
  EXPECT_NE(ran.err.find("holds no profile"), std::string::npos) << ran.err;
}

// Libraries are found by the loader and beside the program, never where a program happens to be opened.
TEST_F(ForeignFiles, LibrariesInTheFolderOfAFileAreNotOpened) {
  for (const char* name :
       {"libcuda.so.1", "libopenblas.so.0", "liblapack.so.3", "libtessera_cpu.so", "libtessera_core.so", "libfmt.so.9",
        "libstdc++.so.6", "libm.so.6", "libz.so.1", "libLLVM.so.19.1", "libdnnl.so.2", "libgomp.so.1", "libmpi.so.40"})
    scratch_.write(name, "no library");
  scratch_.write("c.hlo",
                 "HloModule m\nENTRY e {\n  a = f64[2,2] constant({{4, 2}, {2, 3}})\n  ROOT c = f64[2,2] "
                 "custom-call(a), custom_call_target=\"Cholesky\"\n}\n");
  const Ran ran = scratch_.tessera("run c.hlo");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const Ran cuda = scratch_.tessera("run c.hlo --backend=cuda");
  EXPECT_EQ(cuda.err.find("ELF"), std::string::npos) << cuda.err;
}

}  // namespace
}  // namespace tessera
