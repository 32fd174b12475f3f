// Reading attribute values by kind: lists, slices, windows, paddings, dim labels, names, shapes, raw text.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/ascii.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/braced_grammar.h"
#include "core/formats/hlo_text/literal_text.h"
#include "core/formats/hlo_text/shape_text.h"

namespace tessera::text {
namespace {

// '{' [item (',' item)*] '}'
template <class Item>
bool readList(Lexer& lexer, Item&& item) {
  if (!lexer.expect('{', "before a list")) return false;
  if (lexer.accept('}')) return true;
  do {
    if (!item()) return false;
  } while (lexer.accept(','));
  return lexer.expect('}', "after a list");
}

bool readInts(Lexer& lexer, std::vector<int64_t>& out) {
  return readList(lexer, [&] { return lexer.integer(out.emplace_back(), "an integer"); });
}

bool readIntLists(Lexer& lexer, std::vector<std::vector<int64_t>>& out) {
  return readList(lexer, [&] { return readInts(lexer, out.emplace_back()); });
}

bool listOfLists(Lexer& lexer) {
  const size_t before = lexer.offset();
  const bool nested = lexer.accept('{') && lexer.peek() == '{';
  lexer.seek(before);
  return nested;
}

bool readSlice(Lexer& lexer, SliceDimension& out) {
  if (!lexer.expect('[', "before a slice") || !lexer.integer(out.start, "a start") ||
      !lexer.expect(':', "in the slice") || !lexer.integer(out.limit, "a limit"))
    return false;
  if (lexer.accept(':') && !lexer.integer(out.stride, "a stride")) return false;
  return lexer.expect(']', "after a slice");
}

// N(xN)*
bool readTimes(Lexer& lexer, std::vector<int64_t>& out, std::string_view what) {
  do {
    if (!lexer.integer(out.emplace_back(), what)) return false;
  } while (lexer.acceptHere('x'));
  return true;
}

// LOW_HIGH[_INTERIOR](x…)*; nothing for a scalar.
bool readPadding(Lexer& lexer, std::vector<PaddingDimension>& out, bool withInterior) {
  if (withInterior && !isDigit(lexer.peek()) && lexer.peek() != '-') return true;
  do {
    PaddingDimension& d = out.emplace_back();
    if (!lexer.integer(d.low, "a low padding") || !lexer.expect('_', "in the padding") ||
        !lexer.integer(d.high, "a high padding"))
      return false;
    if (withInterior && lexer.acceptHere('_') && !lexer.integer(d.interior, "an interior padding")) return false;
  } while (lexer.acceptHere('x'));
  return true;
}

bool setField(Lexer& lexer, size_t at, Window& window, std::string_view field, const std::vector<int64_t>& values) {
  const bool shortReversal = field == "rhs_reversal" && values.size() < window.dimensions.size();  // the rest is 0
  if (values.size() != window.dimensions.size() && !shortReversal)
    return lexer.failAt(at, "the window's " + std::string(field) + " has " + std::to_string(values.size()) +
                                " entries and its size has " + std::to_string(window.dimensions.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    WindowDimension& d = window.dimensions[i];
    if (field == "stride") d.stride = values[i];
    if (field == "lhs_dilate") d.baseDilation = values[i];
    if (field == "rhs_dilate") d.windowDilation = values[i];
    if (field == "rhs_reversal") d.reversal = values[i] != 0;
  }
  return true;
}

bool setPadding(Lexer& lexer, size_t at, Window& window, const std::vector<PaddingDimension>& padding) {
  if (padding.size() != window.dimensions.size()) return lexer.failAt(at, "the window's pad does not match its size");
  for (size_t i = 0; i < padding.size(); ++i) {
    window.dimensions[i].paddingLow = padding[i].low;
    window.dimensions[i].paddingHigh = padding[i].high;
  }
  return true;
}

struct WindowField {
  std::string_view name;
  size_t at = 0;
  std::vector<int64_t> values;
};

bool readWindowField(Lexer& lexer, Window& window, std::vector<WindowField>& fields,
                     std::vector<PaddingDimension>& padding, size_t& paddingAt) {
  lexer.skipBlanks();
  WindowField field{lexer.word(), lexer.offset(), {}};
  if (field.name.empty()) return lexer.failExpected("a window field");
  if (!lexer.expect('=', "after the window field")) return false;
  if (field.name == "pad") return paddingAt = lexer.offset(), readPadding(lexer, padding, false);
  if (!readTimes(lexer, field.values, "a size")) return false;
  if (field.name == "size") {
    window.dimensions.resize(field.values.size());
    for (size_t i = 0; i < field.values.size(); ++i) window.dimensions[i].size = field.values[i];
    return true;
  }
  if (field.name != "stride" && field.name != "lhs_dilate" && field.name != "rhs_dilate" &&
      field.name != "rhs_reversal")
    return lexer.failAt(field.at, "unknown window field " + std::string(field.name),
                        "size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
  fields.push_back(std::move(field));
  return true;
}

bool readWindow(Lexer& lexer, Window& out) {
  if (!lexer.expect('{', "before a window")) return false;
  std::vector<WindowField> fields;
  std::vector<PaddingDimension> padding;
  size_t paddingAt = 0;
  while (!lexer.accept('}'))
    if (!readWindowField(lexer, out, fields, padding, paddingAt)) return false;
  for (const WindowField& field : fields)
    if (!setField(lexer, field.at, out, field.name, field.values)) return false;
  return padding.empty() || setPadding(lexer, paddingAt, out, padding);
}

// The labels of one operand: two letters and the digits of the spatial dimensions.
bool readLabels(Lexer& lexer, size_t at, std::string_view labels, char first, char second, int64_t& firstAt,
                int64_t& secondAt, std::vector<int64_t>& spatial) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    const auto place = static_cast<int64_t>(i);
    if (c == '?') continue;
    if (isDigit(c)) {
      const auto number = static_cast<size_t>(c - '0');
      if (spatial.size() <= number) spatial.resize(number + 1, -1);
      if (spatial[number] != -1) return lexer.failAt(at + i, "a spatial dimension appears twice in dim_labels");
      spatial[number] = place;
      continue;
    }
    int64_t* target = c == first ? &firstAt : c == second ? &secondAt : nullptr;
    if (!target || *target != -1)
      return lexer.failAt(at + i, "dim_labels: a label is unknown or appears twice",
                          fmt::format("each of {} and {} once, and digits", first, second));
    *target = place;
  }
  if (firstAt < 0 || secondAt < 0)
    return lexer.failAt(at, "dim_labels: a label is missing", std::string(1, first) + " and " + second);
  if (std::ranges::find(spatial, -1) != spatial.end())
    return lexer.failAt(at, "dim_labels: spatial dimensions are not 0 to n-1");
  return true;
}

bool readDimLabels(Lexer& lexer, ConvolutionDimensions& out) {
  lexer.skipBlanks();
  const size_t begin = lexer.offset();
  while (isNameChar(lexer.raw()) || lexer.raw() == '?' || lexer.raw() == '>') lexer.bump();
  std::string_view labels = lexer.text().substr(begin, lexer.offset() - begin);
  const size_t bar = labels.find('_'), arrow = labels.find("->");
  if (bar == std::string_view::npos || arrow == std::string_view::npos || arrow < bar)
    return lexer.failAt(begin, "dim_labels are not of the form LHS_RHS->OUT", "dim_labels such as b01f_01io->b01f");
  out.text = std::string(labels);
  if (!readLabels(lexer, begin, labels.substr(0, bar), 'b', 'f', out.inputBatch, out.inputFeature, out.inputSpatial) ||
      !readLabels(lexer, begin + bar + 1, labels.substr(bar + 1, arrow - bar - 1), 'i', 'o', out.kernelInput,
                  out.kernelOutput, out.kernelSpatial) ||
      !readLabels(lexer, begin + arrow + 2, labels.substr(arrow + 2), 'b', 'f', out.outputBatch, out.outputFeature,
                  out.outputSpatial))
    return false;
  if (out.inputSpatial.size() != out.kernelSpatial.size() || out.inputSpatial.size() != out.outputSpatial.size())
    return lexer.failAt(begin, "dim_labels: the operands and the result differ in their number of spatial dimensions");
  return true;
}

bool readEnum(Lexer& lexer, std::string& out) {
  std::string_view word = lexer.word();
  if (word.empty()) return lexer.failExpected("a word");
  out = std::string(word);
  return true;
}

bool readComputation(Lexer& lexer, NameScope& names, AttributeValue& out) {
  ComputationId id;
  if (!names.computation(lexer, id)) return false;
  out = id;
  return true;
}

// {a, b}, or one name alone
bool readComputations(Lexer& lexer, NameScope& names, AttributeValue& out) {
  std::vector<ComputationId> ids;
  if (lexer.peek() != '{') {
    if (!names.computation(lexer, ids.emplace_back())) return false;
  } else if (!readList(lexer, [&] { return names.computation(lexer, ids.emplace_back()); })) {
    return false;
  }
  out = std::move(ids);
  return true;
}

bool readInstructions(Lexer& lexer, NameScope& names, AttributeValue& out) {
  std::vector<InstructionId> ids;
  const size_t at = lexer.offset();
  if (!readList(lexer, [&] { return names.instruction(lexer, ids.emplace_back()); })) return false;
  if (ids.empty()) return lexer.failAt(at, "a list of instructions is empty", "an instruction's name");
  out = std::move(ids);
  return true;
}

bool readShapes(Lexer& lexer, AttributeValue& out) {
  std::vector<Shape> shapes;
  if (!readList(lexer, [&] { return readShape(lexer, shapes.emplace_back()); })) return false;
  out = std::move(shapes);
  return true;
}

bool readRaw(Lexer& lexer, AttributeKind kind, AttributeValue& out) {
  RawText raw;
  if (kind == AttributeKind::StringOrJson && lexer.peek() != '{') {
    raw.quoted = true;
    if (!lexer.quoted(raw.text, "a string or {json}")) return false;
  } else if (kind == AttributeKind::Unknown) {
    raw.text = std::string(lexer.rawValue());
  } else {
    std::string_view text;
    if (!lexer.braces(text, "a value in braces")) return false;
    const bool comments = kind == AttributeKind::Braced && text.find("/*") != std::string_view::npos;
    raw.text = comments ? withoutComments(text) : std::string(text);
  }
  out = std::move(raw);
  return true;
}

// Reads a T with `read` and hands it over.
template <class T, class Read>
bool into(AttributeValue& out, Read&& read) {
  T value{};
  if (!read(value)) return false;
  if constexpr (kIsBoxed<T>)
    out = Boxed<T>(std::move(value));
  else
    out = std::move(value);
  return true;
}

// Words of these attributes are read in capitals and small letters alike, and kept as XLA prints them.
enum class LetterCase : uint8_t { AsWritten, Lower, Upper };

LetterCase caseOf(Attr attr) {
  switch (attr) {
    case Attr::operand_precision:
    case Attr::algorithm:
    case Attr::distribution: return LetterCase::Lower;
    case Attr::schedule:
    case Attr::api_version: return LetterCase::Upper;
    default: return LetterCase::AsWritten;
  }
}

void convertCase(LetterCase to, std::string& word) {
  for (char& c : word) {
    if (to == LetterCase::Lower) c = asciiLower(c);
    if (to == LetterCase::Upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

bool readValue(Lexer& lexer, AttributeKind kind, NameScope& names, AttributeValue& out) {
  using Lists = std::vector<std::vector<int64_t>>;
  switch (kind) {
    case AttributeKind::Bool: return into<bool>(out, [&](bool& v) { return lexer.boolean(v); });
    case AttributeKind::Int: return into<int64_t>(out, [&](int64_t& v) { return lexer.integer(v, "an integer"); });
    case AttributeKind::Float: return into<double>(out, [&](double& v) { return lexer.number(v, "a number"); });
    case AttributeKind::String: return into<std::string>(out, [&](auto& v) { return lexer.quoted(v, "a string"); });
    case AttributeKind::Enum: return into<std::string>(out, [&](auto& v) { return readEnum(lexer, v); });
    case AttributeKind::Enums:
      return into<std::vector<std::string>>(
          out, [&](auto& v) { return readList(lexer, [&] { return readEnum(lexer, v.emplace_back()); }); });
    case AttributeKind::IntsOrIntLists:
      if (listOfLists(lexer)) return into<Lists>(out, [&](auto& v) { return readIntLists(lexer, v); });
      [[fallthrough]];
    case AttributeKind::Ints: return into<std::vector<int64_t>>(out, [&](auto& v) { return readInts(lexer, v); });
    case AttributeKind::IntLists: return into<Lists>(out, [&](auto& v) { return readIntLists(lexer, v); });
    case AttributeKind::Slices:
      return into<std::vector<SliceDimension>>(
          out, [&](auto& v) { return readList(lexer, [&] { return readSlice(lexer, v.emplace_back()); }); });
    case AttributeKind::Padding:
      return into<std::vector<PaddingDimension>>(out, [&](auto& v) { return readPadding(lexer, v, true); });
    case AttributeKind::Window: return into<Window>(out, [&](auto& v) { return readWindow(lexer, v); });
    case AttributeKind::DimLabels:
      return into<ConvolutionDimensions>(out, [&](auto& v) { return readDimLabels(lexer, v); });
    case AttributeKind::ReplicaGroups:
      return into<ReplicaGroups>(out, [&](auto& v) { return readReplicaGroups(lexer, v); });
    case AttributeKind::Computation: return readComputation(lexer, names, out);
    case AttributeKind::Computations: return readComputations(lexer, names, out);
    case AttributeKind::Instructions: return readInstructions(lexer, names, out);
    case AttributeKind::Shape: return into<Shape>(out, [&](Shape& v) { return readShape(lexer, v); });
    case AttributeKind::Shapes: return readShapes(lexer, out);
    case AttributeKind::ShapedLiteral: {
      Literal literal;
      if (!readShapedLiteral(lexer, literal)) return false;
      out = std::make_shared<const Literal>(std::move(literal));
      return true;
    }
    case AttributeKind::Braced:
    case AttributeKind::StringOrJson:
    case AttributeKind::Unknown: return readRaw(lexer, kind, out);
  }
  return false;
}

}  // namespace

bool readAttributeValue(Lexer& lexer, Attr attr, NameScope& names, AttributeValue& out) {
  if (!readValue(lexer, kindOf(attr), names, out)) return false;
  const LetterCase to = caseOf(attr);
  if (to == LetterCase::AsWritten) return true;
  if (auto* word = std::get_if<std::string>(&out)) convertCase(to, *word);
  if (auto* words = std::get_if<std::vector<std::string>>(&out))
    for (std::string& word : *words) convertCase(to, word);
  return true;
}

bool saysNothing(Attr attr, const AttributeValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return attr == Attr::algorithm && word && *word == "unset";
}

}  // namespace tessera::text
