// Unfinished graphs are legal documents: what is open is said by `?` in the text and reads back as it was; what is
// complete runs; every open place is reported with the label "unfinished".
#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/edit/structure/fragment.h"
#include "core/edit/text_edit.h"
#include "core/evaluate/complete.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/formats/project.h"
#include "core/formats/protobuf.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "core/ops/op.h"
#include "core/tools/cut_out.h"

namespace tessera {
namespace {

Shape floatShape(std::vector<int64_t> sizes) {
  Shape out = Shape::array(ElementType::F32, std::move(sizes));
  fillDefaultLayouts(out);
  return out;
}

// What a person has made so far: each edit on what stands.
struct Desk {
  Module module = emptyModule();

  InstructionId add(Opcode opcode, std::vector<InstructionId> operands = {}, std::optional<Shape> shape = {},
                    std::string literal = {}) {
    auto done = apply(
        module,
        {"add",
         {AddInstruction{module.entry(), opcode, "", std::move(operands), {}, std::move(shape), std::move(literal)}}});
    EXPECT_TRUE(done) << done.error().toString();
    module = done->module;
    return done->added.at(0);
  }
};

std::vector<std::string> openIn(const Module& module) {
  std::vector<std::string> out;
  const Diagnostics found = verify(module);  // keeps what items() refers to
  for (const Diagnostic& d : found.items())
    if (d.label == kUnfinished) out.push_back(d.message);
  return out;
}

// Everything that a document has of its graph.
void expectSame(const Module& a, const Module& b) {
  ASSERT_EQ(a.instructionCount(), b.instructionCount());
  for (ComputationId computation : a.order())
    for (InstructionId id : a.at(computation).instructions) {
      const Instruction& one = a.at(id);
      const auto there = b.findInstruction(one.name);
      ASSERT_TRUE(there) << one.name;
      const Instruction& other = b.at(*there);
      EXPECT_EQ(*one.shape, *other.shape) << one.name;
      EXPECT_EQ(one.operands.size(), other.operands.size()) << one.name;
      EXPECT_EQ(openAttributes(one), openAttributes(other)) << one.name;
      EXPECT_EQ(lacksShape(a, id), lacksShape(b, *there)) << one.name;
      for (size_t k = 0; k < one.operands.size(); ++k) {
        EXPECT_EQ(a.contains(one.operands[k]), b.contains(other.operands[k])) << one.name;
        if (a.contains(one.operands[k])) {
          EXPECT_EQ(a.at(one.operands[k]).name, b.at(other.operands[k]).name);
        }
      }
    }
  EXPECT_EQ(openIn(a), openIn(b));
}

Module printedAndRead(const Module& module) {
  const std::string text = printHloText(module);
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text << (read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString());
  EXPECT_TRUE(read.diagnostics.empty()) << text << read.diagnostics.items()[0].toString();
  if (!read.module) return Module();
  EXPECT_EQ(printHloText(*read.module), text);
  return std::move(*read.module);
}

TEST(Unfinished, AnEmptyModuleIsADocument) {
  const Module empty = emptyModule();
  EXPECT_EQ(printHloText(empty), "HloModule untitled\n\nENTRY %main () -> ? {\n}\n\n");
  expectSame(empty, printedAndRead(empty));
  EXPECT_EQ(openIn(empty), std::vector<std::string>{"%main is empty"});
  const std::string project = printProject({}, &empty);
  const ReadResult read = readProjectModule(project, "p.tessera");
  ASSERT_TRUE(read.module);
  EXPECT_EQ(printHloText(*read.module), printHloText(empty));
}

TEST(Unfinished, EveryOperationFreshFromThePaletteReadsBack) {
  for (const OpDef* op : allOps()) {
    if (op->opcode == Opcode::Parameter || op->opcode == Opcode::Constant) continue;
    SCOPED_TRACE(std::string(nameOf(op->opcode)));
    Desk desk;
    desk.add(op->opcode, std::vector<InstructionId>(static_cast<size_t>(std::max(0, arityOf(op->opcode)))));
    expectSame(desk.module, printedAndRead(desk.module));
    desk.add(Opcode::Parameter, {}, floatShape({2, 3}));
    expectSame(desk.module, printedAndRead(desk.module));
  }
}

TEST(Unfinished, EachOpenPlaceIsSaid) {
  Desk desk;
  desk.add(Opcode::Gather, {{}, {}});
  EXPECT_NE(printHloText(desk.module).find("ROOT %gather = ? gather(?, ?), offset_dims=?"), std::string::npos)
      << printHloText(desk.module);
  const auto open = openIn(desk.module);
  EXPECT_EQ(open.size(), 2 + openAttributes(desk.module.at(desk.module.entryComputation().root)).size());
  EXPECT_NE(open[0].find("operand 0 of %gather is open"), std::string::npos) << open[0];
}

TEST(Unfinished, ARefusedWireIsKeptWithItsReason) {
  Desk desk;
  const InstructionId a = desk.add(Opcode::Parameter, {}, floatShape({2}));
  const InstructionId b = desk.add(Opcode::Parameter, {}, floatShape({3}));
  const InstructionId sum = desk.add(Opcode::Add, {a, {}});
  auto wired = apply(desk.module, {"wire", {SetOperand{sum, 1, b}}});
  ASSERT_TRUE(wired);
  EXPECT_TRUE(wired->diagnostics.hasErrors());
  const std::string text = printHloText(wired->module);
  EXPECT_NE(text.find("= ? add("), std::string::npos) << text;
  const Module read = printedAndRead(wired->module);
  expectSame(wired->module, read);
  EXPECT_EQ(verify(read).items().at(0).message, wired->diagnostics.items().at(0).message);
}

TEST(Unfinished, WhatWasLastKnownOfAShapeStays) {
  Desk desk;
  const InstructionId a = desk.add(Opcode::Parameter, {}, floatShape({2, 3}));
  const InstructionId sum = desk.add(Opcode::Transpose, {a});
  ASSERT_EQ(toString(desk.module.shapeOf(sum), false), "f32[3,2]");
  auto cut = apply(desk.module, {"cut", {SetOperand{sum, 0, {}}}});
  ASSERT_TRUE(cut);
  EXPECT_NE(printHloText(cut->module).find("= ?f32[3,2]{1,0} transpose(?)"), std::string::npos)
      << printHloText(cut->module);
  expectSame(cut->module, printedAndRead(cut->module));
}

TEST(Unfinished, WhatIsConnectedLaterIsDerived) {
  const ReadResult read =
      readHloText("HloModule m\nENTRY %e {\n  %a = f32[4] parameter(0)\n  ROOT %n = ?f32[9] negate(%a)\n}\n");
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(read.diagnostics.empty());
  EXPECT_EQ(toString(read.module->shapeOf(read.module->entryComputation().root), false), "f32[4]");
  EXPECT_FALSE(isUnfinished(*read.module));
  EXPECT_EQ(printHloText(*read.module).find('?'), std::string::npos);
}

TEST(Unfinished, HundredsOfOpenPlacesReadBack) {
  Desk desk;
  for (int i = 0; i < 150; ++i) desk.add(Opcode::Gather, {{}, {}});
  EXPECT_EQ(printedAndRead(desk.module).instructionCount(), 150u);
}

TEST(Unfinished, ManyAbsentAttributesAreErrorsButNoHang) {
  std::string text = "HloModule m\nENTRY %e {\n  %a = f32[4] parameter(0)\n";
  for (int i = 0; i < 150; ++i) text += "  %t" + std::to_string(i) + " = f32[4] transpose(%a)\n";
  EXPECT_FALSE(readHloText(text + "}\n").diagnostics.empty());
}

TEST(Unfinished, BrokenQuestionMarksAreRefused) {
  for (const char* body :
       {"%a = ? parameter(0)", "%a = ? constant(1)", "%a = ?? add(?, ?)", "%a = f32[] add(??, ?)", "%a = f32[?",
        "%a = f32[2] transpose(?), dimensions=??", "%a = ?f32[ add(?,?)", "? = f32[] add(?, ?)", "%a = f32[] ?(?, ?)"})
    EXPECT_TRUE(readHloText(std::string("HloModule m\nENTRY %e {\n  ") + body + "\n}\n").diagnostics.hasErrors())
        << body;
}

TEST(Unfinished, AnEmptyBodyOfACallIsNoCrash) {
  const ReadResult read = readHloText(
      "HloModule m\n\n%f () -> ? {\n}\n\nENTRY %e () -> f32[] {\n  ROOT %c = f32[] call(), to_apply=%f\n}\n\n");
  ASSERT_TRUE(read.module);
  Module copy = *read.module;
  inferModule(copy);
  EXPECT_TRUE(verify(copy).hasErrors());
  EXPECT_FALSE(completeModule(copy));
  EXPECT_FALSE(writeProto(copy, {}));
  EXPECT_EQ(printHloText(*readHloText(printHloText(copy)).module), printHloText(copy));
}

TEST(Unfinished, AnAsyncStartInShortFormMayBeOpen) {
  const char* const text =
      "HloModule m\n\nENTRY %e (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n"
      "  %s = ((f32[4]{0}), f32[4]{0}, u32[]) negate-start(?)\n  ROOT %d = f32[4]{0} negate-done(%s)\n}\n\n";
  const ReadResult read = readHloText(text);
  ASSERT_TRUE(read.module) << read.diagnostics.items()[0].toString();
  EXPECT_EQ(printHloText(*read.module), text);
}

TEST(Unfinished, CopiedAndPasted) {
  Desk desk;
  const InstructionId a = desk.add(Opcode::Parameter, {}, floatShape({2}));
  const InstructionId gather = desk.add(Opcode::Gather, {a, {}});
  const std::string text = fragmentText(desk.module, std::vector<InstructionId>{gather});
  EXPECT_NE(text.find("gather(%"), std::string::npos) << text;
  EXPECT_NE(text.find(", ?), offset_dims=?"), std::string::npos) << text;
  const auto edit = pasting(desk.module, desk.module.entry(), text, true);
  ASSERT_TRUE(edit) << edit.error().toString();
  const auto pasted = apply(desk.module, *edit);
  ASSERT_TRUE(pasted);
  const Instruction& made = pasted->module.at(pasted->added.at(0));
  EXPECT_EQ(made.operands[0], a);
  EXPECT_FALSE(made.operands[1].valid());
  EXPECT_EQ(openAttributes(made), openAttributes(desk.module.at(gather)));
  EXPECT_TRUE(lacksShape(pasted->module, made.id));
  expectSame(pasted->module, printedAndRead(pasted->module));
}

TEST(Unfinished, TheTextPanelTypesOpenPlaces) {
  Module module = emptyModule();
  EXPECT_EQ(computationText(module, module.entry()), "ENTRY %main () -> ? {\n}\n");
  const std::string typed = "ENTRY %main {\n  %x = f32[4] parameter(0)\n  ROOT %y = ? add(%x, ?)\n}\n";
  auto edit = editFromText(module, module.entry(), typed);
  ASSERT_TRUE(edit) << edit.error().toString();
  auto done = apply(module, *edit);
  ASSERT_TRUE(done);
  module = done->module;
  EXPECT_EQ(computationText(module, module.entry()),
            "ENTRY %main (x: f32[4]) -> ? {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = ? add(%x, ?)\n}\n");
  edit =
      editFromText(module, module.entry(), "ENTRY %main {\n  %x = f32[4] parameter(0)\n  ROOT %y = ? add(%x, %x)\n}\n");
  ASSERT_TRUE(edit) << edit.error().toString();
  done = apply(module, *edit);
  ASSERT_TRUE(done);
  EXPECT_NE(computationText(done->module, done->module.entry()).find("ROOT %y = f32[4]{0} add(%x, %x)"),
            std::string::npos);
  edit = editFromText(done->module, module.entry(), "ENTRY %main () -> ? {\n}\n");
  ASSERT_TRUE(edit) << edit.error().toString();
  done = apply(done->module, *edit);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->module.instructionCount(), 0u);
}

TEST(Unfinished, WhatIsCompleteIsAModuleThatRuns) {
  Desk desk;
  const InstructionId a = desk.add(Opcode::Parameter, {}, floatShape({2}));
  const InstructionId twice = desk.add(Opcode::Add, {a, a});
  const InstructionId open = desk.add(Opcode::Multiply, {twice, {}});
  ASSERT_TRUE(apply(desk.module, {"root", {SetRoot{open}}}));
  desk.module = apply(desk.module, {"root", {SetRoot{open}}})->module;
  EXPECT_TRUE(isUnfinished(desk.module));
  const auto part = completeModule(desk.module);
  ASSERT_TRUE(part) << part.error().toString();
  EXPECT_EQ(part->outputs, std::vector<std::string>{"add"});
  EXPECT_EQ(part->leftOut, std::vector<std::string>{"multiply"});
  EXPECT_FALSE(verify(part->module).hasErrors()) << verify(part->module).items()[0].toString();
  EXPECT_FALSE(isUnfinished(part->module));
  const auto none = completeModule(emptyModule());
  ASSERT_FALSE(none);
}

TEST(Unfinished, APartIsCutOutWithItsOpenInputs) {
  Desk desk;
  const InstructionId open = desk.add(Opcode::Negate, {{}});
  const InstructionId sum = desk.add(Opcode::Add, {open, {}});
  const auto whole = extract(desk.module, sum);
  ASSERT_TRUE(whole);
  EXPECT_NE(printHloText(*whole).find("%negate = ? negate(?)"), std::string::npos) << printHloText(*whole);
  EXPECT_NE(printHloText(*whole).find("ROOT %add = ? add(%negate, ?)"), std::string::npos) << printHloText(*whole);
  EXPECT_TRUE(isolate(desk.module, sum));
  EXPECT_TRUE(isolate(emptyModule(), ComputationId(0)));
}

TEST(Unfinished, ProtobufSaysThatItHasNoForm) {
  Desk desk;
  desk.add(Opcode::Negate, {{}});
  const auto out = writeProto(desk.module, {});
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().message.find("operand 0 of %negate is open"), std::string::npos) << out.error().message;
  EXPECT_FALSE(writeProto(emptyModule(), {}));
}

