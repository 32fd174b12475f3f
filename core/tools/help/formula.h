// Formulas of help texts, written as TeX without dollars: as Unicode text for terminals, as HTML tags for the studio's
// text view, as MathML for the documents.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

std::string formulaText(std::string_view tex);    // "$x_i \\cdot 2^{b}$" becomes "xᵢ · 2^b"
std::string formulaTags(std::string_view tex);    // <sub>, <sup>
std::string formulaMathMl(std::string_view tex);  // <math>…</math>

}  // namespace tessera
