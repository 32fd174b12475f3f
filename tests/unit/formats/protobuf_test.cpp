// Protobuf: a module comes back from the binary and the text form as it was, what the IR cannot hold is kept, and
// damaged messages are refused with the fault. Files written by XLA are in the corpus tests.
#include <gtest/gtest.h>

#include <string>

#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/formats/protobuf.h"
#include "core/formats/short_text.h"
#include "core/formats/stablehlo.h"

namespace tessera {
namespace {

// Things that the messages have fields for, and things that they do not (notes, mode=, header facts, unknown
// attributes).
constexpr std::string_view kRich =
    R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias) }, buffer_donor={ )"
    R"((1, {}) }, entry_computation_layout={(f32[4,8]{0,1:T(8,128)S(1)}, s32[])->(f32[4,8]{0,1}, )"
    R"(f32[<=4]{0})}, replica_count=2, num_partitions=4, frontend_attributes={a="b",c={"d":1}}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4,8], i: s32[]) -> (f32[4,8], f32[<=4]) {
  %x = f32[4,8]{0,1:T(8,128)S(1)} parameter(0), sharding={devices=[2,1,2]<=[4] )"
    R"(last_tile_dim_replicate}, metadata={op_name="x" stack_frame_id=1}
  %i = s32[] parameter(1), origin={{"i.1"}}
  // a note
  %zero = f32[] constant(0)
  %nibbles = s4[3]{0} constant({1, -2, 3})
  %half = bf16[2,2]{0,1} constant({ { 1, 2 }, { 3, nan } })
  %all = f32[4,8]{0,1} all-reduce(%x), channel_id=3, replica_groups=[2,4]<=[2,2,2]T(1,0,2), )"
    R"(use_global_device_ids=true, mode=flattened_id, to_apply=%add
  %mesh = f32[4,8]{0,1} all-reduce(%all), replica_groups=mesh['a'=2,'b'=4] {'a'}, to_apply=%add, )"
    R"(control-predecessors={%zero}
  %rows = f32[4]{0} reduce(%mesh, %zero), dimensions={1}, to_apply=%add
  %padded = f32[6]{0} pad(%rows, %zero), padding=1_1
  %cut = f32[4]{0} slice(%padded), slice={[1:5]}
  %bounded = f32[<=4]{0} set-dimension-size(%cut, %i), dimensions={0}
  %cc = f32[4,8]{0,1} custom-call(%mesh, %half), custom_call_target="t", )"
    R"(custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, )"
    R"(api_version=API_VERSION_TYPED_FFI, frontend_attributes={k="v"}, backend_config={x = 1 : i64}
  ROOT %t = (f32[4,8]{0,1}, f32[<=4]{0}) tuple(%cc, %bounded)
}

)";

Module readBeforeProto(std::string_view text) {
  ReadResult read = readHloText(text);
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString();
  return read.module ? std::move(*read.module) : Module();
}

std::string errorOf(const ProtoContent& content) {
  return content.diagnostics.empty() ? "" : content.diagnostics.items()[0].toString();
}

TEST(Protobuf, AModuleComesBackFromEveryForm) {
  const Module module = readBeforeProto(kRich);
  for (ProtoMessage message : {ProtoMessage::HloModule, ProtoMessage::Hlo})
    for (bool text : {false, true}) {
      auto bytes = writeProto(module, {message, text});
      ASSERT_TRUE(bytes);
      ProtoContent back = readProto(*bytes);
      ASSERT_TRUE(back.module) << errorOf(back);
      EXPECT_EQ(printHloText(*back.module), kRich);
    }
}

TEST(Protobuf, TextIsToldFromHloTextByItsFirstField) {
  EXPECT_TRUE(looksLikeProtoText("# a comment\nname: \"m\"\n"));
  EXPECT_TRUE(looksLikeProtoText("hlo_module {\n  name: \"m\"\n}"));
  EXPECT_FALSE(looksLikeProtoText("HloModule name\n"));
  EXPECT_FALSE(looksLikeProtoText("name {\n  x = f32[] parameter(0)\n}"));
  EXPECT_FALSE(looksLikeProtoText("%name (a: f32[]) -> f32[] {"));
}

