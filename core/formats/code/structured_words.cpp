// Words of operands, shapes, windows, dimension numbers and computations: parts of structured attributes by name.
#include <algorithm>

#include "core/formats/code/word_context.h"

namespace tessera::code {
namespace {

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

// jax.lax has no window reversal; the kernel is reversed before.
std::string kernel(const Context& c) {
  Ints reversed;
  const auto& window = windowOf(c).dimensions;
  for (size_t i = 0; i < window.size() && i < labelsOf(c).kernelSpatial.size(); ++i)
    if (window[i].reversal) reversed.push_back(labelsOf(c).kernelSpatial[i]);
  return reversed.empty() ? c.operand(1) : "lax.rev(" + c.operand(1) + ", " + c.ints(reversed) + ")";
}

std::string precision(const Context& c) {
  const auto algorithm = c.attributes().textOr(Attr::algorithm, "");
  const auto* words = c.attributes().get<std::vector<std::string>>(Attr::operand_precision);
  std::vector<std::string> items;
  if (!c.python()) {
    for (const std::string& word : words ? *words : std::vector<std::string>())
      items.push_back("xla::PrecisionConfig::" + upper(word));
    return "Precision(" + listOf(c.language, items) +
           (algorithm.empty() ? "" : ", xla::PrecisionConfig::ALG_" + upper(algorithm)) + ")";
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
  if (!c.python() && !cases && functions.size() == 2)
    return operands[0] + ", " + functions[0] + ", " + operands[1] + ", " + functions[1];
  return (c.python() ? "" : "Branches(") + listOf(c.language, functions) + (c.python() ? "" : ")") + ", " +
         listOf(c.language, operands);
}

std::string comparison(const Context& c) {
  const auto direction = c.attributes().textOr(Attr::direction, "EQ"), type = c.attributes().textOr(Attr::type, "");
  std::string name = upper(direction);
  std::ranges::transform(name, name.begin(), [](char ch) { return static_cast<char>(ch - 'A' + 'a'); });
  const bool total = type == "TOTALORDER";
  if (c.python()) return total ? "total_" + name : "lax." + name;
  return camel(name) + (total ? "TotalOrder" : "");
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

// Along the dimension of the first input, or of the first result where there is none.
Result<std::string> scanSteps(const Context& c) {
  const auto d =
      static_cast<size_t>(c.attributes().ints(Attr::dimensions).empty() ? 0 : c.attributes().ints(Attr::dimensions)[0]);
  const bool hasInputs = static_cast<int64_t>(c.in.operands.size()) > c.attributes().intOr(Attr::num_carries, 0);
  const Shape& shape = hasInputs ? c.operandShape(0) : c.part(0);
  if (!shape.isArray() || d >= shape.dimensions.size())
    return noForm(c.in, c.language, "the number of its steps is not known");
  return std::to_string(shape.dimensions[d]);
}

const NamedWord kStructuredWords[] = {
    {"*",
     [](const Context& c) -> Result<std::string> {
       std::string out;
       for (size_t i = 0; i < c.in.operands.size(); ++i) out += (i ? ", " : "") + c.operand(i);
       return out;
     }},
    {"operands", [](const Context& c) -> Result<std::string> { return c.operands(0, c.in.operands.size()); }},
    {"rest.1", [](const Context& c) -> Result<std::string> { return c.operands(1, c.in.operands.size()); }},
    {"rest.2", [](const Context& c) -> Result<std::string> { return c.operands(2, c.in.operands.size()); }},
    {"first.half", [](const Context& c) -> Result<std::string> { return c.operands(0, c.in.operands.size() / 2); }},
    {"last.half",
     [](const Context& c) -> Result<std::string> {
       return c.operands((c.in.operands.size() + 1) / 2, c.in.operands.size());
     }},
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
    {"window.size",
     [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.size; }); }},
    {"window.stride",
     [](const Context& c) -> Result<std::string> { return windowInts(c, [](const auto& d) { return d.stride; }); }},
    {"window.lhs_dilate",
     [](const Context& c) -> Result<std::string> {
       return windowInts(c, [](const auto& d) { return d.baseDilation; });
     }},
    {"window.rhs_dilate",
     [](const Context& c) -> Result<std::string> {
       return windowInts(c, [](const auto& d) { return d.windowDilation; });
     }},
    {"window.pad", [](const Context& c) -> Result<std::string> { return windowPad(c); }},
    {"window.reversal", [](const Context& c) -> Result<std::string> { return windowReversal(c); }},
    {"conv.lhs",
     [](const Context& c) -> Result<std::string> {
       const auto& l = labelsOf(c);
       return labels(c, l.inputBatch, l.inputFeature, l.inputSpatial);
     }},
    {"conv.rhs",
     [](const Context& c) -> Result<std::string> {
       const auto& l = labelsOf(c);
       return labels(c, l.kernelOutput, l.kernelInput, l.kernelSpatial);
     }},
    {"conv.out",
     [](const Context& c) -> Result<std::string> {
       const auto& l = labelsOf(c);
       return labels(c, l.outputBatch, l.outputFeature, l.outputSpatial);
     }},
    {"conv.kernel", [](const Context& c) -> Result<std::string> { return kernel(c); }},
    {"precision", [](const Context& c) -> Result<std::string> { return precision(c); }},
    {"slice.starts",
     [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.start; }); }},
    {"slice.limits",
     [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.limit; }); }},
    {"slice.strides",
     [](const Context& c) -> Result<std::string> { return sliceInts(c, [](const auto& s) { return s.stride; }); }},
    {"padding", [](const Context& c) -> Result<std::string> { return padding(c); }},
    {"branches", branches},
    {"comparison", [](const Context& c) -> Result<std::string> { return comparison(c); }},
    {"transpose", transposeFlags},
    {"algorithm.upper",
     [](const Context& c) -> Result<std::string> {
       return upper(c.attributes().textOr(Attr::algorithm, "rng_default"));
     }},
    {"distribution.upper",
     [](const Context& c) -> Result<std::string> {
       return camel(c.attributes().textOr(Attr::distribution, "rng_uniform"));
     }},
    {"target",
     [](const Context& c) -> Result<std::string> {
       return quoted(c.attributes().textOr(Attr::custom_call_target, ""));
     }},
    {"opaque", [](const Context& c) -> Result<std::string> { return opaque(c); }},
    {"is.tuple", [](const Context& c) -> Result<std::string> { return c.truth(c.in.shape->isTuple()); }},
    {"scan.steps", scanSteps},
    {"scatter.indices", [](const Context& c) -> Result<std::string> { return c.operand(c.in.operands.size() / 2); }},
    {"layouts", [](const Context& c) -> Result<std::string> { return customCallLayouts(c); }},
};

}  // namespace

std::span<const NamedWord> structuredWords() { return kStructuredWords; }

}  // namespace tessera::code
