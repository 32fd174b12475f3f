// costs, explanations, pass runs and help pages.
#include <algorithm>

#include "core/cost/cost.h"
#include "core/tools/cost_table.h"
#include "core/tools/explain.h"
#include "core/tools/help/help_page.h"
#include "core/tools/kernels.h"
#include "core/tools/passes/pass_run.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;
using test::named;

TEST(CostTable, DearestFirstAndTheTotal) {
  const Module module = moduleOf(test::kMeanSquares);
  const CostTable table = costTable(module, CostOrder::Flops);
  ASSERT_GE(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0].cost.flops, 32);
  EXPECT_EQ(table.total.flops, 32 + 32 + 28);  // subtract, multiply, 4 rows of 7 additions
  EXPECT_EQ(table.total.transcendentals, 4);
  EXPECT_EQ(costTable(module, CostOrder::Transcendentals).rows[0].instruction, named(module, "wave"));
  const auto bytes = costTable(module, CostOrder::Bytes).rows;
  EXPECT_TRUE(std::ranges::is_sorted(bytes, std::greater(), [](const CostRow& row) { return row.cost.bytesAccessed; }));
}

TEST(PeakMemory, OfAGraphWithAnOpenInput) {
  const Module module = *readHloText(
                             "HloModule m\nENTRY main {\n  x = f32[64] parameter(0)\n  e = ? get-tuple-element(?), "
                             "index=0\n  ROOT y = f32[64] negate(x)\n}",
                             "test")
                             .module;
  EXPECT_GE(peakMemory(module), 512);  // x and y
}

TEST(Kernels, AnUnfinishedOrWrongGraphHasNone) {
  const auto fused = [](const std::string& lines) {
    const Module module =
        *readHloText("HloModule m\nENTRY main {\n  x = f32[64] parameter(0)\n" + lines, "test").module;
    return std::ranges::count_if(kernelsOf(module), [](const std::string& kernel) { return !kernel.empty(); });
  };
  EXPECT_GT(fused("  y = f32[64] exponential(x)\n  ROOT z = f32[64] add(y, x)\n}"), 0);
  EXPECT_EQ(fused("  y = ? exponential(?)\n  ROOT z = ? add(y, x)\n}"), 0);
  EXPECT_EQ(fused("  y = f32[32] exponential(x)\n  ROOT z = f32[64] add(y, x)\n}"), 0);
}

TEST(Explain, ReasonsLoopsAndReads) {
  const Module module = moduleOf(test::kMeanSquares);
  const auto total = explain(module, named(module, "total"), std::vector<int64_t>{2});
  ASSERT_TRUE(total) << total.error().message;
  EXPECT_EQ(total->shape, "f32[4]{0}");
  EXPECT_EQ(total->reasons.size(), 1u);
  EXPECT_NE(total->loopNest.find("for i0 < 4"), std::string::npos) << total->loopNest;
  EXPECT_EQ(
      std::ranges::count_if(total->reads, [](const std::string& read) { return read.starts_with("%square[2, "); }), 8);
  EXPECT_EQ(total->users, (std::vector<std::string>{"%wave", "%both"}));
  const auto tuple = explain(module, named(module, "both"));
  ASSERT_TRUE(tuple);
  EXPECT_TRUE(tuple->loopNest.empty());
  EXPECT_FALSE(tuple->without.empty());
}
TEST(Explain, AnIndexThatIsNotThere) {
  const Module module = moduleOf(test::kMeanSquares);
  for (const std::vector<int64_t>& index : {std::vector<int64_t>{4}, {-1}, {0, 0}}) {
    const auto wrong = explain(module, named(module, "total"), index);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::Usage);
  }
}
TEST(Explain, ManyReadsAreCutAndHugeShapesCostNothing) {
  const Module module = moduleOf(
      "HloModule m\n\nENTRY e {\n  x = f32[4000000000,2] parameter(0)\n  y = f32[2,1000] parameter(1)\n"
      "  z = f32[2,1000] negate(y)\n  w = f32[1000,3] parameter(2)\n  n = f32[4000000000,2] negate(x)\n"
      "  d = f32[2,3] dot(z, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT t = (f32[4000000000,2], f32[2,3]) tuple(n, d)\n}\n");
  EXPECT_EQ(explain(module, named(module, "n")).value().reads, (std::vector<std::string>{"%x[2000000000, 1]"}));
  const Explanation dot = explain(module, named(module, "d")).value();
  EXPECT_EQ(dot.reads.size(), kMaxReads);
  EXPECT_TRUE(dot.moreReads);
}