// What the IR has no place for is written back: field 21 (device_type), field 9999 (unknown), ids.
TEST(Protobuf, ForeignFieldsAndIdsAreKept) {
  constexpr std::string_view kText = R"(name: "m" entry_computation_id: 7 device_type: "gpu"
    computations { name: "e" id: 7 root_id: 70
      instructions { name: "p" opcode: "parameter" id: 70 shape { element_type: F32 layout { } }
                     metadata { size_of_generated_code_in_bytes: 5 } } })";
  ProtoContent read = readProto(kText);
  ASSERT_TRUE(read.module) << errorOf(read);
  auto written = writeProto(*read.module, {ProtoMessage::HloModule, true, read.foreign.get()});
  ASSERT_TRUE(written);
  EXPECT_NE(written->find("device_type: \"gpu\""), std::string::npos);
  EXPECT_NE(written->find("size_of_generated_code_in_bytes: 5"), std::string::npos);
  EXPECT_NE(written->find("root_id: 70\n"), std::string::npos);
  auto binary = writeProto(*read.module, {ProtoMessage::HloModule, false, read.foreign.get()});
  ASSERT_TRUE(binary);
  const std::string unknown = std::string("\xfa\xf0\x04\x03", 4) + "xyz";  // field 9999, length-delimited
  ProtoContent again = readProto(*binary + unknown);
  ASSERT_TRUE(again.module) << errorOf(again);
  auto kept = writeProto(*again.module, {ProtoMessage::HloModule, false, again.foreign.get()});
  ASSERT_TRUE(kept);
  EXPECT_NE(kept->find(unknown), std::string::npos);
}

// As protobuf prints what a binary message held beside its fields, at every level, in lists and beside numbers of known
// fields.
constexpr std::string_view kUnknown = R"(hlo_module {
  name: "m" 6: 1
  computations [ { name: "e" id: 1 root_id: 3
      instructions {
        name: "p" opcode: "parameter" id: 2
        shape { element_type: F32 dimensions: 2 layout { minor_to_major: 0 777: 5 } 888: "in )"
                                      R"(\"quotes\"\n" '\001' }
        9000: 18446744073709551615
        9001: -1
        9002: 0x0000002a, 9003: 0xffffffffffffffff;  # a comment { with braces
        9004 { 1: "x" 2 { 3: 0x10 } 4: [1, 2] }
        9004 < 5: "" >
      }
      instructions { name: "c" opcode: "constant" id: 3 shape { element_type: F32 } literal { shape { )"
                                      R"(element_type: F32 } f32s: 3 200: "y" 99: 9 } 9005: 6 }
      10: "zz" } ]
  12345: "in the module"
}
54321 { 1: 2 }
)";

TEST(Protobuf, TextWithBytesThatAreNoUtf8IsRefused) {
  const ProtoContent read =
      readProto(R"(name: "m" computations { name: "c" id: 1 root_id: 2 instructions { name: "a" opcode: "compare" )"
                R"(id: 2 comparison_direction: "\357T" } })");
  ASSERT_TRUE(read.diagnostics.hasErrors());
  EXPECT_NE(read.diagnostics.items()[0].toString().find("computations.instructions.comparison_direction"),
            std::string::npos)
      << read.diagnostics.items()[0].toString();
}

TEST(Protobuf, BytesThatAreNoUtf8AreNotWritten) {
  const ReadResult read =
      readHloText("HloModule m\n\nENTRY e {\n  ROOT a = f32[] parameter(0), metadata={op_name=\"x\xffy\"}\n}\n");
  ASSERT_TRUE(read.module);
  const auto written = writeProto(*read.module);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("metadata.op_name"), std::string::npos) << written.error().message;
}

TEST(Protobuf, UnknownFieldsGoThroughText) {
  ProtoContent read = readProto(kUnknown);
  ASSERT_TRUE(read.module) << errorOf(read);
  auto text = writeProto(*read.module, {ProtoMessage::Hlo, true, read.foreign.get()});
  ASSERT_TRUE(text);
  for (const char* field :
       {"777: 5\n", "888: \"in \\\"quotes\\\"\\n\\001\"\n",
        "9000: 18446744073709551615\n        9001: 18446744073709551615\n", "9002: 0x0000002a\n",
        "9003: 0xffffffffffffffff\n", "9005: 6\n", "99: 9\n", "12345: \"in the module\"\n", "54321 {", "10: \"zz\"\n"})
    EXPECT_NE(text->find(std::string_view(field).substr(0, std::string_view(field).find('\n'))), std::string::npos)
        << field << *text;
  ProtoContent again = readProto(*text);
  ASSERT_TRUE(again.module) << errorOf(again);
  EXPECT_EQ(*writeProto(*again.module, {ProtoMessage::Hlo, true, again.foreign.get()}), *text);
  auto binary = writeProto(*read.module, {ProtoMessage::Hlo, false, read.foreign.get()});
  ASSERT_TRUE(binary);
  EXPECT_NE(binary->find(std::string("\xe2\xb2\x04\x0b\x0a\x01x\x12\x02\x18\x10\x20\x01\x20\x02", 15)),
            std::string::npos);
  ProtoContent fromBinary = readProto(*binary);
  ASSERT_TRUE(fromBinary.module);
  EXPECT_EQ(*writeProto(*fromBinary.module, {ProtoMessage::Hlo, true, fromBinary.foreign.get()}), *text);
}

