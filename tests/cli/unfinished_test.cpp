// Unfinished graphs on the command line: `check` says every open place with line and label, `print` gives the text
// back, what cannot be done without the rest says so; no command crashes on them.
#include "tests/cli/spawn.h"

namespace tessera {
namespace {

const char* const kOpen =
    "HloModule m\n\nENTRY %main (a: f32[4]) -> ? {\n  %a = f32[4]{0} parameter(0)\n"
    "  ROOT %g = ? gather(%a, ?), offset_dims=?, collapsed_slice_dims=?, start_index_map=?, index_vector_dim=?, "
    "slice_sizes=?\n}\n\n";
const char* const kEmpty = "HloModule untitled\n\nENTRY %main () -> ? {\n}\n\n";
const char* const kEmptyCallee =
    "HloModule m\n\n%f () -> ? {\n}\n\nENTRY %e () -> f32[] {\n  ROOT %c = f32[] call(), to_apply=%f\n}\n\n";
const char* const kOpenBody =
    "HloModule m\n\nENTRY %main (a: f32[4]) -> ? {\n  %a = f32[4]{0} parameter(0)\n  %w = ? while(%a), condition=?, "
    "body=?\n"
    "  %f = ? fusion(?), kind=?, calls=?\n  ROOT %r = ? reduce(%w, ?), dimensions=?, to_apply=?\n}\n\n";

size_t countOf(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

class UnfinishedFiles : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("open.hlo", kOpen);
    scratch_.write("empty.hlo", kEmpty);
    scratch_.write("callee.hlo", kEmptyCallee);
    scratch_.write("body.hlo", kOpenBody);
  }
  Scratch scratch_;
};

TEST_F(UnfinishedFiles, CheckSaysEveryOpenPlace) {
  const Ran open = scratch_.tessera("check open.hlo");
  EXPECT_EQ(open.exit, 2);
  EXPECT_EQ(countOf(open.err, "[unfinished]"), 6u) << open.err;
  EXPECT_EQ(countOf(open.err, "open.hlo:5:8: error:"), 6u) << open.err;
  EXPECT_EQ(countOf(open.err, "\n"), 6u) << open.err;  // and nothing beside
  const Ran empty = scratch_.tessera("check empty.hlo");
  EXPECT_EQ(empty.exit, 2);
  EXPECT_NE(empty.err.find("%main is empty [unfinished]"), std::string::npos) << empty.err;
}

TEST_F(UnfinishedFiles, PrintGivesTheTextBack) {
  const std::pair<const char*, const char*> files[] = {
      {"open.hlo", kOpen}, {"empty.hlo", kEmpty}, {"callee.hlo", kEmptyCallee}, {"body.hlo", kOpenBody}};
  for (const auto& [name, text] : files) {
    const Ran ran = scratch_.tessera("print " + std::string(name));
    EXPECT_EQ(ran.exit, 0) << name << ran.err;
    EXPECT_EQ(ran.out, text);
  }
}

TEST_F(UnfinishedFiles, NoCommandCrashes) {
  const char* const commands[] = {"check",
                                  "print --to=short",
                                  "print --to=pb -o out.pb",
                                  "print --to=pbtxt",
                                  "print --to=dot",
                                  "print --to=tessera",
                                  "print --to=xlabuilder",
                                  "print --to=jax",
                                  "stats",
                                  "stats --json",
                                  "run",
                                  "run --backend=evaluator",
                                  "render -o out.svg",
                                  "cost",
                                  "memory",
                                  "memory --optimized",
                                  "compare",
                                  "bisect -o found",
                                  "opt",
                                  "reduce --help",
                                  "grep --opcode=gather"};
  for (const char* file : {"open.hlo", "empty.hlo", "callee.hlo", "body.hlo"}) {
    for (const char* command : commands) {
      const Ran ran = scratch_.tessera(std::string(command) + " " + file);
      EXPECT_LT(ran.exit, 100) << command << " " << file << "\n" << ran.err;
      if (ran.exit > 1) {
        EXPECT_FALSE(ran.err.empty() && ran.out.empty()) << command << " " << file;
      }
    }
    for (const char* command : {"extract", "isolate", "explain"})
      EXPECT_LT(scratch_.tessera(std::string(command) + " " + file + " g").exit, 100) << command << file;
    EXPECT_LT(scratch_.tessera(std::string("diff ") + file + " " + file).exit, 100) << file;
    EXPECT_LT(scratch_.tessera(std::string("resize ") + file + " a:0=8").exit, 100) << file;
  }
}

TEST_F(UnfinishedFiles, ProtobufHasNoFormForThem) {
  const Ran ran = scratch_.tessera("print --to=pb -o out.pb open.hlo");
  EXPECT_NE(ran.exit, 0);
  EXPECT_NE(ran.err.find("operand 1 (start_indices) of %g is open"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / "out.pb"));
}

}  // namespace
}  // namespace tessera
