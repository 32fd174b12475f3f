// Loosely written HLO text as XLA's parser reads it: a number where braces belong, empty places among operands, words
// in capitals, a mesh or a signature without its separator, nested operands. And what both refuse: incomplete table
// rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/diagnostic_limit.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

std::string entry(std::string_view body) { return "HloModule m\n\nENTRY e {\n" + std::string(body) + "\n}\n"; }

// Diagnostics of reading and verifying, one a line.
std::string problems(const std::string& text) {
  ReadResult read = readHloText(text, "f.hlo");
  std::string out;
  for (const Diagnostic& d : read.diagnostics.items()) out += d.toString() + "\n";
  if (!read.module) return out;
  Diagnostics found = inferModule(*read.module);
  found.addAll(verify(*read.module).items());
  for (const Diagnostic& d : found.items()) out += d.toString() + "\n";
  return out;
}

// The printed module from its ENTRY on, or what is wrong.
std::string printed(const std::string& text) {
  ReadResult read = readHloText(text, "f.hlo");
  if (!read.module || read.diagnostics.hasErrors()) return problems(text);
  const std::string out = printHloText(*read.module);
  return out.substr(out.find("ENTRY"));
}

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HloLoose, ANumberForAnArrayIsItsFirstElement) {
  for (auto [given, read] : {std::pair{"f32[3] constant(7)", "f32[3]{0} constant({7, 0, 0})"},
                             {"f32[2,2] constant(7)", "f32[2,2]{1,0} constant({ { 7, 0 }, { 0, 0 } })"},
                             {"pred[3] constant(true)", "pred[3]{0} constant({1, 0, 0})"},
                             {"f32[2] constant(-inf)", "f32[2]{0} constant({-inf, 0})"},
                             {"f32[2] constant(nan)", "f32[2]{0} constant({nan, 0})"},
                             {"(f32[3], s32[]) constant((7, 3))", "constant(( {7, 0, 0}, 3 ))"}}) {
    const std::string text = entry("  ROOT c = " + std::string(given));
    EXPECT_TRUE(mentions(printed(text), read)) << printed(text);
    EXPECT_TRUE(mentions(problems(text), "f.hlo:4:")) << problems(text);
    EXPECT_TRUE(mentions(problems(text), "warning: a literal of shape")) << problems(text);
    EXPECT_FALSE(mentions(problems(text), "error")) << problems(text);
  }
  for (const char* bad :
       {"f32[0] constant(7)", "f32[3] constant(7, 8, 9)", "f32[3] constant()", "c64[3] constant((1,2))",
        "f32[2,2] constant({1,2,3,4})", "f32[] constant({1})", "f32[3] constant(seven)"})
    EXPECT_TRUE(mentions(problems(entry("  ROOT c = " + std::string(bad))), "error")) << bad;
}

TEST(HloLoose, ALiteralThatIsTypedNeedsItsBraces) {
  const auto typed = parseLiteral("7", Shape::array(ElementType::F32, {3}));
  ASSERT_FALSE(typed);
  EXPECT_TRUE(mentions(typed.error().toString(), "is one number: its first element")) << typed.error().toString();
  EXPECT_TRUE(parseLiteral("7", Shape::array(ElementType::F32, {})));
}

TEST(HloLoose, EmptyPlacesAmongOperandsArePassedOver) {
  const std::string p = "  p = f32[2] parameter(0)\n  ROOT r = f32[2] ";
  for (auto [given, read] : {std::pair{"negate(f32[2], %p)", "negate(%p)"},
                             {"negate(f32[2],,%p)", "negate(%p)"},
                             {"negate(, p)", "negate(%p)"},
                             {"add(f32[2], %p, f32[2], %p)", "add(%p, %p)"},
                             {"add(p,, p)", "add(%p, %p)"},
                             {"add(p, p,,)", "add(%p, %p)"},
                             {"negate(p, f32[2])", "negate(%p)"}}) {
    EXPECT_TRUE(mentions(printed(entry(p + given)), read)) << given << "\n" << printed(entry(p + given));
    EXPECT_TRUE(mentions(problems(entry(p + given)), "warning: no operand stands here")) << problems(entry(p + given));
  }
  for (auto [bad, message] : {std::pair{"negate(,)", "an operand is missing; expected an operand, found ','"},
                              {"negate(f32[2])", "an operand is missing; expected an operand, found ')'"},
                              {"add(f32[2], p)", "an operand is missing"},
                              {"negate(f32[2], q)", "undefined name %q"},
                              {"negate(f32[3] p)", "is not the operand's"},
                              {"add(p p)", "')' is missing after the operands"}})
    EXPECT_TRUE(mentions(problems(entry(p + bad)), message)) << bad << "\n" << problems(entry(p + bad));
  EXPECT_EQ(problems(entry(p + "add(p, p,)")), "");
}