TEST(Protobuf, DamagedUnknownFieldsAreRefusedWhereTheyStand) {
  for (const char* field : {"99: ", "99 { x: 1 }", "99: \"open", "99 { 1: 2", "0: 1", "536870912: 1", "99: 1.5",
                            "99: 0xg", "99: 18446744073709551616", "99: [1"}) {
    ProtoContent read = readProto("name: \"m\"\n  " + std::string(field) + "\ncomputations { }\n");
    EXPECT_FALSE(read.module) << field;
    EXPECT_GE(read.diagnostics.items().at(0).position.line, 2u) << field;
  }
  std::string deep = "name: \"m\" ";
  for (int i = 0; i < 100000; ++i) deep += "9 {";
  EXPECT_FALSE(readProto(deep).module);
}

TEST(Protobuf, LiteralsStandInTheOrderOfTheirLayout) {
  const Module module =
      readBeforeProto("ENTRY e {\n  ROOT c = s32[2,3]{0,1} constant({ { 1, 2, 3 }, { 4, 5, 6 } })\n}\n");
  auto text = writeProto(module, {ProtoMessage::HloModule, true});
  ASSERT_TRUE(text);
  std::string order;
  for (size_t at = text->find("s32s: "); at != std::string::npos; at = text->find("s32s: ", at + 1))
    order += (*text)[at + 6];
  EXPECT_EQ(order, "142536");
  ProtoContent back = readProto(*text);
  ASSERT_TRUE(back.module) << errorOf(back);
  EXPECT_EQ(printHloText(*back.module), printHloText(module));
}

TEST(Protobuf, SubByteValuesAreClearedAboveTheirBits) {
  auto text = writeProto(readBeforeProto("ENTRY e {\n  ROOT c = s4[3]{0} constant({1, -2, 3})\n}\n"),
                         {ProtoMessage::HloModule, true});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("s4s: \"\\001\\016\\003\""), std::string::npos);
}

