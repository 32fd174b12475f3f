// See words.h. One row a placeholder; what is no row is an operand's number or an attribute's name, written by its kind.
#include "core/formats/code/words.h"

#include <algorithm>
#include <charconv>

#include "core/formats/code/rows.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/ops/op.h"

namespace tessera::code {
namespace {

using Ints = std::vector<int64_t>;

struct Context {
  const Module& module;
  const Instruction& in;
  Language language;
  const Names& names;

  bool python() const { return language == Language::Python; }
  const AttributeSet& attributes() const { return *in.attributes; }
  std::string operand(size_t i) const { return i < in.operands.size() ? names.value(in.operands[i]) : "?"; }
  std::string ints(const Ints& values) const { return intsOf(language, values); }
  std::string operands(size_t begin, size_t end) const {
    std::vector<std::string> items;
    for (size_t i = begin; i < end && i < in.operands.size(); ++i) items.push_back(operand(i));
    return listOf(language, items);
  }
  const Shape& operandShape(size_t i) const { return module.shapeOf(in.operands[i]); }
  const Shape& part(size_t i) const { return in.shape->isTuple() && i < in.shape->elements.size() ? in.shape->elements[i] : *in.shape; }
  std::string truth(bool value) const { return python() ? (value ? "True" : "False") : (value ? "true" : "false"); }
};

using Word = Result<std::string> (*)(const Context&);

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

std::string camel(std::string_view text) {
  std::string out;
  bool up = true;
  for (char c : text) {
    if (c != '_') out += up && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    up = c == '_';
  }
  return out;
}

// --- windows

const Window& windowOf(const Context& c) {
  static const Window kNone;
  const Window* window = c.attributes().get<Window>(Attr::window);
  return window ? *window : kNone;
}

template <class Pick>
std::string windowInts(const Context& c, const Pick& pick) {
  Ints out;
  for (const WindowDimension& d : windowOf(c).dimensions) out.push_back(pick(d));
  return c.ints(out);
}

std::string pairs(const Context& c, const std::vector<std::pair<int64_t, int64_t>>& values) {
  std::vector<std::string> items;
  for (const auto& [a, b] : values) items.push_back(c.ints({a, b}));
  return listOf(c.language, items);
}

std::string windowPad(const Context& c) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const WindowDimension& d : windowOf(c).dimensions) out.emplace_back(d.paddingLow, d.paddingHigh);
  return pairs(c, out);
}

std::string windowReversal(const Context& c) {
  std::vector<std::string> out;
  for (const WindowDimension& d : windowOf(c).dimensions) out.push_back(c.truth(d.reversal));
  return listOf(c.language, out);
}

// --- convolution: the two leading labels, then the spatial ones

