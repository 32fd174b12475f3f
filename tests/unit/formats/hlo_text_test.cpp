// HLO text: small programs come back as they were, wrong ones are refused with the place and the fault.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/descriptor.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"

namespace tessera {
namespace {

constexpr std::string_view kLongForm =
    R"(HloModule jit_f, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }, )"
    R"(entry_computation_layout={(f32[4,8]{1,0}, s32[])->f32[4]{0}}, )"
    R"(allow_spmd_sharding_propagation_to_output={true}, num_partitions=2, )"
    R"(frontend_attributes={a="b",m={"k":[1,2]}}

FileNames
1 "a.py"

FunctionNames
1 "it\'s"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4,8], i: s32[]) -> f32[4] {
  %x = f32[4,8]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}, metadata={op_name="x"}
  %i = s32[] parameter(1)
  %zero = f32[] constant(-0)
  %t = (f32[4,8]{1,0:T(8,128)(2,1)S(1)}, f32[], s32[], f32[], f32[], /*index=5*/f32[]) tuple(%x, %zero, )"
    R"(%i, %zero, %zero, /*index=5*/%zero)
  %w = f32[2,8]{1,0} slice(%x), slice={[0:4:2], [0:8:1]}, control-predecessors={%zero, %t}
  %ar = f32[4,8]{1,0} all-reduce(%x), replica_groups=[1,2]<=[2], to_apply=%add
  %rw = f32[4,10]{1,0} reduce-window(%x, %zero), window={size=1x16 pad=0_0x15_2}, to_apply=%add
  %cc = f32[4]{0} custom-call(%x), custom_call_target="f\"g", backend_config={"x": {"y": "}"}}
  ROOT %r = f32[4]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add, metadata={op_type="r" )"
    R"(op_name="jit/r" stack_frame_id=1}, backend_config="raw"
}

)";

Module readGoodText(std::string_view text) {
  ReadResult read = readHloText(text);
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString();
  EXPECT_TRUE(read.module.has_value());
  return read.module ? std::move(*read.module) : Module();
}

TEST(HloText, FormsThatXlaTakes) {
  const Module module = readGoodText(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  c = (s32[], (f32[2], token[])) constant({...})
  p = pred[] constant(2)
  z = u32[] constant(-0)
  t = (f32[4], f32[4]) tuple(x, x,), sharding={/*index=0*/{replicated}, /*index=1*/{maximal device=0}}
  ROOT n = f32[4] negate(x,), sharding={last_tile_dim_replicate devices=[2,2]<=[4]}
}
)");
  const std::string text = printHloText(module);
  EXPECT_NE(text.find("constant({...})"), std::string::npos) << text;
  EXPECT_NE(text.find("pred[] constant(true)"), std::string::npos) << text;
  EXPECT_NE(text.find("u32[] constant(0)"), std::string::npos) << text;
  EXPECT_NE(text.find("sharding={{replicated}, {maximal device=0}}"), std::string::npos) << text;
}

TEST(HloText, BlanksAndShortListsThatXlaTakes) {
  const Module module = readGoodText(R"(HloModule m
ENTRY main {
  x = f32 [4]{0} parameter(0), sharding={devices=[1]<=[1]}
  k = f32/*c*/[2] parameter(1)
  c = f32[1,2,2,1] parameter(2)
  w = f32[2,2,1,1] parameter(3)
  y = f32[1,1,1,1] convolution(c, w), window={size=2x2 rhs_reversal=1}, dim_labels=b01f_01io->b01f
  b = f32[4] collective-broadcast(x), replica_groups=[1,1]<=[1]
  ROOT n = f32[4] negate(b), metadata={scheduling_name="\303\274"}
}
)");
  const std::string text = printHloText(module);
  EXPECT_NE(text.find("replica_groups=[1,1]<=[1]\n  ROOT"), std::string::npos) << text;
  EXPECT_NE(text.find("window={size=2x2 rhs_reversal=1x0}"), std::string::npos) << text;
  EXPECT_NE(text.find("scheduling_name=\"\xc3\xbc\""), std::string::npos) << text;
}

