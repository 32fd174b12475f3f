// See formula.h. The part of TeX that the help texts use: commands for signs, sub- and superscripts, roots and
// fractions.
#include "core/tools/help/formula.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "core/base/markup.h"

namespace tessera {
namespace {

struct Symbol {
  std::string_view command, text;
};
// Longest first where one begins another.
constexpr Symbol kSymbols[] = {
    {"\\operatorname", ""}, {"\\mathbin", ""},      {"\\mathrm", ""},   {"\\lfloor", "⌊"},
    {"\\rfloor", "⌋"},      {"\\lceil", "⌈"},       {"\\rceil", "⌉"},   {"\\arcsin", "arcsin"},
    {"\\arccos", "arccos"}, {"\\arctan", "arctan"}, {"\\infty", "∞"},   {"\\times", "×"},
    {"\\cdots", "⋯"},       {"\\cdot", "·"},        {"\\dots", "…"},    {"\\ldots", "…"},
    {"\\tanh", "tanh"},     {"\\sinh", "sinh"},     {"\\cosh", "cosh"}, {"\\prod", "∏"},
    {"\\sum", "∑"},         {"\\int", "∫"},         {"\\min", "min"},   {"\\max", "max"},
    {"\\tan", "tan"},       {"\\sin", "sin"},       {"\\cos", "cos"},   {"\\exp", "exp"},
    {"\\log", "log"},       {"\\left", ""},         {"\\right", ""},    {"\\ln", "ln"},
    {"\\leq", "≤"},         {"\\geq", "≥"},         {"\\neq", "≠"},     {"\\le", "≤"},
    {"\\ge", "≥"},          {"\\ne", "≠"},          {"\\pi", "π"},      {"\\epsilon", "ε"},
    {"\\mu", "μ"},          {"\\sigma", "σ"},       {"\\gamma", "γ"},   {"\\beta", "β"},
    {"\\bmod", "mod"},      {"\\in", "∈"},          {"\\to", "→"},      {"\\,", " "},
    {"\\ ", " "},           {"\\{", "{"},           {"\\}", "}"}};

// Reading a formula from left to right.
class Cursor {
 protected:
  explicit Cursor(std::string_view text) : text_(text) {}
  // "{…}", "\command" or one letter; what _ ^ \sqrt \frac take.
  std::string_view argument() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (text_.starts_with('{')) return group('{', '}');
    size_t length = text_.empty() ? 0 : 1;
    if (text_.starts_with('\\'))
      while (length < text_.size() && std::isalpha(static_cast<unsigned char>(text_[length]))) ++length;
    else
      while (length < text_.size() && (static_cast<unsigned char>(text_[length]) & 0xc0) == 0x80)
        ++length;  // a letter of UTF-8
    return take(length);
  }

  std::string_view group(char open, char close) {
    int depth = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      depth += text_[i] == open ? 1 : text_[i] == close ? -1 : 0;
      if (depth == 0) return inner(take(i + 1));
    }
    return take(text_.size()).substr(1);
  }
  static std::string_view inner(std::string_view whole) { return whole.substr(1, whole.size() - 2); }
  std::string_view take(size_t length) {
    const std::string_view out = text_.substr(0, length);
    text_.remove_prefix(length);
    return out;
  }

  // The sign that a command here stands for, taken; false: there is no command.
  bool takeSymbol(std::string_view& out) {
    for (const Symbol& symbol : kSymbols) {
      if (!text_.starts_with(symbol.command)) continue;
      take(symbol.command.size());
      out = symbol.text;
      return true;
    }
    return false;
  }
  std::string_view text_;
};

// As text, or with HTML tags.
class Formula : Cursor {
 public:
  Formula(std::string_view text, bool html) : Cursor(text), html_(html) {}

  std::string run() {
    std::string out;
    while (!text_.empty()) out += item();
    return out;
  }

 private:
  std::string nested(std::string_view text) const { return Formula(text, html_).run(); }

  std::string item() {
    if (text_[0] == '_' || text_[0] == '^') return script(take(1)[0]);
    if (text_[0] == '{') return nested(group('{', '}'));
    if (text_.starts_with("\\sqrt")) return root();
    if (text_.starts_with("\\frac")) return fraction();
    std::string_view symbol;
    return escapedIf(takeSymbol(symbol) ? symbol : take(1));
  }

  std::string escapedIf(std::string_view text) const { return html_ ? escapedForMarkup(text) : std::string(text); }