TEST(HloLoose, NestedOperandsNest) {
  const std::string p = "  p = f32[2] parameter(0)\n  ROOT r = f32[2] ";
  EXPECT_TRUE(mentions(printed(entry(p + "negate(add(add(p, p), p))")),
                       "  %add.anon = f32[2]{0} add(%p, %p)\n  %add.anon.1 = f32[2]{0} add(%add.anon, %p)\n"
                       "  ROOT %r = f32[2]{0} negate(%add.anon.1)\n"));
  EXPECT_EQ(problems(entry(p + "add(negate(add(p, p)), negate(add(p, add(p, p))))")), "");
  EXPECT_TRUE(mentions(problems(entry(p + "negate(add(add(p, q), p))")), "undefined name %q"));
  EXPECT_EQ(problems(entry(p + "exponential-done(((f32[2]), f32[2], u32[]) exponential-start(p))")), "");
}

TEST(HloLoose, ManyNestedOperandsOfOneOpcodeAreNamedInLinearTime) {
  std::string body = "  p = f32[2] parameter(0)\n";
  for (int i = 0; i < 40000; ++i) body += "  n" + std::to_string(i) + " = f32[2] negate(f32[2] negate(p))\n";
  EXPECT_TRUE(mentions(printed(entry(body)), "negate.anon.39999"));
}

TEST(HloLoose, SignaturesWithoutAColon) {
  for (const char* parameters : {"p f32[2]", "%p f32[2]", "p: f32[2]", "p f32[2]{0}"})
    EXPECT_EQ(problems("HloModule m\n\nENTRY e (" + std::string(parameters) +
                       ") -> f32[2] {\n  ROOT p = f32[2] parameter(0)\n}\n"),
              "")
        << parameters;
  EXPECT_EQ(problems("HloModule m\n\nENTRY e (p (f32[2], s32[])) -> f32[2] {\n  p = (f32[2], s32[]) parameter(0)\n"
                     "  ROOT r = f32[2] get-tuple-element(p), index=0\n}\n"),
            "");
}

TEST(HloLoose, WordsInCapitals) {
  const std::string dot =
      "  p = f32[3] parameter(0)\n  ROOT r = f32[] dot(p, p), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}, ";
  for (auto [given, read] : {std::pair{"operand_precision={HIGH,Highest}", "operand_precision={high,highest}"},
                             {"algorithm=DOT_F32_F32_F32", "algorithm=dot_f32_f32_f32"},
                             {"algorithm=Dot_TF32_tf32_f32_X3", "algorithm=dot_tf32_tf32_f32_x3"}}) {
    EXPECT_EQ(problems(entry(dot + given)), "");
    EXPECT_TRUE(mentions(printed(entry(dot + given)), read)) << printed(entry(dot + given));
  }
  EXPECT_EQ(problems(entry(dot + "algorithm=UNSET")), "");
  EXPECT_FALSE(mentions(printed(entry(dot + "algorithm=UNSET")), "algorithm"));
  for (const char* bad : {"operand_precision={foo,high}", "algorithm=dot_foo", "algorithm=ALG_DOT_F32_F32_F32"})
    EXPECT_TRUE(mentions(problems(entry(dot + bad)), "unknown value")) << bad;
  EXPECT_EQ(problems(entry("  p = f32[] parameter(0)\n  ROOT r = f32[4] rng(p, p), distribution=RNG_UNIFORM")), "");
  EXPECT_EQ(problems(entry("  p = u64[2] parameter(0)\n"
                           "  ROOT r = (u64[2], u32[4]) rng-bit-generator(p), algorithm=RNG_PHILOX")),
            "");
  const std::string call = "  p = f32[2] parameter(0)\n  ROOT r = f32[2] custom-call(p), custom_call_target=\"x\", ";
  EXPECT_EQ(problems(entry(call + "schedule=schedule_latest, api_version=api_version_typed_ffi")), "");
  // XLA reads these words only as they are printed.
  EXPECT_TRUE(
      mentions(problems(entry("  p = f32[3] parameter(0)\n  ROOT r = pred[3] compare(p, p), direction=lt")), "error"));
  EXPECT_TRUE(mentions(problems(entry(call + "padding_type=padding_same")), "unknown value"));
}

TEST(HloLoose, MapRunsOverAllDimensionsWhetherItSaysSoOrNot) {
  const std::string text =
      "HloModule m\n\nf {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n\nENTRY e {\n"
      "  p = f32[3,2] parameter(0)\n  ROOT r = f32[3,2] map(p), ";
  for (const char* dimensions : {"", "dimensions={}, ", "dimensions={0,1}, "}) {
    const std::string whole = text + dimensions + "to_apply=f\n}\n";
    EXPECT_EQ(problems(whole), "");
    EXPECT_TRUE(mentions(printed(whole), std::string("map(%p), ") + dimensions + "to_apply=%f")) << printed(whole);
  }
  for (const char* dimensions : {"dimensions={1}, ", "dimensions={1,0}, ", "dimensions={0,1,2}, "})
    EXPECT_TRUE(mentions(problems(text + dimensions + "to_apply=f\n}\n"), "map.C2")) << dimensions;
}