TEST(HloText, TheNextNameIsNoPartOfAnAttribute) {
  const Module module = readGoodText(R"(HloModule m
ENTRY main {
  a = f32[2] parameter(0)
  c = f32[] constant(0)
  p = f32[3] pad(a, c), padding=0_1
  _i = f32[3] pad(a, c), padding=0_1
  x.1 = f32[2] collective-broadcast(a), replica_groups=[1,1]<=[1]
  T = f32[3] add(p, _i)
  ROOT x.2 = (f32[2], f32[3]) tuple(x.1, T)
}
)");
  EXPECT_EQ(toString(module.shapeOf(module.entryComputation().root)), "(f32[2]{0}, f32[3]{0})");
}

std::string firstTextError(std::string_view text) {
  ReadResult read = readHloText(text, "f");
  return read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString();
}

// Prints, reads and prints again: the same text.
std::string stable(std::string_view text) {
  const std::string once = printHloText(readGoodText(text));
  EXPECT_EQ(printHloText(readGoodText(once)), once);
  return once;
}

TEST(HloText, LongFormComesBackByteForByte) { EXPECT_EQ(printHloText(readGoodText(kLongForm)), kLongForm); }

TEST(HloText, RangesCoverEachInstruction) {
  Module module = readGoodText(kLongForm);
  std::vector<PrintedRange> ranges;
  const std::string out = printHloText(module, &ranges);
  ASSERT_EQ(ranges.size(), module.instructionCount());
  for (const PrintedRange& range : ranges)
    EXPECT_EQ(out.substr(range.begin, range.end - range.begin), "  " + printInstruction(module, range.instruction));
}

TEST(HloText, LiteralsOfManyTypes) {
  for (auto [shape, literal] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"f32[2,3]", "{ { 1, -2.5, 3e-07 }, { inf, -inf, nan } }"},
           {"f32[]", "0.1"},
           {"f32[]", "16777217.5"},
           {"f64[]", "0.1"},
           {"f64[]", "-nan(0x7)"},
           {"pred[]", "true"},
           {"pred[4]", "{1, 0, 1, 1}"},
           {"c64[2]", "{(1, 2), (-0.5, 0)}"},
           {"s4[4]", "{-8, 7, 0, 1}"},
           {"u64[1]", "{18446744073709551615}"},
           {"bf16[2]", "{1.5, -0}"},
           {"f8e4m3fn[2]", "{448, nan}"},
           {"f32[2,1]", "{ {1}, {2} }"},
           {"f32[0,4]", "{  }"},
           {"f32[3,0]", "{ {}, {}, {} }"},
           {"f32[2,0,3]", "{ {  }, {  } }"},
           {"f32[1,2,0,2]", "{ { /*i0=0*/ { /*i1=0*/ }, { /*i1=1*/ } } }"},
           {"f32[1,1,2,0]", "{ { /*i0=0*/ { /*i1=0*/ {}, {} } } }"},
           {"f32[12]", "{...}"},
           {"s32[1,2,1,2]", "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }"},
           {"(s32[], u8[2])", "( 42, {1, 2} )"}}) {
    auto read = parseLiteral(literal, parseShape(shape).value());
    ASSERT_TRUE(read) << shape << ' ' << literal << ": " << read.error().toString();
    const std::string once = printLiteral(*read);
    if (literal == "16777217.5") continue;  // rounds to the type
    EXPECT_EQ(once, literal) << shape;
  }
}

// What XLA's reader makes of values that a type lacks, as it prints them.
TEST(HloText, LiteralsAsXlaTakesThem) {
  for (auto [shape, literal, printed] :
       std::initializer_list<std::tuple<std::string_view, std::string_view, std::string_view>>{
           {"f8e4m3fn[]", "inf", "nan"},
           {"f4e2m1fn[]", "inf", "6"},
           {"f4e2m1fn[]", "nan", "-0"},
           {"f8e8m0fnu[]", "-inf", "nan"},
           {"f8e5m2[]", "-nan(0x8000000000000)", "-nan"},
           {"f8e4m3fnuz[]", "nan", "-nan"},
           {"f8e5m2fnuz[]", "nan", "-nan"},
           {"f8e4m3b11fnuz[]", "-nan", "-nan"},
           {"f32[]", "nan(0x8000000000000)", "nan"},
           {"pred[]", "-1", "true"},
           {"s64[]", "9223372036854775808", "-9223372036854775808"},
           {"u64[]", "-1", "18446744073709551615"}}) {
    auto read = parseLiteral(literal, parseShape(shape).value());
    ASSERT_TRUE(read) << shape << ' ' << literal << ": " << read.error().toString();
    EXPECT_EQ(printLiteral(*read), printed) << shape << ' ' << literal;
  }
}