  std::string script(char kind) {
    const std::string inside = nested(argument());
    if (html_) return kind == '_' ? "<sub>" + inside + "</sub>" : "<sup>" + inside + "</sup>";
    if (kind == '_' && inside == "i") return "ᵢ";
    if (kind == '^' && inside == "2") return "²";
    const bool simple =
        std::ranges::all_of(inside, [](unsigned char c) { return std::isalnum(c) || c >= 0x80 || c == '_'; });
    return kind + (simple ? inside : "(" + inside + ")");
  }

  std::string root() {
    take(5);
    std::string_view degree = text_.starts_with('[') ? group('[', ']') : std::string_view();
    const std::string inside = nested(argument());
    return fmt::format("{}({})", degree == "3" ? "∛" : "√", inside);
  }

  std::string fraction() {
    take(5);
    const std::string above = nested(argument()), below = nested(argument());
    return fmt::format("({}) / ({})", above, below);
  }

  bool html_;
};

// As MathML: a list of elements, the last of which a script takes as its base.
class MathFormula : Cursor {
 public:
  explicit MathFormula(std::string_view text) : Cursor(text) {}

  std::string row() {
    std::vector<std::string> items;
    while (!text_.empty()) append(items);
    std::string out;
    for (const std::string& item : items) out += item;
    return items.size() == 1 ? out : "<mrow>" + out + "</mrow>";
  }

 private:
  static std::string nested(std::string_view text) { return MathFormula(text).row(); }

  void append(std::vector<std::string>& items) {
    const char c = text_[0];
    if (c == ' ') return void(take(1));
    if (c == '_' || c == '^') return appendScript(items, take(1)[0]);
    if (c == '{') return items.push_back(nested(group('{', '}')));
    if (text_.starts_with("\\sqrt")) return items.push_back(root());
    if (text_.starts_with("\\frac")) return items.push_back(fraction());
    std::string_view symbol;
    if (takeSymbol(symbol)) {
      if (!symbol.empty()) items.push_back(signOrName(symbol));
      return;
    }
    items.push_back(word());
  }

  void appendScript(std::vector<std::string>& items, char kind) {
    const std::string script = nested(argument()), base = items.empty() ? "<mrow></mrow>" : items.back();
    if (!items.empty()) items.pop_back();
    const char* tag = kind == '_' ? "msub" : "msup";
    items.push_back(fmt::format("<{0}>{1}{2}</{0}>", tag, base, script));
  }

  static std::string signOrName(std::string_view symbol) {
    const bool name = std::isalpha(static_cast<unsigned char>(symbol[0])) || symbol == "π" || symbol == "ε" ||
                      symbol == "μ" || symbol == "σ" || symbol == "γ" || symbol == "β" || symbol == "∞";
    return name ? fmt::format("<mi>{}</mi>", escapedForMarkup(symbol))
                : fmt::format("<mo>{}</mo>", escapedForMarkup(symbol));
  }

  // A name, a number, or one sign.
  std::string word() {
    const auto run = [&](auto&& belongs) {
      size_t length = 0;
      while (length < text_.size() && belongs(static_cast<unsigned char>(text_[length]))) ++length;
      return length;
    };
    if (const size_t letters = run([](unsigned char c) { return std::isalpha(c) != 0; }))
      return fmt::format("<mi>{}</mi>", take(letters));
    if (const size_t digits = run([](unsigned char c) { return std::isdigit(c) || c == '.'; }))
      return fmt::format("<mn>{}</mn>", take(digits));
    size_t length = 1;
    while (length < text_.size() && (static_cast<unsigned char>(text_[length]) & 0xc0) == 0x80) ++length;
    return fmt::format("<mo>{}</mo>", escapedForMarkup(take(length)));
  }

  std::string root() {
    take(5);
    const std::string_view degree = text_.starts_with('[') ? group('[', ']') : std::string_view();
    const std::string inside = nested(argument());
    return degree.empty() ? fmt::format("<msqrt>{}</msqrt>", inside)
                          : fmt::format("<mroot>{}{}</mroot>", inside, nested(degree));
  }

  std::string fraction() {
    take(5);
    const std::string above = nested(argument()), below = nested(argument());
    return fmt::format("<mfrac>{}{}</mfrac>", above, below);
  }
};

}  // namespace

std::string formulaText(std::string_view tex) { return Formula(tex, false).run(); }
std::string formulaTags(std::string_view tex) { return Formula(tex, true).run(); }
std::string formulaMathMl(std::string_view tex) { return "<math>" + MathFormula(tex).row() + "</math>"; }

}  // namespace tessera