TEST(HloLoose, RowsOfStackFramesAreComplete) {
  auto tables = [](std::string_view location, std::string_view frame) {
    return problems("HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n1 {" +
                    std::string(location) + "}\n\nStackFrames\n1 {" + std::string(frame) +
                    "}\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  };
  const std::string whole = "file_name_id=1 function_name_id=1 line=3 end_line=5 column=4 end_column=6",
                    frame = "file_location_id=1 parent_frame_id=1";
  EXPECT_EQ(tables(whole, frame), "");
  EXPECT_EQ(tables("column=4, end_column=6, line=3 end_line=5, function_name_id=1 file_name_id=1", frame), "");
  for (const char* field : {"file_name_id", "function_name_id", " line", "end_line", " column", "end_column"}) {
    std::string without = whole;
    const size_t at = without.find(field);
    without.erase(at, std::string_view(field).size() + 2);
    const std::string name = field[0] == ' ' ? field + 1 : field;
    EXPECT_TRUE(mentions(tables(without, frame), "f.hlo:10:3: error: a file location lacks " + name))
        << tables(without, frame);
  }
  EXPECT_TRUE(mentions(tables(whole, "file_location_id=1"), "a stack frame lacks parent_frame_id"));
  EXPECT_TRUE(mentions(tables(whole + " line=3", frame), "line appears twice in the row"));
  EXPECT_TRUE(mentions(tables(whole + " row=3", frame), "unknown field of a file location"));
}

TEST(HloLoose, MeshesWithoutAComma) {
  auto sharded = [](std::string_view sharding) {
    return problems(entry("  ROOT p = f32[4,4] parameter(0), sharding={" + std::string(sharding) + "}"));
  };
  for (const char* good :
       {"mesh['x'=2,'y'=2] [{'x'},{'y'}]", "mesh['x'=2,'y'=2]\n [{'x'},{'y'}]", "mesh['x'=2,'y'=2] replicated",
        "mesh['x'=2,'y'=2] manual", "mesh['x'=2,'y'=2] unreduced", "mesh[] [{},{}]", "mesh['x'=4] [{'x', ?},{?}]",
        "mesh['x'=2,'y'=2], device_ids=(0,2,1,3) [{'x'},{'y'}]",
        "mesh['x'=2,'y'=2], device_ids=([2,2]T (1,0)), [{'x'},{'y'}]", "mesh[\"x\"=4] [{\"x\"},{}]"})
    EXPECT_EQ(sharded(good), "") << good;
  for (const char* bad :
       {"mesh['x'=2 'y'=2], [{'x'},{'y'}]", "mesh['x'=2,'y'=2], [{'x'} {'y'}]", "mesh['x'=2,'y'=2]",
        "mesh['x'=2,'y'=2] device_ids=(0,2,1,3), [{'x'},{'y'}]", "mesh['x'=2,'y'=2], [{'x'},{}] replicated={'y'}",
        "maximal_mesh[device_id=1] metadata={op_name=\"a\"}"})
    EXPECT_TRUE(mentions(sharded(bad), "error")) << bad;
}

// Errors that leave a graph do not end it: what follows a hundred of them is read.
TEST(HloLoose, TheListOfErrorsEndsAndTheModuleDoesNot) {
  std::string body = "  p = f32[2] parameter(0)\n";
  for (int i = 0; i < 250; ++i) body += "  n" + std::to_string(i) + " = f32[2] negate(p), foo=1\n";
  const std::string text = "HloModule m\n\nfirst {\n" + body + "}\n\nENTRY last {\n  ROOT p = f32[3] parameter(0)\n}\n";
  ReadResult read = readHloText(text, "f.hlo");
  ASSERT_TRUE(read.module);
  EXPECT_EQ(read.module->at(read.module->entry()).name, "last");
  ASSERT_EQ(read.diagnostics.items().size(), kMaxDiagnostics + 1);
  EXPECT_EQ(read.diagnostics.items().back().toString(), "note: and 150 more");
}

TEST(HloLoose, ATextThatIsNoGraphIsReadAsFarAsAHundredErrors) {
  std::string body;
  for (int i = 0; i < 250; ++i) body += "  n" + std::to_string(i) + " = f32[2 negate(p)\n";
  ReadResult read = readHloText(entry(body), "f.hlo");
  EXPECT_FALSE(read.module);
  ASSERT_EQ(read.diagnostics.items().size(), kMaxDiagnostics + 1);
  EXPECT_TRUE(mentions(read.diagnostics.items().back().toString(), "f.hlo:103:"))
      << read.diagnostics.items().back().toString();
  EXPECT_TRUE(mentions(read.diagnostics.items().back().toString(), "is not read"));
}

}  // namespace
}  // namespace tessera