TEST(HloText, LiteralsOutOfRange) {
  for (auto [shape, literal] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"u8[]", "-1"},
                                                                            {"s4[]", "8"},
                                                                            {"f16[]", "70000"},
                                                                            {"f64[]", "1e999"},
                                                                            {"s32[]", "1.5"},
                                                                            {"f8e4m3fn[]", "nan(0x1)"},
                                                                            {"s32[2]", "{1}"},
                                                                            {"s32[2]", "{1,2,3}"},
                                                                            {"s32[2]", "1"},
                                                                            {"f16[]", "nan(0x400)"},
                                                                            {"f32[4611686018427387904]", "{1}"}})
    EXPECT_FALSE(parseLiteral(literal, parseShape(shape).value())) << shape << ' ' << literal;
}

TEST(HloText, ShapesKeepEveryLayoutPart) {
  for (std::string_view shape :
       {"f32[2,<=3,?]{2,1,0}", "f32[]{:T(256)}", "bf16[3,130]{1,0:T(8,128)(2,1)}",
        "f32[8]{0:T(4)L(1024)#(u32)*(u64)E(32)S(5)M(1024)}", "f32[8,4]{1,0:T(8,*)SC(0:2)(1:1,3)}", "s4[8]{0:E(4)}",
        "b(f32[2]{0})", "token[]", "()", "((f32[], s32[2]{0}), token[])"}) {
    auto read = parseShape(shape);
    ASSERT_TRUE(read) << shape << ": " << read.error().toString();
    EXPECT_EQ(toString(*read), shape);
  }
  for (std::string_view shape : {"f32[2]{1}", "f32[2,2]{0}", "f32[-1]", "f33[2]", "f32[2", "f32[2]{0:P(f32[2])}",
                                 "f32[2]x", "f32[99999999999999999999]", "token[2]", "tuple[]"})
    EXPECT_FALSE(parseShape(shape)) << shape;
}

