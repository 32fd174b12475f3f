// Pages from data. A formula becomes Unicode text, or HTML with <sub>, <sup> and <i>.
#include "core/tools/help_page.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "core/ops/faults.h"
#include "core/tools/find_instruction.h"
#include "core/tools/reference_figure.h"

namespace tessera {
namespace {

struct Symbol {
  std::string_view command, text;
};
// Longest first where one begins another.
constexpr Symbol kSymbols[] = {
    {"\\operatorname", ""}, {"\\mathbin", ""}, {"\\mathrm", ""}, {"\\lfloor", "⌊"}, {"\\rfloor", "⌋"}, {"\\lceil", "⌈"},
    {"\\rceil", "⌉"}, {"\\arcsin", "arcsin"}, {"\\arccos", "arccos"}, {"\\arctan", "arctan"}, {"\\infty", "∞"},
    {"\\times", "×"}, {"\\cdots", "⋯"}, {"\\cdot", "·"}, {"\\dots", "…"}, {"\\ldots", "…"}, {"\\tanh", "tanh"},
    {"\\sinh", "sinh"}, {"\\cosh", "cosh"}, {"\\prod", "∏"}, {"\\sum", "∑"}, {"\\int", "∫"}, {"\\min", "min"},
    {"\\max", "max"}, {"\\tan", "tan"}, {"\\sin", "sin"}, {"\\cos", "cos"}, {"\\exp", "exp"}, {"\\log", "log"},
    {"\\left", ""}, {"\\right", ""}, {"\\ln", "ln"}, {"\\leq", "≤"}, {"\\geq", "≥"}, {"\\neq", "≠"}, {"\\le", "≤"},
    {"\\ge", "≥"}, {"\\ne", "≠"}, {"\\pi", "π"}, {"\\epsilon", "ε"}, {"\\mu", "μ"}, {"\\sigma", "σ"}, {"\\gamma", "γ"},
    {"\\beta", "β"}, {"\\bmod", "mod"}, {"\\in", "∈"}, {"\\to", "→"}, {"\\,", " "}, {"\\ ", " "}, {"\\{", "{"}, {"\\}", "}"}};

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// One formula without its dollars, read once from left to right.
class Formula {
 public:
  Formula(std::string_view text, bool html) : text_(text), html_(html) {}

  std::string run() {
    std::string out;
    while (!text_.empty()) out += item();
    return out;
  }

 private:
  std::string nested(std::string_view text) const { return Formula(text, html_).run(); }

  // "{…}", "\command" or one letter; what _ ^ \sqrt \frac take.
  std::string_view argument() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (text_.starts_with('{')) return group('{', '}');
    size_t length = text_.empty() ? 0 : 1;
    if (text_.starts_with('\\')) while (length < text_.size() && std::isalpha(static_cast<unsigned char>(text_[length]))) ++length;
    else while (length < text_.size() && (static_cast<unsigned char>(text_[length]) & 0xc0) == 0x80) ++length;  // a letter of UTF-8
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

  std::string item() {
    if (text_[0] == '_' || text_[0] == '^') return script(take(1)[0]);
    if (text_[0] == '{') return nested(group('{', '}'));
    if (text_.starts_with("\\sqrt")) return root();
    if (text_.starts_with("\\frac")) return fraction();
    for (const Symbol& symbol : kSymbols)
      if (text_.starts_with(symbol.command)) {
        take(symbol.command.size());
        return escapedIf(symbol.text);
      }
    return escapedIf(take(1));
  }

  std::string escapedIf(std::string_view text) const { return html_ ? escaped(text) : std::string(text); }

