// --json prints one object in every case, with `error` exactly when the exit is not 0; and the keys that scripts read.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"

namespace tessera {
namespace {

using nlohmann::json;

class Json : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("add.hlo", kAddProgram);
    scratch_.write("bad.hlo", "HloModule m\n\nENTRY e {\n  ROOT b = f32[2] negate(nope)\n}\n");
    scratch_.write("huge.hlo", negateProgram("4611686018427387904"));
  }
  json object(const std::string& arguments, int exit) {
    const Ran ran = scratch_.tessera(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    json parsed = json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << arguments << "\n" << ran.out;
    if (!parsed.is_object()) return json::object();
    EXPECT_EQ(parsed.contains("error"), exit != 0) << arguments << "\n" << ran.out;
    EXPECT_EQ(parsed.contains("error") && parsed["error"].value("message", "").empty(), false) << arguments;
    return parsed;
  }
  Scratch scratch_;
};

TEST_F(Json, OneObjectInEveryCase) {
  const std::pair<const char*, int> kCases[] = {
      {"check --json add.hlo", 0},
      {"check --json add.hlo bad.hlo missing.hlo", 66},
      {"check --json bad.hlo", 2},
      {"check --json", 64},
      {"check --json missing.hlo", 66},
      {"print --json add.hlo", 0},
      {"print --json bad.hlo", 2},
      {"print --json add.hlo -o copy.hlo", 0},
      {"print --json add.hlo -o nowhere/x", 73},
      {"stats --json add.hlo", 0},
      {"stats --json bad.hlo", 2},
      {"stats --json .", 66},
      {"run --json add.hlo", 0},
      {"run --json add.hlo --bogus", 64},
      {"run --json add.hlo --runs=0", 64},
      {"run --json huge.hlo", 5},
      {"run --json bad.hlo", 2},
      {"run --json add.hlo --out=nowhere/x.npz", 73},
      {"run --json add.hlo --inputs=missing.npz", 66},
      {"render --json add.hlo -o a.svg", 0},
      {"render --json add.hlo -o a.svg --computation=nope", 64},
      {"render --json add.hlo", 64},
      {"render --json add.hlo -o a.pdf", 0},
      {"render --json add.hlo -o a.nope", 64},
      {"layout --json 'f32[2,3]'", 0},
      {"layout --json 'f32[2'", 2},
      {"layout --json 'f32[2,3]' --index=9,9", 64},
      {"--json", 64},
  };
  for (const auto& [arguments, exit] : kCases) object(arguments, exit);
}

TEST_F(Json, AnErrorNamesItsPlace) {
  const json error = object("check --json bad.hlo", 2)["error"];
  EXPECT_EQ(error.value("file", ""), "bad.hlo");
  EXPECT_EQ(error.value("line", 0), 4);
  EXPECT_EQ(error.value("column", 0), 26);
  EXPECT_EQ(error.value("instruction", ""), "b");
}

TEST_F(Json, RunTellsTimesBytesAndErrors) {
  ASSERT_EQ(scratch_.tessera("run add.hlo --out=out.npz").exit, 0);
  const json ran = object("run --json add.hlo --runs=3 --expected=out.npz", 0);
  for (const char* key : {"compile_ms", "run_ms", "max_abs_err", "max_rel_err", "peak_bytes"})
    EXPECT_TRUE(ran.contains(key) && ran[key].is_number()) << key << "\n" << ran.dump(2);
  EXPECT_EQ(ran.value("runs", 0), 3);
  EXPECT_EQ(ran.value("max_abs_err", 1.0), 0.0);
}
TEST_F(Json, DifferingValuesStillTellTheErrors) {
  scratch_.write("twice.hlo", std::string(kAddProgram).replace(std::string(kAddProgram).find("y)"), 2, "x)"));
  ASSERT_EQ(scratch_.tessera("run twice.hlo --out=out.npz").exit, 0);
  const json ran = object("run --json add.hlo --expected=out.npz --rtol=0 --atol=0", 3);
  EXPECT_GT(ran.value("max_abs_err", 0.0), 0.0);
}

TEST_F(Json, StatsCounts) {
  const json stats = object("stats --json add.hlo", 0);
  EXPECT_EQ(stats.value("instructions", 0), 3);
  EXPECT_EQ(stats.value("computations", 0), 1);
  EXPECT_EQ(stats.value("parameter_bytes", 0), 32);
  EXPECT_EQ(stats.value("output_bytes", 0), 16);
  EXPECT_EQ(stats.value("constant_bytes", -1), 0);
  EXPECT_EQ(stats.value("flops", 0.0), 4);
  EXPECT_EQ(stats.value("transcendentals", -1.0), 0);
  EXPECT_EQ(stats.value("bytes_accessed", 0.0), 48);
  EXPECT_EQ(stats.value("peak_memory_bytes", 0), 48);
  EXPECT_EQ(stats["opcodes"].value("parameter", 0), 2);
}

TEST_F(Json, FindingsAreAList) {
  scratch_.write("wide.hlo", "HloModule m\n\nENTRY e {\n  a = f64[4] parameter(0)\n  ROOT b = f64[4] negate(a)\n}\n");
  const auto list = [&](const char* file, int exit) {
    const Ran ran = scratch_.tessera(std::string("findings --json ") + file);
    EXPECT_EQ(ran.exit, exit) << ran.err;
    return json::parse(ran.out, nullptr, false);
  };
  EXPECT_EQ(list("add.hlo", 1), json::array());
  const json found = list("wide.hlo", 0);
  ASSERT_TRUE(found.is_array() && found.size() == 1) << found;
  EXPECT_EQ(found[0].value("rule", ""), "f64");
  EXPECT_EQ(found[0].value("instruction", ""), "a");
  EXPECT_EQ(found[0].value("computation", ""), "e");
  for (const char* key : {"text", "estimated"}) EXPECT_TRUE(found[0].contains(key)) << key;
  EXPECT_TRUE(list("bad.hlo", 2).contains("error"));
}

TEST_F(Json, LayoutPositions) {
  const json place = object("layout --json 'f32[2,3]{1,0}' --padded=3,5 --index=1,2", 0);
  EXPECT_EQ(place.value("linear", 0), 7);
  EXPECT_EQ(place.value("byte_offset", 0), 28);
  EXPECT_EQ(place.value("bytes", 0), 60);
  EXPECT_EQ(place.value("waste_bytes", 0), 36);
  const json padding = object("layout --json 'f32[2,3]{1,0}' --padded=3,5 --linear=3", 0);
  EXPECT_TRUE(padding.contains("index") && padding["index"].is_null());
}

TEST_F(Json, HelpIsNoObject) { EXPECT_EQ(scratch_.tessera("run --help").exit, 0); }

TEST_F(Json, DiffHasEveryInstructionThatDiffers) {
  scratch_.write("more.hlo",
                 "HloModule more\n\nENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n  n = f32[4] "
                 "negate(b)\n  ROOT c = f32[4] add(a, n)\n}\n");
  const Ran ran = scratch_.tessera("diff --json add.hlo more.hlo");
  EXPECT_EQ(ran.exit, 1);
  const json found = json::parse(ran.out);
  EXPECT_EQ(found["equal"], false);
  EXPECT_EQ(found["matched"], 2);
  ASSERT_EQ(found["changed"].size(), 1u);
  EXPECT_EQ(found["changed"][0]["changes"][0]["what"], "operand 1");
  ASSERT_EQ(found["added"].size(), 1u);
  EXPECT_EQ(found["added"][0]["name"], "n");
  EXPECT_TRUE(found["removed"].empty());
  EXPECT_EQ(found["delta"]["flops"], 4);
  EXPECT_EQ(found["delta"]["bytes"], 32);
  EXPECT_EQ(found["delta"]["peak"], 16);
}

TEST_F(Json, MemoryHasThePeakAndWhatLivesThere) {
  const json found = object("memory --json add.hlo", 0);
  EXPECT_EQ(found["peak"], 48);
  EXPECT_EQ(found["live_at_peak"].size(), 3u);
  EXPECT_EQ(found["over_schedule"].size(), 3u);
  EXPECT_EQ(found["allocated"], 48);
  EXPECT_EQ(found["fragmentation"], 0);
  EXPECT_EQ(found["buffers"][0]["kind"], "parameter");
  EXPECT_FALSE(found["suggestions"].empty()) << "the sum takes the memory of an argument";
}

TEST_F(Json, CompareHasEveryValue) {
  const json found = object("compare --json add.hlo --backends=evaluator", 0);
  EXPECT_EQ(found["equal"], true);
  EXPECT_EQ(found["compared"], 3);
  EXPECT_EQ(found["values"].size(), 3u);
  EXPECT_TRUE(found["first_divergence"].is_null());
}

}  // namespace
}  // namespace tessera