TEST(Protobuf, PaddingOfALayout) {
  constexpr std::string_view kText = R"(name: "m" entry_computation_id: 1
    computations { name: "e" id: 1 root_id: 2
      instructions { name: "p" opcode: "parameter" id: 2
        shape { element_type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1] padded_dimensions: )"
                                     R"([3, 5] padding_value: ZERO_PAD } } } })";
  ProtoContent read = readProto(kText);
  ASSERT_TRUE(read.module) << errorOf(read);
  const Layout& layout = *read.module->shapeOf(InstructionId(0)).layout;
  EXPECT_EQ(layout.paddedDimensions, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(layout.paddingValue, 0.0);
  auto written = writeProto(*read.module, {ProtoMessage::HloModule, true});
  ASSERT_TRUE(written);
  EXPECT_NE(written->find("padding_value: ZERO_PAD"), std::string::npos);
}

// A field of a message that holds bytes: a message, or packed numbers.
std::string field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  for (size_t size = bytes.size();; size >>= 7) {
    out += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
    if (size <= 127) break;
  }
  return out.append(bytes);
}

// A LiteralProto of f32[2]: its shape (element_type F32, dimensions) and f32s.
std::string literalOfTwo(float first, float second) {
  const float values[] = {first, second};
  return field(1, std::string("\x10\x0b", 2) + field(3, "\x02")) +
         field(8, {reinterpret_cast<const char*>(values), sizeof values});
}

TEST(Protobuf, ASnapshotBringsItsValues) {
  const Module module = readBeforeProto("ENTRY e {\n  p = f32[2]{0} parameter(0)\n  ROOT n = f32[2]{0} negate(p)\n}\n");
  const Literal argument = parseLiteral("{1, 2}", Shape::arrayRowMajor(ElementType::F32, {2})).value();
  const Literal result = parseLiteral("{-1, -2}", Shape::arrayRowMajor(ElementType::F32, {2})).value();
  const auto hlo = writeProto(module);
  ASSERT_TRUE(hlo);
  ProtoContent back = readProto(field(1, *hlo) + field(2, literalOfTwo(1, 2)) + field(3, literalOfTwo(-1, -2)));
  ASSERT_TRUE(back.module) << errorOf(back);
  EXPECT_TRUE(back.snapshot);
  ASSERT_EQ(back.arguments.size(), 1u);
  EXPECT_TRUE(back.arguments[0].identical(argument));
  ASSERT_TRUE(back.result);
  EXPECT_TRUE(back.result->identical(result));
}

TEST(Protobuf, DamageIsNamed) {
  auto one = [](std::string_view instructions, std::string_view more = "") {
    return errorOf(readProto("name: \"m\" entry_computation_id: 1 computations { name: \"e\" id: 1 root_id: 2 " +
                             std::string(instructions) + "} " + std::string(more)));
  };
  constexpr std::string_view kParameter =
      "instructions { name: \"p\" opcode: \"parameter\" id: 2 shape { element_type: F32 } }";
  EXPECT_EQ(one(kParameter), "");
  EXPECT_NE(one("instructions { name: \"p\" opcode: \"parameter\" id: 2 }").find("has no shape"), std::string::npos);
  EXPECT_NE(
      one("instructions { name: \"a\" opcode: \"abs\" id: 2 operand_ids: 9 shape { element_type: F32 } }").find("id 9"),
      std::string::npos);
  EXPECT_NE(
      one("instructions { name: \"c\" opcode: \"constant\" id: 2 shape { element_type: F32 dimensions: 1000000000000 } "
          "literal { shape { element_type: F32 dimensions: 1000000000000 } f32s: 1 } }")
          .find("values for 1 elements"),
      std::string::npos);
  EXPECT_NE(one("instructions { name: \"a\" opcode: \"abs\" id: 2 operand_ids: 2 shape { element_type: F32 } }")
                .find("cycle"),
            std::string::npos);
  EXPECT_NE(
      one("instructions { name: \"k\" opcode: \"call\" id: 2 called_computation_ids: 1 shape { element_type: F32 } }")
          .find("calls itself"),
      std::string::npos);
  EXPECT_NE(one("instructions { name: \"p\" opcode: \"parameter\" id: 2 shape { element_type: F32 dimensions: 2 layout "
                "{ minor_to_major: 4 } } }")
                .find("no permutation"),
            std::string::npos);
  EXPECT_NE(one("instructions { nonsense: 1 }").find(":"), std::string::npos);
  EXPECT_NE(errorOf(readProto(std::string("\x08\x01\xff\x02", 4))), "");
  for (ProtoMessage message : {ProtoMessage::HloModule, ProtoMessage::Hlo}) {
    const std::string whole = writeProto(readBeforeProto(kRich), {message, false}).value_or("");
    const std::string cut = errorOf(readProto(whole.substr(0, whole.size() - 10)));
    EXPECT_NE(cut.find("breaks off after"), std::string::npos) << cut;
  }
  EXPECT_NE(errorOf(readProto(std::string("\xff\xfeH\0l\0o\0", 8))).find("UTF-16"), std::string::npos);
}

// 80 KB each: they took minutes, and a list of all errors would be longer than the file.
TEST(Protobuf, ManyEmptyOrEquallyNamedPartsAreReadInLinearTime) {
  const int count = 40000;
  std::string computations = field(1, "m"), instructions = field(1, "e"), named = field(1, "e");
  for (int i = 0; i < count; ++i) {
    computations += field(3, "");
    instructions += field(2, "");
    named += field(2, field(1, "a"));
  }
  for (const std::string& text :
       {computations, field(1, "m") + field(3, instructions), field(1, "m") + field(3, named)}) {
    const ProtoContent read = readProto(text, "f.pb");
    EXPECT_FALSE(read.module);
    ASSERT_EQ(read.diagnostics.items().size(), 101u);
    const std::string last = read.diagnostics.items().back().toString();
    EXPECT_TRUE(last.starts_with("note: and ") && last.ends_with(" more")) << last;
  }
}

TEST(ShortText, ReadsBackToTheSameGraph) {
  const std::string text = printShortText(readBeforeProto(kRich));
  EXPECT_EQ(text.find('%'), std::string::npos);
  EXPECT_EQ(text.find("metadata"), std::string::npos);
  EXPECT_EQ(text.find("control-predecessors"), std::string::npos);
  EXPECT_EQ(printShortText(readBeforeProto(text)), text);
}

// A header may run over lines.
TEST(ShortText, KeepsARecoveryTable) {
  const std::string text =
      "HloModule m, num_partitions=2, origin_recovery_table={\n  {\"a\"} : {\"b\"},\n  \"\n    HloModule r, "
      "frontend_attributes={k=\\\"}{\\\"}\n\n  \"\n}\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n";
  const std::string printed = printShortText(readBeforeProto(text));
  EXPECT_NE(printed.find("HloModule r"), std::string::npos);
  EXPECT_EQ(printShortText(readBeforeProto(printed)), printed);
}

TEST(Dot, OneNodeAnInstruction) {
  const std::string text =
      printDot(readBeforeProto("ENTRY e {\n  p = f32[2]{0} parameter(0)\n  ROOT n = f32[2]{0} negate(p)\n}\n"));
  EXPECT_TRUE(text.starts_with("digraph "));
  EXPECT_NE(text.find("i0 -> i1"), std::string::npos);
  EXPECT_NE(text.find("parameter 0"), std::string::npos);
}

}  // namespace
}  // namespace tessera
