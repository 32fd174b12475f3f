// Formulas of help texts in their three settings.
#include <gtest/gtest.h>

#include "core/ops/op.h"
#include "core/tools/help/formula.h"

namespace tessera {
namespace {

TEST(Formula, Settings) {
  EXPECT_EQ(formulaText("r_i = a_i \\cdot 2^{b_i}"), "rᵢ = aᵢ · 2^bᵢ");
  EXPECT_EQ(formulaTags("r_i < 2"), "r<sub>i</sub> &lt; 2");
  EXPECT_EQ(formulaMathMl("r_i = 10"),
            "<math><mrow><msub><mi>r</mi><mi>i</mi></msub><mo>=</mo><mn>10</mn></mrow></math>");
  EXPECT_EQ(formulaMathMl("\\frac{x}{\\sqrt[3]{y}}"),
            "<math><mfrac><mi>x</mi><mroot><mi>y</mi><mn>3</mn></mroot></mfrac></math>");
  EXPECT_EQ(formulaMathMl("x^{(0)}_i"),
            "<math><msub><msup><mi>x</mi><mrow><mo>(</mo><mn>0</mn><mo>)</mo></mrow></msup><mi>i</mi></msub></math>");
  EXPECT_EQ(formulaMathMl("^2 <"), "<math><mrow><msup><mrow></mrow><mn>2</mn></msup><mo>&lt;</mo></mrow></math>");
}

// Every formula of every operation is set without a command left over, and its elements are closed.
TEST(Formula, AllOfThemAreSet) {
  size_t formulas = 0;
  for (const OpDef* op : allOps()) {
    std::string_view text = op->doc;
    for (bool inside = false;; inside = !inside) {
      const size_t end = text.find('$');
      if (inside) {
        ++formulas;
        const std::string math = formulaMathMl(text.substr(0, end));
        EXPECT_EQ(math.find('\\'), std::string::npos) << math;
        size_t opened = 0, closed = 0;
        for (size_t at = math.find('<'); at != std::string::npos; at = math.find('<', at + 1))
          ++(math[at + 1] == '/' ? closed : opened);
        EXPECT_EQ(opened, closed) << math;
      }
      if (end == std::string_view::npos) {
        EXPECT_FALSE(inside) << nameOf(op->opcode) << " has a dollar too many";
        break;
      }
      text.remove_prefix(end + 1);
    }
  }
  EXPECT_GT(formulas, 50u);
}

}  // namespace
}  // namespace tessera
