// The help page of an operation, from its OpDef, the example of its case file and its examples of the reference; for
// terminals and as HTML. Used by `tessera help` and the studio's help panel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/tools/help/op_examples.h"

namespace tessera {

struct HelpPage {
  std::string_view opcode;
  const OpDef* op;
  OpExample example;
  std::vector<const ReferenceExample*> references;
};
// By its name in HLO text. ErrorKind::Usage with near misses where there is none.
Result<HelpPage> helpPage(std::string_view opcode);

std::string toText(const HelpPage& page);
// A whole document. Browser: the examples of the reference are drawn in it, formulas are MathML. RichText, for a viewer
// that knows neither: formulas are <sub> and <sup>, figures are images "figure:NAME" (figureOf draws them), and each
// example has a link "example:NAME" to be opened, where NAME is the reference's or, of the op's own, the opcode.
enum class HtmlViewer : uint8_t { Browser, RichText };
std::string toHtml(const HelpPage& page, HtmlViewer viewer = HtmlViewer::Browser);
// Formulas between $…$ in Unicode: "$x_i \\cdot 2^{b}$" becomes "xᵢ · 2^b"; what has no letter of its own stays
// readable.
std::string withFormulas(std::string_view text);

}  // namespace tessera
