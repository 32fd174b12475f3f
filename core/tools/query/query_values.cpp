// Values of the fields of a query, by their kind: texts, types, shapes, numbers with units, attributes, choices.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/base/ascii.h"
#include "core/hlo/element_type.h"
#include "core/tools/find_instruction.h"
#include "core/tools/query/query.h"
#include "core/tools/query/scope_words.h"

namespace tessera {
namespace {

using Extent = TextPattern::Extent;
using Form = QueryValueText::Form;

Result<TextPattern> textOf(const QueryValueText& value, Extent extent) {
  if (value.form == Form::Quoted) return TextPattern::literal(value.text, extent);
  if (value.form == Form::Bare) return TextPattern::words(value.text, extent);
  auto regex = TextPattern::regex(value.text, extent);
  if (!regex) return queryError(value.column, "not a regular expression: " + regex.error().message);
  return regex;
}

Extent extentOf(const QueryFieldRow& field, const QueryValueText& value, bool exact) {
  if (exact) return Extent::Whole;
  return field.kind == QueryValueKind::Part || value.form == Form::Regex ? Extent::Part : Extent::Whole;
}

Result<QueryValue> pathValue(const QueryValueText& value) {
  if (value.form == Form::Regex) return textOf(value, Extent::Part);
  std::vector<TextPattern> out;
  for (std::string_view word : scopeWords(value.text)) {
    TESSERA_ASSIGN_OR_RETURN(TextPattern part, textOf({std::string(word), value.form, value.column}, Extent::Whole));
    out.push_back(std::move(part));
  }
  if (out.empty()) return queryError(value.column, "under has no scope", "one as in under:jvp", value.text);
  return out;
}

Result<QueryValue> typeValue(const QueryValueText& value) {
  const bool pattern = value.form == Form::Regex || value.text.find_first_of("*?") != std::string::npos;
  if (!pattern && !elementTypeFromName(value.text)) {
    std::vector<std::string_view> names;
    for (int type = 0; type < 256; ++type)
      if (const auto known = elementTypeFromProto(type); known && isArrayElement(*known))
        names.push_back(nameOf(*known));
    std::string lower = value.text;
    std::ranges::transform(lower, lower.begin(), asciiLower);
    return queryError(value.column, fmt::format("no element type is named {}{}", value.text, nearMisses(lower, names)),
                      "one such as f32, bf16, s32 or pred");
  }
  return textOf(value, value.form == Form::Regex ? Extent::Part : Extent::Whole);
}

Result<QueryValue> shapeValue(const QueryValueText& value) {
  auto pattern = ShapePattern::parse(value.text);
  if (!pattern) return queryError(value.column, pattern.error().message);
  return std::move(*pattern);
}

std::optional<double> factorOf(std::string_view unit, QueryValueKind kind) {
  if (unit.empty()) return 1;
  for (const QueryUnit& known : queryUnits(kind))
    if (std::ranges::equal(known.name, unit, {}, asciiLower, asciiLower)) return known.factor;
  return std::nullopt;
}

// "1.5MB".
Result<QueryValue> numberValue(const QueryFieldRow& field, const QueryValueText& value) {
  std::vector<std::string_view> units;
  for (const QueryUnit& unit : queryUnits(field.kind)) units.push_back(unit.name);
  const std::string expected = fmt::format("a number, with {} behind it or nothing", fmt::join(units, ", "));
  const auto wrong = [&] {
    std::string what = fmt::format("{} is a number", field.name);
    if (field.field == QueryField::Users) what += "; user: finds what is used by an opcode or a name";
    if (field.field == QueryField::Operands) what += "; operand: finds what has an opcode or a name as operand";
    return queryError(value.column, std::move(what), expected, value.text);
  };
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number)) return wrong();
  const auto factor = factorOf({rest, static_cast<size_t>(end - rest)}, field.kind);
  if (!factor) return wrong();
  return number * *factor;
}

Result<QueryValue> attributeValue(const QueryValueText& value) {
  const size_t sign = value.form == Form::Regex ? std::string::npos : value.text.find('=');
  const Extent extent = value.form == Form::Regex ? Extent::Part : Extent::Whole;
  TESSERA_ASSIGN_OR_RETURN(TextPattern name, textOf({value.text.substr(0, sign), value.form, value.column}, extent));
  AttributePattern out{std::move(name), {}};
  if (sign == std::string::npos) return out;
  TESSERA_ASSIGN_OR_RETURN(TextPattern text,
                           textOf({value.text.substr(sign + 1), value.form, value.column + sign + 1}, Extent::Part));
  out.text.push_back(std::move(text));
  return out;
}

// "3:loss"; digits without a name behind them are a name.
Result<QueryValue> aroundValue(const QueryFieldRow& field, const QueryValueText& value, bool exact) {
  constexpr size_t kMostDigits = 9;
  int64_t steps = AroundPattern::kUsual;
  QueryValueText centre = value;
  const size_t digits = std::min(value.text.find_first_not_of("0123456789"), value.text.size());
  if (value.form != Form::Regex && digits > 0 && digits <= kMostDigits && digits + 1 < value.text.size() &&
      value.text[digits] == ':') {
    std::from_chars(value.text.data(), value.text.data() + digits, steps);
    centre.text.erase(0, digits + 1);
    centre.column += digits + 1;
  }
  TESSERA_ASSIGN_OR_RETURN(TextPattern pattern, textOf(centre, extentOf(field, centre, exact)));
  return AroundPattern{std::move(pattern), steps};
}

// "tokens,attention,loss".
Result<QueryValue> routeValue(const QueryFieldRow& field, const QueryValueText& value) {
  std::vector<TextPattern> out;
  for (size_t begin = 0; value.form != Form::Regex && begin <= value.text.size();) {
    const size_t end = std::min(value.text.find(',', begin), value.text.size());
    const QueryValueText one{value.text.substr(begin, end - begin), value.form, value.column + begin};
    TESSERA_ASSIGN_OR_RETURN(TextPattern place, textOf(one, Extent::Whole));
    out.push_back(std::move(place));
    begin = end + 1;
  }
  if (out.empty())
    return queryError(value.column, fmt::format("{} leads from one instruction to another", field.name),
                      "names with commas between them, as in trace:x,loss", value.text);
  return out;
}

Result<QueryValue> choiceValue(const QueryFieldRow& field, const QueryValueText& value) {
  std::vector<std::string_view> names;
  for (const QueryChoice& choice : queryChoices()) names.push_back(choice.name);
  if (std::ranges::find(names, value.text) == names.end())
    return queryError(value.column, fmt::format("{} does not know {}", field.name, value.text),
                      fmt::format("one of {}", fmt::join(names, ", ")), value.text);
  return TextPattern::literal(value.text, Extent::Whole);
}

}  // namespace

Result<QueryValue> readQueryValue(const QueryFieldRow& field, const QueryValueText& value, bool exact) {
  switch (field.kind) {
    case QueryValueKind::Part:
    case QueryValueKind::Whole: return textOf(value, extentOf(field, value, exact));
    case QueryValueKind::Path: return pathValue(value);
    case QueryValueKind::Type: return typeValue(value);
    case QueryValueKind::Shape: return shapeValue(value);
    case QueryValueKind::Count:
    case QueryValueKind::Bytes: return numberValue(field, value);
    case QueryValueKind::Attribute: return attributeValue(value);
    case QueryValueKind::Choice: return choiceValue(field, value);
    case QueryValueKind::Around: return aroundValue(field, value, exact);
    case QueryValueKind::Route: return routeValue(field, value);
  }
  return queryError(value.column, "not a value");
}

}  // namespace tessera
