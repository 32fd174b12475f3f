// Which files of a dump are about an instruction, and which of their lines.
#include <gtest/gtest.h>

#include "core/formats/dump_code.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

DumpModule dumpedModule() {
  DumpModule out{.name = "jit_f"};
  const auto add = [&](const char* name, DumpRole role, const char* subject = "") {
    out.files.push_back({name, role, subject});
  };
  add("m.before_optimizations.txt", DumpRole::Stage, "before_optimizations");
  add("m.cpu_after_optimizations.hlo.pb", DumpRole::Stage, "cpu_after_optimizations");
  add("m.cpu_after_optimizations.txt", DumpRole::Stage, "cpu_after_optimizations");
  add("m.cpu_after_optimizations-buffer-assignment-values.txt", DumpRole::BufferAssignment);
  add("m.cpu_after_optimizations-buffer-assignment.txt", DumpRole::BufferAssignment);
  add("m.add_fusion.1_kernel_module.ir-no-opt.ll", DumpRole::LlvmIr, "add_fusion.1_kernel_module");
  add("m.__compute_module_copy_fusion.ir-with-opt.ll", DumpRole::LlvmIr, "__compute_module_copy_fusion");
  add("m.copy_fusion.bc", DumpRole::LlvmIr, "copy_fusion");
  add("m.ptx", DumpRole::Ptx, "");
  return out;
}

using Names = std::vector<std::string>;

Names codeFor(const Names& names) {
  Names out;
  const DumpModule all = dumpedModule();
  for (const DumpFile* file : codeOf(all, names)) out.push_back(file->name);
  return out;
}

std::vector<LineRange> linesFor(std::string_view text, const char* name) { return linesAbout(text, Names{name}).lines; }

TEST(DumpCode, TheModuleIsTheOneThatWasCompiled) {
  EXPECT_EQ(moduleFilesOf(dumpedModule()).at(0), "m.cpu_after_optimizations.txt");
  EXPECT_EQ(assignmentFileOf(dumpedModule()), "m.cpu_after_optimizations-buffer-assignment.txt");
  DumpModule passes{.passes = {{0, "p", "a", "b", {"0.hlo.pb", "0.txt"}}, {1, "p", "b", "", {"1.hlo.pb"}}}};
  EXPECT_EQ(moduleFilesOf(passes), (Names{"1.hlo.pb", "0.txt", "0.hlo.pb"}));
  EXPECT_EQ(moduleFilesOf({}), Names{});
}

TEST(DumpCode, AKernelHasTheNameOfItsInstruction) {
  EXPECT_EQ(codeFor({"add_fusion.1"}), Names{"m.add_fusion.1_kernel_module.ir-no-opt.ll"});
  EXPECT_EQ(codeFor({"copy_fusion"}), Names{"m.__compute_module_copy_fusion.ir-with-opt.ll"});
  EXPECT_EQ(codeFor({"fusion"}), Names{"m.ptx"});  // which has all kernels
  EXPECT_EQ(codeFor({"add_fusion.2", "add_fusion.1"}), Names{"m.add_fusion.1_kernel_module.ir-no-opt.ll"});
}

TEST(DumpCode, TheFinalFormComesFirst) {
  DumpModule module{.name = "m"};
  for (const char* name : {"m.ir-no-opt.ll", "m.ir-with-opt.ll"})
    module.files.push_back({name, DumpRole::LlvmIr, "ir"});
  module.files.push_back({"m.ptx", DumpRole::Ptx, "ptx"});  // as a folder is read
  Names found;
  for (const DumpFile* file : codeOf(module, Names{"fusion"})) found.push_back(file->name);
  EXPECT_EQ(found, (Names{"m.ptx", "m.ir-with-opt.ll", "m.ir-no-opt.ll"}));
}

