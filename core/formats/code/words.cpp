// See words.h. What is no word of the tables is an operand's number or an attribute's name, written by its kind.
#include "core/formats/code/words.h"

#include <algorithm>
#include <charconv>

#include "core/formats/code/word_context.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/ops/op.h"

namespace tessera::code {
namespace {

// --- attributes by kind

struct AttributeText {
  const Context& c;
  Result<std::string> operator()(bool v) const { return c.truth(v); }
  Result<std::string> operator()(int64_t v) const { return std::to_string(v); }
  Result<std::string> operator()(double v) const {
    char buffer[40];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  }
  Result<std::string> operator()(const std::string& v) const { return v; }
  Result<std::string> operator()(const Ints& v) const { return c.ints(v); }
  Result<std::string> operator()(const std::vector<Ints>& v) const {
    std::vector<std::string> items;
    for (const Ints& one : v) items.push_back(c.ints(one));
    return listOf(c.language, items);
  }
  Result<std::string> operator()(ComputationId v) const { return c.names.computation(v); }
  template <class T>
  Result<std::string> operator()(const T&) const {
    return noForm(c.in, c.language, "of one of its attributes");
  }
};

// What absence means: the row's default, else the kind's nothing.
std::string absent(const Context& c, Attr attr) {
  const OpDef* op = findOp(c.in.opcode);
  std::string_view text;
  if (op)
    for (const AttributeRow& row : op->attributes)
      if (row.name == attr) text = row.defaultText;
  switch (kindOf(attr)) {
    case AttributeKind::Bool: return c.truth(text == "true");
    case AttributeKind::Int:
      return std::string(
          text.empty() ? (attr == Attr::feature_group_count || attr == Attr::batch_group_count ? "1" : "0") : text);
    case AttributeKind::Ints: return c.ints({});
    default: return std::string(text);
  }
}

Result<std::string> resolve(std::string_view name, const Context& c) {
  for (std::span<const NamedWord> words : {structuredWords(), collectiveWords()})
    for (const NamedWord& word : words)
      if (word.name == name) return word.word(c);
  size_t number = 0;
  if (const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number); error == std::errc())
    return c.operand(number);
  const auto attr = attrFromName(name);
  if (!attr) return noForm(c.in, c.language, "of its part " + std::string(name));
  const AttributeValue* value = c.attributes().find(*attr);
  return value ? std::visit(AttributeText{c}, *value) : absent(c, *attr);
}

}  // namespace

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

std::string listOf(Language language, std::span<const std::string> items) {
  const bool python = language == Language::Python;
  std::string out = python ? "(" : "{";
  for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + items[i];
  if (python && items.size() == 1) out += ',';
  return out + (python ? ")" : "}");
}

std::string intsOf(Language language, std::span<const int64_t> values) {
  std::vector<std::string> items;
  for (int64_t value : values) items.push_back(std::to_string(value));
  return listOf(language, items);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  text::appendEscaped(out, text);
  return out + '"';
}

std::string typeName(Language language, ElementType type) {
  const std::string name(nameOf(type));
  if (language == Language::Cpp) return "xla::" + upper(name);
  static constexpr std::pair<std::string_view, std::string_view> kPython[] = {
      {"pred", "np.bool_"},  {"bf16", "jnp.bfloat16"}, {"f16", "np.float16"},    {"f32", "np.float32"},
      {"f64", "np.float64"}, {"c64", "np.complex64"},  {"c128", "np.complex128"}};
  for (const auto& [hlo, python] : kPython)
    if (hlo == name) return std::string(python);
  if (isSubByte(type) && isInteger(type)) return (isSigned(type) ? "jnp.int" : "jnp.uint") + name.substr(1);
  if (isInteger(type)) return (isSigned(type) ? "np.int" : "np.uint") + name.substr(1);
  const size_t e = name.find('e');  // f8e4m3fn: float8_e4m3fn
  return "jnp.float" + name.substr(1, e - 1) + '_' + name.substr(e);
}

std::string shapeText(Language language, const Shape& shape) {
  if (shape.isTuple()) {
    std::vector<std::string> items;
    for (const Shape& element : shape.elements) items.push_back(shapeText(language, element));
    const std::string list = listOf(language, items);
    return language == Language::Python ? "[" + list.substr(1, list.size() - 2) + "]"
                                        : "xla::ShapeUtil::MakeTupleShape(" + list + ")";
  }
  if (!shape.isArray()) return language == Language::Python ? "None" : "xla::ShapeUtil::MakeTokenShape()";
  if (language == Language::Python)
    return "(" + typeName(language, shape.type) + ", " + intsOf(language, shape.dimensions) + ")";
  return "xla::ShapeUtil::MakeShape(" + typeName(language, shape.type) + ", " + intsOf(language, shape.dimensions) +
         ")";
}

Result<std::string> fillIn(std::string_view text, const Module& module, const Instruction& instruction,
                           Language language, const Names& names) {
  const Context context{module, instruction, language, names};
  std::string out;
  while (!text.empty()) {
    const size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = text.find('}', open);
    TESSERA_ASSIGN_OR_RETURN(const std::string word, resolve(text.substr(open + 1, close - open - 1), context));
    out += word;
    text = text.substr(close + 1);
  }
  return out;
}

std::unexpected<Diagnostic> noForm(const Instruction& instruction, Language language, const std::string& why) {
  return fail(placedAt(instruction,
                       {.kind = ErrorKind::Unsupported,
                        .message = std::string(language == Language::Python ? "jax.lax" : "XlaBuilder") +
                                   " has no form for %" + std::string(instruction.name) + " (" +
                                   std::string(instruction.opcodeName()) + ")" + (why.empty() ? "" : ": " + why)}));
}

}  // namespace tessera::code