std::string labels(const Context& c, int64_t first, int64_t second, const Ints& spatial) {
  if (!c.python()) return c.ints({first, second}) + ", " + c.ints(spatial);
  Ints all{first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return c.ints(all);
}

const ConvolutionDimensions& labelsOf(const Context& c) {
  static const ConvolutionDimensions kNone;
  const auto* found = c.attributes().get<ConvolutionDimensions>(Attr::dim_labels);
  return found ? *found : kNone;
}

// jax.lax has no window reversal; the kernel is turned before.
std::string kernel(const Context& c) {
  Ints turned;
  const auto& window = windowOf(c).dimensions;
  for (size_t i = 0; i < window.size() && i < labelsOf(c).kernelSpatial.size(); ++i)
    if (window[i].reversal) turned.push_back(labelsOf(c).kernelSpatial[i]);
  return turned.empty() ? c.operand(1) : "lax.rev(" + c.operand(1) + ", " + c.ints(turned) + ")";
}

std::string precision(const Context& c) {
  const auto algorithm = c.attributes().textOr(Attr::algorithm, "");
  const auto* words = c.attributes().get<std::vector<std::string>>(Attr::operand_precision);
  std::vector<std::string> items;
  if (!c.python()) {
    for (const std::string& word : words ? *words : std::vector<std::string>()) items.push_back("xla::PrecisionConfig::" + upper(word));
    return "Precision(" + listOf(c.language, items) + (algorithm.empty() ? "" : ", xla::PrecisionConfig::ALG_" + upper(algorithm)) + ")";
  }
  if (!algorithm.empty()) return "lax.DotAlgorithmPreset." + upper(algorithm.substr(4));
  if (!words) return "None";
  for (const std::string& word : *words) items.push_back("lax.Precision." + upper(word));
  return listOf(c.language, items);
}

// --- slices and padding

template <class Pick>
std::string sliceInts(const Context& c, const Pick& pick) {
  Ints out;
  if (const auto* slices = c.attributes().get<std::vector<SliceDimension>>(Attr::slice))
    for (const SliceDimension& s : *slices) out.push_back(pick(s));
  return c.ints(out);
}

std::string padding(const Context& c) {
  std::vector<std::string> items;
  if (const auto* dims = c.attributes().get<std::vector<PaddingDimension>>(Attr::padding))
    for (const PaddingDimension& p : *dims) items.push_back(c.ints({p.low, p.high, p.interior}));
  return (c.python() ? "" : "Edges(") + listOf(c.language, items) + (c.python() ? "" : ")");
}

// --- computations

Result<std::string> branches(const Context& c) {
  const auto* cases = c.attributes().get<std::vector<ComputationId>>(Attr::branch_computations);
  std::vector<ComputationId> computations = cases ? *cases : std::vector<ComputationId>();
  for (Attr attr : {Attr::true_computation, Attr::false_computation})
    if (const auto* one = c.attributes().get<ComputationId>(attr)) computations.push_back(*one);
  std::vector<std::string> functions, operands;
  for (size_t i = 0; i < computations.size(); ++i) {
    functions.push_back(c.names.computation(computations[i]));
    operands.push_back(c.operand(i + 1));
  }
  if (!c.python() && !cases && functions.size() == 2) return operands[0] + ", " + functions[0] + ", " + operands[1] + ", " + functions[1];
  return (c.python() ? "" : "Branches(") + listOf(c.language, functions) + (c.python() ? "" : ")") + ", " + listOf(c.language, operands);
}

std::string comparison(const Context& c) {
  const auto direction = c.attributes().textOr(Attr::direction, "EQ"), type = c.attributes().textOr(Attr::type, "");
  std::string name = upper(direction);
  std::ranges::transform(name, name.begin(), [](char ch) { return static_cast<char>(ch - 'A' + 'a'); });
  const bool total = type == "TOTALORDER";
  if (c.python()) return total ? "total_" + name : "lax." + name;
  return camel(name) + (total ? "TotalOrder" : "");
}

Result<std::string> groups(const Context& c) {
  const auto* groups = c.attributes().get<ReplicaGroups>(Attr::replica_groups);
  std::vector<std::string> items;
  if (groups)
    for (const auto& group : groups->groups) items.push_back(c.ints(group));
  return "Groups(" + listOf(c.language, items) + ")";
}

std::string channel(const Context& c) {
  const int64_t id = c.attributes().intOr(Attr::channel_id, 0);
  return id ? "Channel(" + std::to_string(id) + ")" : "std::nullopt";
}

Result<std::string> shardCount(const Context& c) {
  const auto dims = c.attributes().ints(Attr::dimensions);
  if (dims.empty() || !c.in.shape->isArray()) return noForm(c.in, c.language, "it has several results");
  const auto d = static_cast<size_t>(dims[0]);
  const int64_t out = c.in.shape->dimensions[d], operand = c.operandShape(0).dimensions[d];
  return std::to_string(operand == 0 || out == 0 ? 1 : std::max(out / operand, operand / out));
}

// --- types and shapes

std::string firstDimension(const Context& c) {
  const Ints& dims = c.attributes().ints(Attr::dimensions);
  return std::to_string(dims.empty() ? 0 : dims[0]);
}

std::string allDimensions(const Context& c) {
  Ints out;
  for (int64_t d = 0; d < c.in.shape->rank(); ++d) out.push_back(d);
  return c.ints(out);
}

// Absent: every dimension of the operand.
std::string reducedDimensions(const Context& c) {
  if (c.attributes().has(Attr::dimensions)) return c.ints(c.attributes().ints(Attr::dimensions));
  Ints out;
  for (int64_t d = 0; d < c.operandShape(0).rank(); ++d) out.push_back(d);
  return c.ints(out);
}

Result<std::string> transposeFlags(const Context& c) {
  const auto text = c.attributes().textOr(Attr::transpose_a, "NO_TRANSPOSE");
  return "transpose_a=" + c.truth(text != "NO_TRANSPOSE") + ", conjugate_a=" + c.truth(text == "ADJOINT");
}

std::string opaque(const Context& c) {
  const auto* config = c.attributes().get<RawText>(Attr::backend_config);
  return quoted(config ? config->text : "");
}

// Minor-to-major orders that a custom call asks for, where they are not the default ones.
std::string customCallLayouts(const Context& c) {
  std::vector<std::string> inputs, outputs;
  bool plain = true;
  const auto add = [&](const Shape& shape, std::vector<std::string>& out) {
    if (!shape.isArray()) return;
    const Layout layout = shape.layout.value_or(Layout::rowMajor(shape.rank()));
    plain = plain && layout.isRowMajor();
    out.push_back(c.ints(layout.minorToMajor));
  };
  if (const auto* constraints = c.attributes().get<std::vector<Shape>>(Attr::operand_layout_constraints))
    for (const Shape& shape : *constraints) add(shape, inputs);
  for (const ShapeLeaf& leaf : leavesOf(*c.in.shape)) add(*leaf.shape, outputs);
  return plain || inputs.empty() ? "" : ", " + listOf(c.language, inputs) + ", " + listOf(c.language, outputs);
}

struct NamedWord {
  std::string_view name;
  Word word;
};
const NamedWord kWords[] = {
    {"*", [](const Context& c) -> Result<std::string> {
       std::string out;
       for (size_t i = 0; i < c.in.operands.size(); ++i) out += (i ? ", " : "") + c.operand(i);
       return out;
     }},
    {"operands", [](const Context& c) -> Result<std::string> { return c.operands(0, c.in.operands.size()); }},
    {"rest.1", [](const Context& c) -> Result<std::string> { return c.operands(1, c.in.operands.size()); }},
    {"rest.2", [](const Context& c) -> Result<std::string> { return c.operands(2, c.in.operands.size()); }},
    {"first.half", [](const Context& c) -> Result<std::string> { return c.operands(0, c.in.operands.size() / 2); }},
    {"last.half", [](const Context& c) -> Result<std::string> { return c.operands((c.in.operands.size() + 1) / 2, c.in.operands.size()); }},
    {"type", [](const Context& c) -> Result<std::string> { return typeName(c.language, c.in.shape->type); }},
    {"type.1", [](const Context& c) -> Result<std::string> { return typeName(c.language, c.part(1).type); }},
    {"sizes", [](const Context& c) -> Result<std::string> { return c.ints(c.in.shape->dimensions); }},
    {"sizes.1", [](const Context& c) -> Result<std::string> { return c.ints(c.part(1).dimensions); }},
    {"shape", [](const Context& c) -> Result<std::string> { return shapeText(c.language, *c.in.shape); }},
    {"shape.0", [](const Context& c) -> Result<std::string> { return shapeText(c.language, c.part(0)); }},
    {"shape.1", [](const Context& c) -> Result<std::string> { return shapeText(c.language, c.part(1)); }},
    {"operand.shape", [](const Context& c) -> Result<std::string> { return shapeText(c.language, c.operandShape(0)); }},
    {"result", [](const Context& c) -> Result<std::string> { return shapeText(c.language, *c.in.shape); }},
    {"dimension", [](const Context& c) -> Result<std::string> { return firstDimension(c); }},
    {"all.dimensions", [](const Context& c) -> Result<std::string> { return allDimensions(c); }},
    {"reduced", [](const Context& c) -> Result<std::string> { return reducedDimensions(c); }},
    {"window.size", [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.size; }); }},
    {"window.stride", [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.stride; }); }},
    {"window.lhs_dilate", [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.baseDilation; }); }},
    {"window.rhs_dilate", [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.windowDilation; }); }},
    {"window.pad", [](const Context& c) -> Result<std::string> { return windowPad(c); }},
    {"window.reversal", [](const Context& c) -> Result<std::string> { return windowReversal(c); }},
    {"conv.lhs", [](const Context& c) -> Result<std::string> { const auto& l = labelsOf(c); return labels(c, l.inputBatch, l.inputFeature, l.inputSpatial); }},
    {"conv.rhs", [](const Context& c) -> Result<std::string> { const auto& l = labelsOf(c); return labels(c, l.kernelOutput, l.kernelInput, l.kernelSpatial); }},
    {"conv.out", [](const Context& c) -> Result<std::string> { const auto& l = labelsOf(c); return labels(c, l.outputBatch, l.outputFeature, l.outputSpatial); }},
    {"conv.kernel", [](const Context& c) -> Result<std::string> { return kernel(c); }},
    {"precision", [](const Context& c) -> Result<std::string> { return precision(c); }},
    {"slice.starts", [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.start; }); }},
    {"slice.limits", [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.limit; }); }},
    {"slice.strides", [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.stride; }); }},
    {"padding", [](const Context& c) -> Result<std::string> { return padding(c); }},
    {"branches", branches},
    {"comparison", [](const Context& c) -> Result<std::string> { return comparison(c); }},
    {"groups", groups},
    {"channel", [](const Context& c) -> Result<std::string> { return channel(c); }},
    {"shard.count", shardCount},
    {"transpose", transposeFlags},
    {"algorithm.upper", [](const Context& c) -> Result<std::string> { return upper(c.attributes().textOr(Attr::algorithm, "rng_default")); }},
    {"distribution.upper", [](const Context& c) -> Result<std::string> { return camel(c.attributes().textOr(Attr::distribution, "rng_uniform")); }},
    {"target", [](const Context& c) -> Result<std::string> { return quoted(c.attributes().textOr(Attr::custom_call_target, "")); }},
    {"opaque", [](const Context& c) -> Result<std::string> { return opaque(c); }},
    {"layouts", [](const Context& c) -> Result<std::string> { return customCallLayouts(c); }},
};

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
  Result<std::string> operator()(const T&) const { return noForm(c.in, c.language, "of one of its attributes"); }
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
    case AttributeKind::Int: return std::string(text.empty() ? (attr == Attr::feature_group_count || attr == Attr::batch_group_count ? "1" : "0") : text);
    case AttributeKind::Ints: return c.ints({});
    default: return std::string(text);
  }
}