  std::string script(char kind) {
    const std::string inside = nested(argument());
    if (html_) return kind == '_' ? "<sub>" + inside + "</sub>" : "<sup>" + inside + "</sup>";
    if (kind == '_' && inside == "i") return "ᵢ";
    if (kind == '^' && inside == "2") return "²";
    const bool simple = std::ranges::all_of(inside, [](unsigned char c) { return std::isalnum(c) || c >= 0x80 || c == '_'; });
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

  std::string_view text_;
  bool html_;
};

// Plain stretches through `plain`, formulas through Formula.
std::string typeset(std::string_view text, bool html) {
  std::string out;
  for (bool formula = false;; formula = !formula) {
    const size_t end = text.find('$');
    const std::string_view part = text.substr(0, end);
    if (formula) out += html ? "<span class=\"formula\">" + Formula(part, true).run() + "</span>" : Formula(part, false).run();
    else out += html ? escaped(part) : std::string(part);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

// Lines of at most 100 letters, indented.
std::string wrapped(std::string_view text, size_t indent) {
  constexpr size_t kWidth = 100;
  std::string out, line;
  size_t width = 0;
  const auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
    width = 0;
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t letters = static_cast<size_t>(std::ranges::count_if(word, [](unsigned char c) { return (c & 0xc0) != 0x80; }));
    if (width + letters + 1 + indent > kWidth) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word), width += letters + 1;
    if (end < text.size() && text[end] == '\n') flush();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return out;
}

std::string attributeWords(const AttributeRow& row) {
  std::string out(row.doc);
  if (row.required) out += " (required)";
  if (!row.defaultText.empty()) out += fmt::format(" (default {})", row.defaultText);
  if (!row.choices.empty()) out += fmt::format(" (one of {})", row.choices);
  return out;
}

template <class Rows, class Fn>
std::string section(std::string_view title, const Rows& rows, Fn&& row) {
  if (std::empty(rows)) return {};
  std::string out = fmt::format("\n{}:\n", title);
  for (const auto& one : rows) out += row(one);
  return out;
}

template <class Rows, class Fn>
std::string htmlSection(std::string_view title, const Rows& rows, Fn&& row) {
  if (std::empty(rows)) return {};
  std::string out = fmt::format("<h2>{}</h2>\n<dl>\n", title);
  for (const auto& one : rows) {
    const auto [name, words] = row(one);
    out += fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", escaped(name), typeset(words, true));
  }
  return out + "</dl>\n";
}

std::string htmlExample(const OpExample& example) {
  std::string out = "<pre>" + escaped(example.text) + "</pre>\n";
  for (const std::string& value : example.inputs) out += "<p>with <code>" + escaped(value) + "</code></p>\n";
  for (const std::string& value : example.outputs) out += "<p>gives <code>" + escaped(value) + "</code></p>\n";
  return out;
}

// The program, its values and its graph as the canvas draws it.
std::string htmlReference(const ReferenceExample& one) {
  const auto figure = figureOf(one);
  return fmt::format("<h3 id=\"{0}\">{0}</h3>\n<p>{1} <small>({2})</small></p>\n{3}{4}", one.name, escaped(one.title), escaped(one.source),
                     htmlExample(one.example), figure ? "<figure>" + *figure + "</figure>\n" : "");
}

}  // namespace

Result<HelpPage> helpPage(std::string_view opcode) {
  std::vector<std::string_view> names;
  for (const OpDef* op : allOps()) names.push_back(nameOf(op->opcode));
  const auto known = opcodeFromName(opcode);
  if (const OpDef* op = known ? findOp(*known) : nullptr) return HelpPage{nameOf(op->opcode), op, exampleOf(opcode), referenceExamplesOf(opcode)};
  if (known) return failAs(Fault::Usage, fmt::format("{} is read and printed, but has no page", opcode));
  return failAs(Fault::Usage, fmt::format("no operation is named {}{}", opcode, nearMisses(opcode, names)));
}

std::string withFormulas(std::string_view text) { return typeset(text, false); }

std::string toText(const HelpPage& page) {
  const OpDef& op = *page.op;
  const auto entry = [](std::string_view name, std::string_view words) {
    return fmt::format("  {}\n{}", name, wrapped(withFormulas(words), 6));
  };
  std::string out = fmt::format("{} ({})\n{}", page.opcode, op.category, wrapped(withFormulas(op.summary), 0));
  if (!op.doc.empty()) out += "\n" + wrapped(withFormulas(op.doc), 0);
  out += section("operands", op.operands, [&](const OperandDoc& row) { return entry(row.name, row.doc); });
  out += section("attributes", op.attributes, [&](const AttributeRow& row) { return entry(nameOf(row.name), attributeWords(row)); });
  out += section("constraints", op.constraints, [&](const Constraint& row) { return entry(fmt::format("{}.{}", page.opcode, row.label), row.text); });
  if (!page.example.text.empty()) {
    out += "\nexample:\n" + page.example.text;
    out += section("with", page.example.inputs, [](const std::string& value) { return "  " + value + "\n"; });
    out += section("gives", page.example.outputs, [](const std::string& value) { return "  " + value + "\n"; });
  }
  return out + section(fmt::format("examples of the reference (tessera help {} --example=NAME)", page.opcode), page.references,
                       [&](const ReferenceExample* one) { return entry(one->name, one->title); });
}

std::string toHtml(const HelpPage& page) {
  using Row = std::pair<std::string, std::string>;
  const OpDef& op = *page.op;
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{0}</title>\n<style>body{{max-width:50em;margin:2em "
      "auto;font-family:sans-serif;line-height:1.5}}pre{{background:#f4f4f4;padding:1em;overflow-x:auto}}figure{{margin:0;overflow-x:auto}}.formula{{font-style:italic}}"
      "</style></head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
      page.opcode, typeset(op.summary, true));
  if (!op.doc.empty()) out += "<p>" + typeset(op.doc, true) + "</p>\n";
  out += htmlSection("Operands", op.operands, [](const OperandDoc& row) { return Row(row.name, row.doc); });
  out += htmlSection("Attributes", op.attributes, [](const AttributeRow& row) { return Row(nameOf(row.name), attributeWords(row)); });
  out += htmlSection("Constraints", op.constraints, [](const Constraint& row) { return Row(row.label, row.text); });
  if (!page.example.text.empty()) out += "<h2>Example</h2>\n" + htmlExample(page.example);
  if (!page.references.empty()) out += "<h2>Examples of the reference</h2>\n";
  for (const ReferenceExample* one : page.references) out += htmlReference(*one);
  return out + "</body>\n</html>\n";
}

}  // namespace tessera