TEST(Unfinished, ANoteIsAlwaysAComment) {
  Desk desk;
  const InstructionId a = desk.add(Opcode::Parameter, {}, floatShape({2}));
  const auto noted = apply(desk.module, {"note", {SetNote{a, "turns\n}\n  // the sign"}}});
  ASSERT_TRUE(noted);
  EXPECT_EQ(printedAndRead(noted->module).at(printedAndRead(noted->module).entryComputation().root).note,
            "// turns\n// }\n// the sign");
}

// A reducer that reduces by itself, and one that is defined behind its user.
TEST(Unfinished, NothingIsWiredIntoACallOfItself) {
  const ReadResult read = readHloText(
      "HloModule m\n\n%first (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  "
      "ROOT %s = f32[] add(%x, %y)\n}\n\n"
      "%second (x2: f32[], y2: f32[]) -> f32[] {\n  %x2 = f32[] parameter(0)\n  %y2 = f32[] parameter(1)\n  ROOT %s2 = "
      "f32[] add(%x2, %y2)\n}\n\n"
      "ENTRY %e (a: f32[2]) -> f32[2] {\n  ROOT %a = f32[2]{0} parameter(0)\n}\n\n");
  ASSERT_TRUE(read.module);
  const Module& m = *read.module;
  const ComputationId first = *m.findComputation("first");
  const InstructionId x = *m.findInstruction("x"), y = *m.findInstruction("y");
  const auto add = [&](const char* callee) {
    return apply(
        m, {"call",
            {AddInstruction{
                first, Opcode::Call, "", {x, y}, {{Attr::to_apply, callee}}, Shape::array(ElementType::F32, {}), ""}}});
  };
  const auto itself = add("%first");
  ASSERT_FALSE(itself);
  EXPECT_NE(itself.error().message.find("no recursion"), std::string::npos) << itself.error().message;
  const auto later = add("%second");
  ASSERT_TRUE(later) << later.error().message;
  const ReadResult back = readHloText(printHloText(later->module));
  ASSERT_TRUE(back.module) << back.diagnostics.items()[0].toString();
}

TEST(Unfinished, AScalarSaysNoEmptyLayout) {
  Shape scalar = Shape::array(ElementType::F32, {});
  fillDefaultLayouts(scalar);
  scalar.layout->paddingValue = 1.0;
  EXPECT_EQ(toString(scalar), "f32[]");
}

}  // namespace
}  // namespace tessera
