// Pages from data; formulas are set by formula.cpp.
#include "core/tools/help/help_page.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/base/markup.h"
#include "core/base/result.h"
#include "core/tools/find_instruction.h"
#include "core/tools/help/formula.h"
#include "core/tools/help/reference_figure.h"

namespace tessera {
namespace {

// How formulas are set; what is between them is escaped in HTML.
enum class Setting : uint8_t { Text, Tags, MathMl };

std::string formulaAs(std::string_view formula, Setting setting) {
  if (setting == Setting::Text) return formulaText(formula);
  if (setting == Setting::MathMl) return formulaMathMl(formula);
  return "<span class=\"formula\">" + formulaTags(formula) + "</span>";
}

// Names between backticks as code; a backtick alone stays one.
std::string withNames(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t begin = text.find('`'), end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    out += escapedForMarkup(text.substr(0, begin)) + "<code>" +
           escapedForMarkup(text.substr(begin + 1, end - begin - 1)) + "</code>";
    text.remove_prefix(end + 1);
  }
  return out + escapedForMarkup(text);
}

std::string typeset(std::string_view text, Setting setting) {
  std::string out;
  for (bool formula = false;; formula = !formula) {
    const size_t end = text.find('$');
    const std::string_view part = text.substr(0, end);
    if (formula)
      out += formulaAs(part, setting);
    else
      out += setting == Setting::Text ? std::string(part) : withNames(part);
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
    const size_t letters =
        static_cast<size_t>(std::ranges::count_if(word, [](unsigned char c) { return (c & 0xc0) != 0x80; }));
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
std::string htmlSection(std::string_view title, const Rows& rows, Setting setting, Fn&& row) {
  if (std::empty(rows)) return {};
  std::string out = fmt::format("<h2>{}</h2>\n<dl>\n", title);
  for (const auto& one : rows) {
    const auto [name, words] = row(one);
    out += fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", escapedForMarkup(name), typeset(words, setting));
  }
  return out + "</dl>\n";
}

// name: by which it is opened.
std::string htmlExample(const OpExample& example, std::string_view name, HtmlViewer viewer) {
  std::string out = "<pre>" + escapedForMarkup(example.text) + "</pre>\n";
  for (const std::string& value : example.inputs) out += "<p>with <code>" + escapedForMarkup(value) + "</code></p>\n";
  for (const std::string& value : example.outputs) out += "<p>gives <code>" + escapedForMarkup(value) + "</code></p>\n";
  if (viewer == HtmlViewer::RichText) out += fmt::format("<p><a href=\"example:{}\">Open this example</a></p>\n", name);
  return out;
}

std::string htmlFigure(const ReferenceExample& one, HtmlViewer viewer) {
  if (viewer == HtmlViewer::RichText) return fmt::format("<p><img src=\"figure:{}\"></p>\n", one.name);
  const auto figure = figureOf(one);
  return figure ? "<figure>" + *figure + "</figure>\n" : std::string();
}

// The program, its values and its graph as the canvas draws it.
std::string htmlReference(const ReferenceExample& one, HtmlViewer viewer) {
  return fmt::format("<h3 id=\"{0}\">{0}</h3>\n<p>{1} <small>({2})</small></p>\n{3}{4}", one.name,
                     escapedForMarkup(one.title), escapedForMarkup(one.source),
                     htmlExample(one.example, one.name, viewer), htmlFigure(one, viewer));
}

}  // namespace

Result<HelpPage> helpPage(std::string_view opcode) {
  std::vector<std::string_view> names;
  for (const OpDef* op : allOps()) names.push_back(nameOf(op->opcode));
  const auto known = opcodeFromName(opcode);
  if (const OpDef* op = known ? findOp(*known) : nullptr)
    return HelpPage{nameOf(op->opcode), op, exampleOf(opcode), referenceExamplesOf(opcode)};
  if (known) return fail(ErrorKind::Usage, fmt::format("{} is read and printed, but has no page", opcode));
  return fail(ErrorKind::Usage, fmt::format("no operation is named {}{}", opcode, nearMisses(opcode, names)));
}

std::string withFormulas(std::string_view text) { return typeset(text, Setting::Text); }

std::string toText(const HelpPage& page) {
  const OpDef& op = *page.op;
  const auto entry = [](std::string_view name, std::string_view words) {
    return fmt::format("  {}\n{}", name, wrapped(withFormulas(words), 6));
  };
  std::string out =
      fmt::format("{} ({})\n{}", page.opcode, nameOf(op.category.category), wrapped(withFormulas(op.summary), 0));
  if (!op.doc.empty()) out += "\n" + wrapped(withFormulas(op.doc), 0);
  out += section("operands", op.operands, [&](const OperandDoc& row) { return entry(row.name, row.doc); });
  out += section("attributes", op.attributes,
                 [&](const AttributeRow& row) { return entry(nameOf(row.name), attributeWords(row)); });
  out += section("constraints", op.constraints,
                 [&](const Constraint& row) { return entry(fmt::format("{}.{}", page.opcode, row.label), row.text); });
  if (!page.example.text.empty()) {
    out += "\nexample:\n" + page.example.text;
    out += section("with", page.example.inputs, [](const std::string& value) { return "  " + value + "\n"; });
    out += section("gives", page.example.outputs, [](const std::string& value) { return "  " + value + "\n"; });
  }
  return out + section(fmt::format("examples of the reference (tessera help {} --example=NAME)", page.opcode),
                       page.references, [&](const ReferenceExample* one) { return entry(one->name, one->title); });
}

std::string toHtml(const HelpPage& page, HtmlViewer viewer) {
  const Setting setting = viewer == HtmlViewer::Browser ? Setting::MathMl : Setting::Tags;
  using Row = std::pair<std::string, std::string>;
  const OpDef& op = *page.op;
  const std::string_view margin = viewer == HtmlViewer::Browser ? "2em auto" : "4px";  // a panel is narrow
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
      "charset=\"utf-8\"><title>{0}</title>\n<style>body{{max-width:50em;margin:{2}"
      ";font-family:sans-serif;line-height:1.5}}pre{{background:#f4f4f4;padding:1em;overflow-x:auto}}figure{{"
      "margin:0;overflow-x:auto}}.formula{{font-style:italic}}"
      "</style></head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
      page.opcode, typeset(op.summary, setting), margin);
  if (!op.doc.empty()) out += "<p>" + typeset(op.doc, setting) + "</p>\n";
  out += htmlSection("Operands", op.operands, setting, [](const OperandDoc& row) { return Row(row.name, row.doc); });
  out += htmlSection("Attributes", op.attributes, setting,
                     [](const AttributeRow& row) { return Row(nameOf(row.name), attributeWords(row)); });
  out += htmlSection("Constraints", op.constraints, setting,
                     [](const Constraint& row) { return Row(row.label, row.text); });
  if (!page.example.text.empty()) out += "<h2>Example</h2>\n" + htmlExample(page.example, page.opcode, viewer);
  if (!page.references.empty()) out += "<h2>Examples of the reference</h2>\n";
  for (const ReferenceExample* one : page.references) out += htmlReference(*one, viewer);
  return out + "</body>\n</html>\n";
}

}  // namespace tessera