TEST(HloText, ReplicaGroupsExpand) {
  Module module;
  auto groups = [&](std::string_view text) {
    auto value = parseAttributeValue(module, Attr::replica_groups, text);
    EXPECT_TRUE(value) << text;
    return value ? std::get<Boxed<ReplicaGroups>>(*value).value->groups : std::vector<std::vector<int64_t>>();
  };
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(groups("{{0,1},{2,3}}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups("[2,2]<=[2,2]T(1,0)"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=2] {'x'}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['x'=4] {'x':(2)2}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups("{}"), Groups{});
  EXPECT_FALSE(parseAttributeValue(module, Attr::replica_groups, "[3,2]<=[4]"));
  EXPECT_FALSE(parseAttributeValue(module, Attr::replica_groups, "[2,2]<=[2,2]"));  // XLA wants the transposition said
}

TEST(HloText, SugarAndShortForms) {
  const std::string async = stable(R"(HloModule m
ENTRY e {
  x = f32[8]{0} parameter(0)
  // waits for nothing
  s = ((f32[8]{0}), f32[8]{0}, s32[]) slice-start(x), slice={[0:8]}, async_execution_thread="t"
  u = ((f32[8]{0}), f32[8]{0}, s32[]) slice-update(s)
  ROOT d = f32[8]{0} slice-done(u)
})");
  EXPECT_NE(async.find("slice-start(%x), slice={[0:8]}, async_execution_thread=\"t\""), std::string::npos) << async;
  EXPECT_NE(async.find("slice-done(%u)"), std::string::npos);
  EXPECT_NE(async.find("  // waits for nothing\n"), std::string::npos);
  const std::string nested = stable(R"(e {
  t = (f32[2], (f32[3], s32[])) parameter(0)
  i = s32[4] iota(), iota_dimension=0
  ROOT r = (s32[], f32[3], f32[2]) tuple(t#1#1, t#1#0, f32[2] exponential(f32[2] t#0))
})");
  EXPECT_NE(nested.find("%t_1_1 = s32[] get-tuple-element(%t_1), index=1"), std::string::npos) << nested;
  EXPECT_NE(nested.find("exponential.anon"), std::string::npos);
  EXPECT_NE(stable("f32[3] add(f32[3] x, f32[3] y)").find("ROOT %add = f32[3]{0} add(%x, %y)"), std::string::npos);
  EXPECT_NE(stable("ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0)\n r = f32[] reduce(x, z), dimensions={0}, "
                   "to_apply={\n a = f32[] "
                   "parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) } }")
                .find("to_apply=%r.computation"),
            std::string::npos);
}

TEST(HloText, ErrorsNameTheFaultAndThePlace) {
  const std::string head = "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n";
  EXPECT_EQ(firstTextError(head + "  ROOT y = f32[4]{0} add(x, nope)\n}"),
            "f:4:29: error: undefined name %nope in computation %e");
  EXPECT_EQ(firstTextError(head + "  a = f32[4]{0} add(x, b)\n  ROOT b = f32[4]{0} add(a, x)\n}"),
            "f:4:24: error: cycle or use before definition: %a uses %b, which is defined later, at line 5");
  EXPECT_NE(firstTextError(head + "  x = f32[4]{0} parameter(1)\n}").find("4:3: error: %x is defined twice"),
            std::string::npos);
  EXPECT_NE(firstTextError(head + "  ROOT y = f32[4]{0} add(x, ").find("the text ends too early"), std::string::npos);
  EXPECT_NE(firstTextError(head).find("the text ends inside computation %e"), std::string::npos);
  EXPECT_NE(firstTextError("").find("the text is empty"), std::string::npos);
  EXPECT_NE(firstTextError("HloModule m\n/* open").find("comment is not closed"), std::string::npos);
}

TEST(HloText, ErrorsAreCollectedAndSoftOnesKeepTheModule) {
  ReadResult many = readHloText(
      "HloModule m\nENTRY e {\n x = f32[4 parameter(0)\n y = f99[] parameter(1)\n ROOT z = f32[] add(x, y)\n}");
  ASSERT_EQ(many.diagnostics.items().size(), 2u);
  EXPECT_EQ(many.diagnostics.items()[1].position.line, 4u);
  EXPECT_FALSE(many.module);
  ReadResult soft =
      readHloText("ENTRY e {\n x = f32[4] parameter(0)\n ROOT y = f32[4] frobnicate(x), wibble={1}, k=2\n}");
  EXPECT_TRUE(soft.diagnostics.hasErrors());
  ASSERT_TRUE(soft.module);
  EXPECT_NE(printHloText(*soft.module).find("frobnicate(%x), k=2, wibble={1}"), std::string::npos);
}

TEST(HloText, DeepNestingIsRefused) {
  const std::string deep(100000, '(');
  EXPECT_FALSE(parseShape(deep));
  EXPECT_TRUE(readHloText("ENTRY e { ROOT x = " + deep).diagnostics.hasErrors());
  std::string operands;
  for (int i = 0; i < 100000; ++i) operands += "f32[] negate(";
  EXPECT_TRUE(readHloText("ENTRY e { ROOT x = f32[] negate(" + operands).diagnostics.hasErrors());
}

TEST(ModuleFile, WritesAtomicallyAndExplainsWhatCannotBeRead) {
  const auto folder = std::filesystem::temp_directory_path() / "tessera_module_file_test";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(writeFileAtomically(folder / "a.hlo", kLongForm));
  EXPECT_EQ(readFile(folder / "a.hlo").value(), kLongForm);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(readFile(folder).error().kind, ErrorKind::Input);
  EXPECT_EQ(readFile(folder / "none").error().kind, ErrorKind::Input);
  EXPECT_EQ(writeFileAtomically(folder / "none" / "a", "x").error().kind, ErrorKind::Output);
  ASSERT_TRUE(writeFileAtomically(folder / "bad.gz", "\x1f\x8b\x08 damaged"));
  EXPECT_EQ(readFile(folder / "bad.gz").error().kind, ErrorKind::Input);
  ASSERT_TRUE(writeFileAtomically(folder / "junk", std::string_view("\0\1\2\3", 4)));
  EXPECT_TRUE(readModule(folder / "junk").diagnostics.hasErrors());
  std::filesystem::remove_all(folder);
}

TEST(ModuleFile, APipeIsReadToItsEndAndNotWaitedForForEver) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("tessera_pipe_{}", getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto content = readFile(path);
  ASSERT_FALSE(content);
  EXPECT_NE(content.error().message.find("nobody writes into"), std::string::npos);
  std::jthread writer([&] {
    const Descriptor end(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    for (const std::string& part : {std::string(kLongForm.substr(0, 1)), std::string(kLongForm.substr(1))})
      EXPECT_EQ(::write(end.get(), part.data(), part.size()), static_cast<ssize_t>(part.size()));
  });
  auto read = readFile(path);
  for (int again = 0; !read && again < 30; ++again) read = readFile(path);  // the writer waits for a reader
  EXPECT_EQ(read.value_or(""), kLongForm);
  writer.join();
  std::filesystem::remove(path);
}

// Read from its second half it gives less than its size says, as one does that is cut meanwhile.
TEST(ModuleFile, ThatGivesLessThanItsSizeBecameShorter) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("tessera_shorter_{}", getpid());
  ASSERT_TRUE(writeFileAtomically(path, kLongForm));
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(readFile(file, path).value(), kLongForm);
  ASSERT_EQ(::lseek(file.get(), 100, SEEK_SET), 100);
  const auto content = readFile(file, path);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().kind, ErrorKind::Input);
  EXPECT_NE(content.error().message.find("became shorter while it was read"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(HloText, OlderHeadersEndWithAColon) {
  const ReadResult read = readHloText("HloModule older:\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n");
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(read.diagnostics.empty());
  EXPECT_EQ(read.module->name, "older");
}

TEST(HloText, BodiesOfANamelessInstructionHaveNames) {
  const ReadResult read =
      readHloText("f32[5]{0} call(f32[5]{0}), to_apply=\n{\n  ROOT p = f32[5]{0} parameter(0)\n}\n");
  ASSERT_TRUE(read.module) << read.diagnostics.items().at(0).toString();
  const std::string text = printHloText(*read.module);
  EXPECT_NE(text.find("\n%computation (p: f32[5]) -> f32[5] {"), std::string::npos) << text;
  EXPECT_TRUE(readHloText(text).module);
}

TEST(HloText, SugarEndsWhatItStarted) {
  const std::string head =
      "ENTRY e {\n  p = f32[2]{0} parameter(0)\n  s = ((f32[2]{0}), f32[2]{0}, s32[]) negate-start(p)\n  ROOT d = "
      "f32[2]{0} ";
  EXPECT_TRUE(readHloText(head + "negate-done(s)\n}\n").diagnostics.empty());
  const ReadResult wrong = readHloText(head + "abs-done(s)\n}\n");
  ASSERT_EQ(wrong.diagnostics.items().size(), 1u);
  EXPECT_EQ(wrong.diagnostics.items()[0].message, "%d is of abs, and what was started is negate");
  EXPECT_EQ(wrong.diagnostics.items()[0].position.line, 4u);
}

// Over updates too, with and without sugar of their own.
TEST(HloText, SugarEndsWhatItStartedBehindUpdates) {
  const std::string state = "((f32[2]{0}), f32[2]{0}, s32[]) ";
  const std::string head = "ENTRY e {\n  p = f32[2]{0} parameter(0)\n  s = " + state +
                           "custom-call-start(p), custom_call_target=\"x\"\n  u = " + state;
  for (const char* update : {"custom-call-update(s)", "async-update(s)"}) {
    const std::string text = head + update + "\n  v = " + state + "custom-call-update(u)\n  ROOT d = f32[2]{0} ";
    EXPECT_TRUE(readHloText(text + "custom-call-done(v)\n}\n").diagnostics.empty());
    const ReadResult wrong = readHloText(text + "add-done(v)\n}\n");
    ASSERT_EQ(wrong.diagnostics.items().size(), 1u) << update;
    EXPECT_EQ(wrong.diagnostics.items()[0].message, "%d is of add, and what was started is custom-call");
  }
  EXPECT_FALSE(readHloText(head + "add-update(s)\n  ROOT d = f32[2]{0} add-done(u)\n}\n").diagnostics.empty());
}

}  // namespace
}  // namespace tessera