TEST(PassRun, ChosenInOrderAndNamedAsXlaDoes) {
  const Module module = moduleOf(test::kMeanSquares);
  const std::vector<std::string> names{"simplify", "fuse"};
  const auto chosen = choosePasses(names);
  ASSERT_TRUE(chosen);
  std::vector<std::string> seen;
  const auto out = runPasses(module, *chosen, [&](const PassStep& step, const Module&) -> Status {
    seen.emplace_back(step.pass->name);
    return {};
  });
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(seen, names);
  test::again(*out);
  EXPECT_EQ(dumpName(module, *chosen, 0), "module_0000.mean.0000.optimize.after_pipeline-start.before_simplify.txt");
  EXPECT_EQ(dumpName(module, *chosen, 1), "module_0000.mean.0001.optimize.after_simplify.before_fuse.txt");
  EXPECT_EQ(dumpName(module, *chosen, 2), "module_0000.mean.0002.optimize.after_fuse.before_pipeline-end.txt");
  Module odd("a/b c");
  EXPECT_EQ(dumpName(odd, "before_optimizations"), "module_0000.a_b_c.before_optimizations.txt");
}
TEST(PassRun, AllPassesAreOptimize) {
  const Module module = moduleOf(test::kMeanSquares);
  const auto all = choosePasses({});
  ASSERT_TRUE(all);
  EXPECT_TRUE(std::ranges::all_of(*all, [](const Pass* pass) { return pass->isFor(PassTarget::Processor); }));
  const auto out = runPasses(module, *all, [](const PassStep&, const Module&) -> Status { return {}; });
  ASSERT_TRUE(out);
  EXPECT_EQ(printHloText(*out), printHloText(optimize(module).value()));
}
TEST(PassRun, AnUnknownPassIsNamed) {
  const std::vector<std::string> names{"simplfy"};
  const auto wrong = choosePasses(names);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "no pass is named simplfy; did you mean simplify?");
}

TEST(HelpPage, EveryOpHasOneAndExamplesAreRight) {  // that each op has a case file, lint.ops holds
  int examples = 0;
  for (const OpDef* op : allOps()) {
    const auto page = helpPage(nameOf(op->opcode));
    ASSERT_TRUE(page);
    if (!page->example.text.empty()) {
      ++examples;
      moduleOf(page->example.text);
    }
    const std::string text = toText(*page), html = toHtml(*page);
    EXPECT_EQ(text.find('$'), std::string::npos) << text;
    EXPECT_EQ(text.find('\\'), std::string::npos) << text;
    EXPECT_EQ(html.find("\\"), std::string::npos) << html;
    for (const Constraint& constraint : op->constraints)
      EXPECT_NE(text.find(std::string(page->opcode) + "." + std::string(constraint.label)), std::string::npos);
  }
  EXPECT_GE(examples, 90);
}
TEST(HelpPage, Formulas) {
  EXPECT_EQ(withFormulas("is $r_i = a_i \\cdot 2^{b_i}$ here"), "is rᵢ = aᵢ · 2^bᵢ here");
  EXPECT_EQ(withFormulas("$\\sqrt[3]{x_i}$ $\\frac{2}{\\sqrt\\pi}$"), "∛(xᵢ) (2) / (√(π))");
  EXPECT_EQ(withFormulas("$x_{j_0 j_1}$ $\\lfloor n' / 2 \\rfloor$ $\\operatorname{trunc}(a)$"),
            "x_(j_0 j_1) ⌊ n' / 2 ⌋ trunc(a)");
  EXPECT_EQ(withFormulas("an open $x_{i"), "an open xᵢ");
}
TEST(HelpPage, UnknownOps) {
  EXPECT_EQ(helpPage("cocnatenate").error().message, "no operation is named cocnatenate; did you mean concatenate?");
  EXPECT_FALSE(helpPage(""));
}

}  // namespace
}  // namespace tessera