TEST(DumpCode, FunctionsAreMarkedWhole) {
  const char* const ir =
      "define ptr @add.1(ptr %0) {\n  ret ptr null\n}\n\ndefine internal void @add.1_impl() #0 {\n  ret void\n}\n"
      "define ptr @add.12() {\n}\n";
  const auto lines = linesFor(ir, "add.1");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].first, 0u);
  EXPECT_EQ(lines[0].last, 2u);
  EXPECT_EQ(lines[1].first, 4u);
  const char* const ptx = ".visible .entry loop_add_fusion_1(\n  .param .u64 a\n)\n{\n  ret;\n}\n";
  ASSERT_EQ(linesFor(ptx, "loop_add_fusion.1").size(), 1u);
  EXPECT_EQ(linesFor(ptx, "loop_add_fusion.1")[0].last, 5u);
}

TEST(DumpCode, TheFirstNameWithAFunctionCounts) {
  const char* const ir = "define ptr @fusion.1() {\n}\ndefine ptr @fusion() {\n  ; add\n}\n";
  const CodeLines found = linesAbout(ir, Names{"add", "fusion", "fusion.1"});
  EXPECT_EQ(found.name, "fusion");
  ASSERT_EQ(found.lines.size(), 1u);
  EXPECT_EQ(found.lines[0].first, 2u);
}

TEST(DumpCode, ElsewhereLinesThatNameIt) {
  const auto lines = linesFor("a\n %add.1 = f32[] add(x)\n use(add.1)\n add.11\n add.1-x\n", "add.1");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].first, 1u);
  EXPECT_EQ(lines[0].last, 2u);
  const char* const ir = "define ptr @other() {\n  %1 = add i64 %0, 1\n  %add = fadd float %2, %3\n}\n";
  const auto marked = linesFor(ir, "add");
  ASSERT_EQ(marked.size(), 1u);  // not the addition of integers
  EXPECT_EQ(marked[0].first, 2u);
  EXPECT_TRUE(linesFor("", "add").empty());
  EXPECT_TRUE(linesFor("add", "").empty());
}

TEST(DumpCode, ALineLeadsToItsInstruction) {
  const auto read = readHloText(
      "HloModule m\n\nENTRY e {\n  x = f32[] parameter(0)\n  add_1 = f32[] add(x, x)\n"
      "  add.1 = f32[] add(add_1, x)\n  ROOT loop_add.2 = f32[] add(add.1, x)\n}\n");
  ASSERT_TRUE(read.module);
  const auto nameAt = [&](std::string_view text, size_t line) {
    const InstructionId id = instructionAt(text, line, *read.module);
    return id.valid() ? std::string(read.module->at(id).name) : std::string("none");
  };
  const char* const ir = "; add.1\ndefine ptr @add.1_impl(ptr %0) {\n  ret ptr %x\n}\n; after\n";
  EXPECT_EQ(nameAt(ir, 1), "add.1");
  EXPECT_EQ(nameAt(ir, 2), "add.1");
  EXPECT_EQ(nameAt(ir, 0), "none");
  EXPECT_EQ(nameAt(ir, 4), "none");
  const char* const ptx =
      ".version 8.3\n.visible .entry loop_add_2(\n  .param .u64 a\n)\n{\n  ret;\n}\n\n.visible .entry add_1()\n{\n}\n"
      ".visible .entry other()\n{\n}\n";
  EXPECT_EQ(nameAt(ptx, 5), "loop_add.2");
  EXPECT_EQ(nameAt(ptx, 9), "add_1");  // not add.1, which is written like that, too
  EXPECT_EQ(nameAt(ptx, 12), "none");
  EXPECT_EQ(nameAt("  %add.1 = f32[] add(%add_1, %x)\n value: <3 loop_add.2 @0> (size=4)\n", 0), "add.1");
  EXPECT_EQ(nameAt("  %add.1 = f32[] add(%add_1, %x)\n value: <3 loop_add.2 @0> (size=4)\n", 1), "loop_add.2");
  EXPECT_EQ(nameAt("nothing.1\n", 0), "none");
  EXPECT_EQ(nameAt("", 7), "none");
}

}  // namespace
}  // namespace tessera