Result<std::string> resolve(std::string_view name, const Context& c) {
  for (const NamedWord& word : kWords)
    if (word.name == name) return word.word(c);
  size_t number = 0;
  if (const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number); error == std::errc()) return c.operand(number);
  const auto attr = attrFromName(name);
  if (!attr) return noForm(c.in, c.language, "of its part " + std::string(name));
  const AttributeValue* value = c.attributes().find(*attr);
  return value ? std::visit(AttributeText{c}, *value) : absent(c, *attr);
}

}  // namespace

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
      {"pred", "np.bool_"}, {"bf16", "jnp.bfloat16"}, {"f16", "np.float16"}, {"f32", "np.float32"}, {"f64", "np.float64"}, {"c64", "np.complex64"}, {"c128", "np.complex128"}};
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
    return language == Language::Python ? "[" + list.substr(1, list.size() - 2) + "]" : "xla::ShapeUtil::MakeTupleShape(" + list + ")";
  }
  if (!shape.isArray()) return language == Language::Python ? "None" : "xla::ShapeUtil::MakeTokenShape()";
  if (language == Language::Python) return "(" + typeName(language, shape.type) + ", " + intsOf(language, shape.dimensions) + ")";
  return "xla::ShapeUtil::MakeShape(" + typeName(language, shape.type) + ", " + intsOf(language, shape.dimensions) + ")";
}

Result<std::string> fillIn(std::string_view text, const Module& module, const Instruction& instruction, Language language,
                           const Names& names) {
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
  Diagnostic d;
  d.fault = Fault::Unsupported;
  d.instruction = instruction.id;
  d.instructionName = std::string(instruction.name);
  d.position = instruction.position;
  d.message = std::string(language == Language::Python ? "jax.lax" : "XlaBuilder") + " has no form for %" + std::string(instruction.name) + " (" +
              std::string(instruction.opcodeName()) + ")" + (why.empty() ? "" : ": " + why);
  return std::unexpected(std::move(d));
}

}  // namespace tessera::code
