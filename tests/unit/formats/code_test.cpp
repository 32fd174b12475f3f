// Modules as C++ and Python: forms of structured attributes, names that the languages reserve, what has no form.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/formats/code.h"
#include "core/formats/code/preludes.h"
#include "core/formats/code/rows.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

Module codeModule(const std::string& body) {
  ReadResult out = readHloText(
      "HloModule m\n\n%less (a: f32[], b: f32[]) -> pred[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
      "  ROOT %lt = pred[] compare(%a, %b), direction=LT, type=TOTALORDER\n}\n\nENTRY %main {\n" +
      body + "}\n");
  EXPECT_TRUE(out.module) << (out.diagnostics.empty() ? "" : out.diagnostics.items()[0].toString());
  return std::move(*out.module);
}

void expectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n--- in\n" << text;
}

TEST(Code, Structured) {
  const Module module = codeModule(R"(  %x = f32[1,8,8,3]{3,2,1,0} parameter(0)
  %k = f32[3,3,3,4]{3,2,1,0} parameter(1)
  %conv = f32[1,4,4,4]{3,2,1,0} convolution(%x, %k), window={size=3x3 stride=2x2 pad=0_1x1_1 )"
                                   R"(rhs_reversal=1x0}, dim_labels=b01f_01io->b01f
  %c = f32[] constant(-inf)
  %p = f32[1,5,4,7]{3,2,1,0} pad(%conv, %c), padding=0_0x1_0x0_0x0_0_1
  %l = f32[2]{0} constant({1, 2})
  ROOT %s = f32[1,5,4,7]{3,2,1,0} sort(%p), dimensions={1}, to_apply=%less
)");
  const std::string python = printJax(module).value(), cpp = printXlaBuilder(module).value();
  expectHas(python,
            "conv = lax.conv_general_dilated(x, lax.rev(k, (0,)), (2, 2), ((0, 1), (1, 1)), (1, 1), (1, 1), "
            "lax.ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)), 1, 1, precision=None, "
            "preferred_element_type=np.float32)");
  expectHas(python, "c = np.array(float(\"-inf\"), np.float32)");
  expectHas(python, "p = lax.pad(conv, c, ((0, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 1)))");
  expectHas(python, "l = array(np.float32, (2,), \"AACAPwAAAEA=\")");
  expectHas(python, "s = sort((p,), less, 1)");
  expectHas(python, "lt = total_lt(a, b_2)");
  expectHas(python, "\ndef total_key(x):");
  EXPECT_EQ(python.find("def gather"), std::string::npos);
  expectHas(cpp,
            "xla::XlaOp conv = xla::ConvGeneralDilated(x, k, {2, 2}, {{0, 1}, {1, 1}}, {1, 1}, {1, 1}, ConvDims({0, "
            "3}, {1, 2}, {3, 2}, {0, 1}, "
            "{0, 3}, {1, 2}), 1, 1, Precision({}), xla::F32, {true, false});");
  expectHas(cpp, "xla::XlaOp c = Literal(b, \"f32[]\", \"-inf\");");
  expectHas(cpp, "xla::Sort({p}, less(), 1, false)");
  expectHas(cpp, "xla::LtTotalOrder(a, b_2)");
}

TEST(Code, NamesAreWords) {
  const ReadResult dotted = readHloText(
      "HloModule m\n\nENTRY %main {\n  %lambda = f32[] parameter(0)\n  %a.b = f32[] negate(%lambda)\n  ROOT %a-b = "
      "f32[] abs(%a.b)\n}\n");
  ASSERT_TRUE(dotted.module);
  const std::string python = printJax(*dotted.module).value();
  expectHas(python, "def entry(lambda_2):\n    a_b = lax.neg(lambda_2)\n    a_b_2 = lax.abs(a_b)\n    return a_b_2\n");
}

// A program of several devices runs along one axis of flattened devices: groups and pairs are those of their modes.
TEST(Code, Collectives) {
  const auto python = [](const std::string& header, const std::string& operation) {
    const ReadResult out = readHloText("HloModule m, " + header +
                                       "\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = "
                                       "f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
                                       "ENTRY %main {\n  %x = f32[4]{0} parameter(0)\n  ROOT %r = " +
                                       operation + "\n}\n");
    EXPECT_TRUE(out.module) << operation;
    return printJax(*out.module).value();
  };
  expectHas(
      python("replica_count=2, num_partitions=2", "f32[4]{0} all-reduce(%x), replica_groups={{0},{1}}, to_apply=%sum"),
      "r = all_reduce((x,), sum, ((0,), (1,), (2,), (3,)))");
  const std::string both = "replica_count=2, num_partitions=2";
  const std::string sum = python(both, "f32[4]{0} all-reduce(%x), replica_groups={}, to_apply=%sum");
  expectHas(sum, ", ((0, 2), (1, 3)))\n");
  expectHas(sum, "main = jax.pmap(entry, axis_name=\"devices\")");
  expectHas(sum, "\ndef folded(");
  expectHas(python(both, "f32[4]{0} all-reduce(%x), channel_id=1, replica_groups={{0},{1}}, to_apply=%sum"),
            ", ((0, 1), (2, 3)))\n");
  expectHas(python(both,
                   "f32[4]{0} all-reduce(%x), channel_id=1, use_global_device_ids=true, replica_groups={{0,3},{1,2}}, "
                   "to_apply=%sum"),
            ", ((0, 3), (1, 2)))\n");
  expectHas(python(both,
                   "f32[8]{0} all-gather(%x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1},{2,3}}, "
                   "dimensions={0}"),
            "r = all_gather((x,), 0, ((0, 1), (2, 3)))");
  expectHas(python(both, "f32[4]{0} collective-permute(%x), channel_id=1, source_target_pairs={{0,1}}"),
            "r = permute((x,), ((0, 1), (2, 3)))");
  expectHas(python("num_partitions=4", "f32[4]{0} all-to-all(%x), channel_id=1, replica_groups={}, dimensions={0}"),
            "r = all_to_all((x,), (0,), None)");
  expectHas(python("replica_count=2", "f32[4]{0} negate(%x)"), "main = jax.jit(entry)");
}

