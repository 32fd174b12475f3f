// See shape_pattern.h.
#include "core/tools/query/shape_pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/tools/query/text_pattern.h"

namespace tessera {
namespace {

std::unexpected<Diagnostic> badPattern(std::string_view text) {
  return fail(ErrorKind::Usage, "not a shape pattern: " + std::string(text) + "; e.g. f32[*,128], [...,8] or bf16");
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> numberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

Result<ShapePattern> ShapePattern::parse(std::string_view text) {
  ShapePattern out;
  const std::string_view whole = text = trimmed(text);
  const size_t open = text.find('[');
  out.type_ = std::string(trimmed(text.substr(0, open)));
  const bool letters = std::ranges::all_of(
      out.type_, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '*' || c == '?'; });
  if (whole.empty() || !letters) return badPattern(whole);
  if (out.type_.empty()) out.type_ = "*";
  if (open == std::string_view::npos) return out;
  if (!text.ends_with(']')) return badPattern(whole);
  text = text.substr(open + 1, text.size() - open - 2);
  out.dimensions_.emplace();
  if (trimmed(text).empty()) return out;
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view part = trimmed(text.substr(from, comma - from));
    from = comma + 1;
    const auto number = numberOf(part);
    if (part != "*" && part != "..." && !number) return badPattern(whole);
    out.dimensions_->push_back(part == "*" ? kAny : part == "..." ? kMany : *number);
  }
  if (std::ranges::count(*out.dimensions_, kMany) > 1) return badPattern(whole);
  return out;
}

bool ShapePattern::matches(const Shape& shape) const {
  if (shape.isTuple() || shape.type == ElementType::Buffer)
    return std::ranges::any_of(shape.elements, [&](const Shape& element) { return matches(element); });
  return matchesGlob(type_, nameOf(shape.type)) && (!dimensions_ || matchesFrom(0, 0, shape));
}

bool ShapePattern::matchesFrom(size_t dimension, size_t part, const Shape& shape) const {
  const std::vector<int64_t>& parts = *dimensions_;
  for (; part < parts.size(); ++part, ++dimension) {
    if (parts[part] == kMany) {  // the only one: what follows it is fixed
      const size_t behind = parts.size() - part - 1;
      return dimension + behind <= shape.dimensions.size() &&
             matchesFrom(shape.dimensions.size() - behind, part + 1, shape);
    }
    if (dimension >= shape.dimensions.size()) return false;
    if (parts[part] != kAny && parts[part] != shape.dimensions[dimension]) return false;
  }
  return dimension == shape.dimensions.size();
}

}  // namespace tessera
