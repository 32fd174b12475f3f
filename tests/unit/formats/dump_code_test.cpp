// Which files of a dump are about an instruction, and which of their lines.
#include <gtest/gtest.h>

#include "core/formats/dump_code.h"

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

std::vector<std::string> codeFor(const char* instruction) {
  std::vector<std::string> out;
  const DumpModule all = dumpedModule();
  for (const DumpFile* file : codeOf(all, instruction)) out.push_back(file->name);
  return out;
}

TEST(DumpCode, TheModuleIsTheOneThatWasCompiled) {
  EXPECT_EQ(moduleFileOf(dumpedModule()), "m.cpu_after_optimizations.txt");
  EXPECT_EQ(assignmentFileOf(dumpedModule()), "m.cpu_after_optimizations-buffer-assignment.txt");
  DumpModule passes{.passes = {{0, "p", "a", "b", {"0.hlo.pb", "0.txt"}}, {1, "p", "b", "", {"1.hlo.pb"}}}};
  EXPECT_EQ(moduleFileOf(passes), "1.hlo.pb");
  EXPECT_EQ(moduleFileOf({}), "");
}

TEST(DumpCode, AKernelHasTheNameOfItsInstruction) {
  EXPECT_EQ(codeFor("add_fusion.1"), (std::vector<std::string>{"m.add_fusion.1_kernel_module.ir-no-opt.ll"}));
  EXPECT_EQ(codeFor("copy_fusion"), (std::vector<std::string>{"m.__compute_module_copy_fusion.ir-with-opt.ll"}));
  EXPECT_EQ(codeFor("fusion"), (std::vector<std::string>{"m.ptx"}));  // which has all kernels
}

TEST(DumpCode, FunctionsAreMarkedWhole) {
  const char* const ir =
      "define ptr @add.1(ptr %0) {\n  ret ptr null\n}\n\ndefine internal void @add.1_impl() #0 {\n  ret void\n}\n"
      "define ptr @add.12() {\n}\n";
  const auto lines = linesAbout(ir, "add.1");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].first, 0u);
  EXPECT_EQ(lines[0].last, 2u);
  EXPECT_EQ(lines[1].first, 4u);
  const char* const ptx = ".visible .entry loop_add_fusion_1(\n  .param .u64 a\n)\n{\n  ret;\n}\n";
  ASSERT_EQ(linesAbout(ptx, "loop_add_fusion.1").size(), 1u);
  EXPECT_EQ(linesAbout(ptx, "loop_add_fusion.1")[0].last, 5u);
}

TEST(DumpCode, ElsewhereLinesThatNameIt) {
  const auto lines = linesAbout("a\n %add.1 = f32[] add(x)\n use(add.1)\n add.11\n add.1-x\n", "add.1");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].first, 1u);
  EXPECT_EQ(lines[0].last, 2u);
  EXPECT_TRUE(linesAbout("", "add").empty());
  EXPECT_TRUE(linesAbout("add", "").empty());
}

}  // namespace
}  // namespace tessera