TEST(Code, LoopsAndSeveralOperands) {
  const std::string python =
      printJax(
          codeModule(R"(  %x = f32[4]{0} parameter(0)
  %i = s32[2,1]{1,0} parameter(1)
  %u = f32[2]{0} parameter(2)
  %both = (f32[4]{0}, f32[4]{0}) scatter(%x, %x, %i, %u, %u), update_window_dims={}, )"
                     R"(inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%less
  %c = f32[] constant(0)
  %l = f32[2,3]{1,0} parameter(3)
  %w = f32[2,3,5]{2,1,0} parameter(4)
  %n = s32[2]{0} parameter(5)
  %dots = f32[2,5]{1,0} ragged-dot(%l, %w, %n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, )"
                     R"(lhs_ragged_dims={0}, rhs_group_dims={0}
  ROOT %s = (f32[4]{0}, f32[]) scan(%x, %c), dimensions={0}, num_carries=1, is_reverse=true, to_apply=%less
)"))
          .value();
  expectHas(python, "both = scatter((x, x), i, (u, u), less, (), (0,), (0,), (), (), 1, False, False)");
  expectHas(python, "\ndef scatter_together(");
  expectHas(python,
            "dots = lax.ragged_dot_general(l, w, n, lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), "
            "(0,)), precision=None, preferred_element_type=np.float32)");
  expectHas(python, "s = scan((x, c), less, 0, 1, True, 4, True)");
}

TEST(Code, WhatHasNoFormIsNamed) {
  const Module module = codeModule("  %t = token[] after-all()\n  ROOT %i = (f32[2]{0}, token[]) infeed(%t)\n");
  const auto python = printJax(module);
  ASSERT_FALSE(python);
  EXPECT_EQ(python.error().message, "jax.lax has no form for %i (infeed)");
  EXPECT_EQ(python.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(python.error().instructionName, "i");
  expectHas(printXlaBuilder(module).value(), "xla::InfeedWithToken(t, xla::ShapeUtil::MakeShape(xla::F32, {2}))");
}

// Every row is of an operation that exists once, and what it calls is in the prelude.
// The number of devices may be in the meshes alone: then shapes tell that a block is not the whole.
TEST(Code, BordersOfManualRegionsAreNamed) {
  const auto cut = [](const char* shape) {
    return codeModule(
        "  %x = f32[8]{0} parameter(0)\n  ROOT %b = " + std::string(shape) +
        "{0} custom-call(%x), custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
        "custom_call_has_side_effect=true, "
        "frontend_attributes={xla.sdy.in_shardings=\"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}]>]>\"}\n");
  };
  const auto parted = printJax(cut("f32[4]"));
  ASSERT_FALSE(parted);
  EXPECT_EQ(parted.error().message, "jax.lax has no form for %b (custom-call): it enters or leaves a manual region");
  EXPECT_TRUE(printJax(cut("f32[8]")));
}

TEST(Code, RowsAreSound) {
  std::set<std::string_view> functions;
  for (const auto& f : code::jaxPrelude()) functions.insert(f.name);
  size_t rows = 0;
  for (const OpDef* op : allOps()) {
    const code::Row* row = code::findRow(op->opcode);
    if (!row) continue;
    ++rows;
    EXPECT_FALSE(row->xla.empty() && row->jax.empty());
    EXPECT_EQ(std::ranges::count(row->jax, '{'), std::ranges::count(row->jax, '}')) << row->jax;
    EXPECT_EQ(std::ranges::count(row->xla, '{'), std::ranges::count(row->xla, '}')) << row->xla;
    const std::string_view name = row->jax.substr(0, row->jax.find('('));
    const bool own =
        !name.empty() && name.find_first_of(".{ ") == std::string_view::npos && name.size() < row->jax.size();
    EXPECT_TRUE(!own || functions.contains(name)) << name;
  }
  EXPECT_GT(rows, 90u);
}

}  // namespace
}  // namespace tessera
