// Dots, convolutions, windows, transforms and linear algebra: operations with numbers of dimensions and options.
#include <algorithm>

#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

// precision = [DEFAULT, HIGHEST] or precision_config; nothing when all are default.
Status setPrecision(const Lowering& l, AttributeSet& out, const Operation& op) {
  const Attribute* given = findAny(op, {"precision", "precision_config"});
  if (!given) return {};
  std::vector<std::string> words;
  bool any = false;
  for (const Attribute& item : given->items) {
    TESSERA_ASSIGN_OR_RETURN(std::string word,
                             l.oneOf(op, wordOf(&item), item.offset, "precision", "DEFAULT HIGH HIGHEST"));
    any |= word != "DEFAULT";
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    words.push_back(std::move(word));
  }
  if (any) out.set(Attr::operand_precision, std::move(words));
  return {};
}

// The algorithms of a dot as HLO names them.
struct AlgorithmRow {
  std::string_view lhs, rhs, accumulate;
  int64_t operations;
  std::string_view name;
};
constexpr AlgorithmRow kAlgorithms[] = {
    {"f16", "f16", "f16", 1, "dot_f16_f16_f16"},        {"f16", "f16", "f32", 1, "dot_f16_f16_f32"},
    {"bf16", "bf16", "bf16", 1, "dot_bf16_bf16_bf16"},  {"bf16", "bf16", "f32", 1, "dot_bf16_bf16_f32"},
    {"bf16", "bf16", "f32", 3, "dot_bf16_bf16_f32_x3"}, {"bf16", "bf16", "f32", 6, "dot_bf16_bf16_f32_x6"},
    {"bf16", "bf16", "f32", 9, "dot_bf16_bf16_f32_x9"}, {"tf32", "tf32", "f32", 1, "dot_tf32_tf32_f32"},
    {"tf32", "tf32", "f32", 3, "dot_tf32_tf32_f32_x3"}, {"f32", "f32", "f32", 1, "dot_f32_f32_f32"},
    {"f64", "f64", "f64", 1, "dot_f64_f64_f64"},
};

bool isFloat8(std::string_view type) { return type.starts_with("f8"); }

std::string algorithmNamed(std::string_view lhs, std::string_view rhs, std::string_view accumulate, int64_t operations,
                           bool imprecise) {
  if (isFloat8(lhs) && isFloat8(rhs) && accumulate == "f32" && operations == 1)
    return imprecise ? "dot_any_f8_any_f8_f32_fast_accum" : "dot_any_f8_any_f8_f32";
  for (const AlgorithmRow& row : kAlgorithms)
    if (row.lhs == lhs && row.rhs == rhs && row.accumulate == accumulate && row.operations == operations && !imprecise)
      return std::string(row.name);
  return {};
}

Status setAlgorithm(const Lowering& l, AttributeSet& out, const Operation& op) {
  const Attribute* given = op.find("algorithm");
  if (!given || given->entries.empty()) return {};
  auto type = [&](std::string_view name) {
    const Attribute* one = given->find(name);
    return !one ? std::string() : one->type ? std::string(nameOf(one->type->type)) : one->text;
  };
  auto number = [&](std::string_view name, int64_t otherwise) {
    const Attribute* one = given->find(name);
    return !one ? otherwise : one->kind == Attribute::Kind::Bool ? int64_t{one->boolean} : one->integer;
  };
  const int64_t operations = number("num_primitive_operations", 1);
  const std::string lhs = type("lhs_precision_type"), rhs = type("rhs_precision_type"),
                    accumulate = type("accumulation_type");
  std::string name = algorithmNamed(lhs, rhs, accumulate, operations, number("allow_imprecise_accumulation", 0) != 0);
  if (name.empty())
    return l.fault(op, "HLO has no such algorithm", "for example tf32, tf32, f32 with 3 operations",
                   lhs + ", " + rhs + ", " + accumulate + " with " + std::to_string(operations));
  out.set(Attr::algorithm, std::move(name));
  return {};
}

// Both sides' dimensions: [1] x [0], or two entries of #stablehlo.dot<…>.
void setSides(AttributeSet& out, const Operation& op, std::string_view pretty, const Attribute* numbers,
              std::string_view field, Attr lhs, Attr rhs, bool always) {
  std::vector<int64_t> left, right;
  if (const Attribute* both = op.find(pretty); both && both->items.size() == 2) {
    left = integersOf(&both->items[0]);
    right = integersOf(&both->items[1]);
  } else if (numbers) {
    left = integersOf(numbers->find("lhs_" + std::string(field)));
    right = integersOf(numbers->find("rhs_" + std::string(field)));
  }
  if (!always && left.empty() && right.empty()) return;
  out.set(lhs, std::move(left));
  out.set(rhs, std::move(right));
}

Status lowerDotGeneral(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* numbers = op.find("dot_dimension_numbers");
  AttributeSet attributes;
  setSides(attributes, op, "batching_dims", numbers, "batching_dimensions", Attr::lhs_batch_dims, Attr::rhs_batch_dims,
           false);
  setSides(attributes, op, "contracting_dims", numbers, "contracting_dimensions", Attr::lhs_contracting_dims,
           Attr::rhs_contracting_dims, true);
  TESSERA_TRY(setPrecision(l, attributes, op));
  TESSERA_TRY(setAlgorithm(l, attributes, op));
  return l.emit(op, opcode, operands, std::move(attributes));
}

// dot contracts the last dimension of the left with the first of the right.
Status lowerDot(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::lhs_contracting_dims,
                 std::vector<int64_t>{std::max<int64_t>(l.shapeOf(operands[0]).rank() - 1, 0)});
  attributes.set(Attr::rhs_contracting_dims, std::vector<int64_t>{0});
  TESSERA_TRY(setPrecision(l, attributes, op));
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerRaggedDot(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* numbers = op.find("ragged_dot_dimension_numbers");
  if (!numbers) return l.fault(op, "the dimension numbers are missing");
  AttributeSet attributes;
  setSides(attributes, op, "", numbers, "batching_dimensions", Attr::lhs_batch_dims, Attr::rhs_batch_dims, false);
  setSides(attributes, op, "", numbers, "contracting_dimensions", Attr::lhs_contracting_dims,
           Attr::rhs_contracting_dims, true);
  attributes.set(Attr::lhs_ragged_dims, integersOf(numbers->find("lhs_ragged_dimensions")));
  attributes.set(Attr::rhs_group_dims, integersOf(numbers->find("rhs_group_dimensions")));
  TESSERA_TRY(setPrecision(l, attributes, op));
  return l.emit(op, opcode, operands, std::move(attributes));
}

// [b, 0, 1, f] as "b01f", its letters' places into the dimensions.
bool readLabels(const Attribute& list, char firstLetter, char secondLetter, int64_t& first, int64_t& second,
                std::vector<int64_t>& spatial, std::string& text) {
  spatial.assign(list.items.size() >= 2 ? list.items.size() - 2 : 0, -1);
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Attribute& item = list.items[i];
    const std::string label = item.kind == Attribute::Kind::Int ? std::to_string(item.integer) : item.text;
    text += label;
    if (label == std::string(1, firstLetter))
      first = static_cast<int64_t>(i);
    else if (label == std::string(1, secondLetter))
      second = static_cast<int64_t>(i);
    else if (item.kind == Attribute::Kind::Int && item.integer >= 0 &&
             static_cast<size_t>(item.integer) < spatial.size())
      spatial[static_cast<size_t>(item.integer)] = static_cast<int64_t>(i);
    else
      return false;
  }
  return first >= 0 && second >= 0 && std::ranges::find(spatial, -1) == spatial.end();
}

bool readConvolutionDimensions(const Attribute& labels, ConvolutionDimensions& out) {
  if (labels.items.size() != 3) return false;
  bool good = readLabels(labels.items[0], 'b', 'f', out.inputBatch, out.inputFeature, out.inputSpatial, out.text);
  out.text += '_';
  good = good && readLabels(labels.items[1], 'i', 'o', out.kernelInput, out.kernelOutput, out.kernelSpatial, out.text);
  out.text += "->";
  good = good && readLabels(labels.items[2], 'b', 'f', out.outputBatch, out.outputFeature, out.outputSpatial, out.text);
  return good && out.inputSpatial.size() == out.kernelSpatial.size() &&
         out.inputSpatial.size() == out.outputSpatial.size();
}

// #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]> has its lists as text.
Attribute labelsOf(const Operation& op) {
  Attribute out;
  const Attribute* given = findAny(op, {"dim_numbers", "dimension_numbers"});
  if (!given) return out;
  if (given->kind != Attribute::Kind::Raw) return *given;
  Attribute* list = nullptr;
  for (char c : given->text) {
    if (c == '[') list = &out.items.emplace_back();
    if (c == ']') list = nullptr;
    if (!list || c == '[' || c == ',' || c == ' ') continue;
    Attribute& label = list->items.emplace_back();
    const bool digit = c >= '0' && c <= '9';
    label.kind = digit ? Attribute::Kind::Int : Attribute::Kind::Word;
    label.integer = digit ? c - '0' : 0;
    label.text = std::string(1, c);
  }
  return out;
}

// The value of one dimension in a list that may be left out.
int64_t at(const std::vector<int64_t>& list, size_t d, int64_t otherwise) {
  return d < list.size() ? list[d] : otherwise;
}

Status lowerConvolution(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  ConvolutionDimensions dimensions;
  if (!readConvolutionDimensions(labelsOf(op), dimensions))
    return l.fault(op, "the dimension numbers are not understood", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
  const Attribute* given = op.find("window");
  auto part = [&](std::string_view pretty, std::string_view generic) {
    return given ? given->find(pretty) : op.find(generic);
  };
  const std::vector<int64_t> strides = integersOf(part("stride", "window_strides")),
                             lhsDilation = integersOf(part("lhs_dilate", "lhs_dilation")),
                             rhsDilation = integersOf(part("rhs_dilate", "rhs_dilation")),
                             reversal = integersOf(part("reverse", "window_reversal"));
  const std::vector<std::vector<int64_t>> padding = integerRows(part("pad", "padding"));
  const Shape& kernel = l.shapeOf(operands[1]);
  Window window;
  for (size_t d = 0; d < dimensions.kernelSpatial.size(); ++d) {
    if (dimensions.kernelSpatial[d] >= kernel.rank())
      return l.fault(op, "the dimension numbers do not match the kernel");
    WindowDimension& w = window.dimensions.emplace_back();
    w.size = kernel.dimensions[static_cast<size_t>(dimensions.kernelSpatial[d])];
    w.stride = at(strides, d, 1);
    w.baseDilation = at(lhsDilation, d, 1);
    w.windowDilation = at(rhsDilation, d, 1);
    w.reversal = at(reversal, d, 0) != 0;
    if (d < padding.size()) w.paddingLow = at(padding[d], 0, 0), w.paddingHigh = at(padding[d], 1, 0);
  }
  AttributeSet attributes;
  if (!window.dimensions.empty()) attributes.set(Attr::window, std::move(window));
  attributes.set(Attr::dim_labels, Boxed<ConvolutionDimensions>(std::move(dimensions)));
  if (int64_t groups = integer(op, {"feature_group_count"}, 1); groups != 1)
    attributes.set(Attr::feature_group_count, groups);
  if (int64_t groups = integer(op, {"batch_group_count"}, 1); groups != 1)
    attributes.set(Attr::batch_group_count, groups);
  TESSERA_TRY(setPrecision(l, attributes, op));
  return l.emit(op, opcode, operands, std::move(attributes));
}

Window windowOf(const Operation& op) {
  const std::vector<int64_t> sizes = integers(op, {"window_dimensions"}), strides = integers(op, {"window_strides"}),
                             base = integers(op, {"base_dilations"}), dilations = integers(op, {"window_dilations"});
  const std::vector<std::vector<int64_t>> padding = integerRows(op.find("padding"));
  Window out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    WindowDimension& w = out.dimensions.emplace_back();
    w.size = sizes[d];
    w.stride = at(strides, d, 1);
    w.baseDilation = at(base, d, 1);
    w.windowDilation = at(dilations, d, 1);
    if (d < padding.size()) w.paddingLow = at(padding[d], 0, 0), w.paddingHigh = at(padding[d], 1, 0);
  }
  return out;
}

Status lowerReduceWindow(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::window, windowOf(op));
  TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.regionComputation(op, 0, "window_region"));
  attributes.set(Attr::to_apply, body);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerSelectAndScatter(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::window, windowOf(op));
  TESSERA_ASSIGN_OR_RETURN(ComputationId select, l.regionComputation(op, 0, "select_region"));
  TESSERA_ASSIGN_OR_RETURN(ComputationId scatter, l.regionComputation(op, 1, "scatter_region"));
  attributes.set(Attr::select, select);
  attributes.set(Attr::scatter, scatter);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerFft(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  AttributeSet attributes;
  TESSERA_ASSIGN_OR_RETURN(std::string type, l.choice(op, {"fft_type", "type"}, "FFT IFFT RFFT IRFFT"));
  attributes.set(Attr::fft_type, std::move(type));
  attributes.set(Attr::fft_length, integers(op, {"length", "fft_length"}));
  return l.emit(op, opcode, {id}, std::move(attributes));
}

Status lowerCholesky(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  AttributeSet attributes;
  if (boolean(op, {"lower"}, false)) attributes.set(Attr::lower, true);
  return l.emit(op, opcode, {id}, std::move(attributes));
}

Status lowerTriangularSolve(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  if (boolean(op, {"left_side"}, false)) attributes.set(Attr::left_side, true);
  if (boolean(op, {"lower"}, false)) attributes.set(Attr::lower, true);
  if (boolean(op, {"unit_diagonal"}, false)) attributes.set(Attr::unit_diagonal, true);
  TESSERA_ASSIGN_OR_RETURN(std::string transpose,
                           l.choice(op, {"transpose_a"}, "NO_TRANSPOSE TRANSPOSE ADJOINT", "NO_TRANSPOSE"));
  attributes.set(Attr::transpose_a, std::move(transpose));
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerBatchNorm(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::epsilon, real(op, {"epsilon"}, 0));
  attributes.set(Attr::feature_index, integer(op, {"feature_index"}, 0));
  return l.emit(op, opcode, operands, std::move(attributes));
}

const LoweringRow kContractionRows[] = {
    {"dot_general", 2, Opcode::Dot, lowerDotGeneral},
    {"dot", 2, Opcode::Dot, lowerDot},
    {"chlo.ragged_dot", 3, Opcode::RaggedDot, lowerRaggedDot},
    {"convolution", 2, Opcode::Convolution, lowerConvolution},
    {"reduce_window", 2, Opcode::ReduceWindow, lowerReduceWindow},
    {"select_and_scatter", 3, Opcode::SelectAndScatter, lowerSelectAndScatter},
    {"fft", 1, Opcode::Fft, lowerFft},
    {"cholesky", 1, Opcode::Cholesky, lowerCholesky},
    {"triangular_solve", 2, Opcode::TriangularSolve, lowerTriangularSolve},
    {"batch_norm_training", 3, Opcode::BatchNormTraining, lowerBatchNorm},
    {"batch_norm_inference", 5, Opcode::BatchNormInference, lowerBatchNorm},
    {"batch_norm_grad", 5, Opcode::BatchNormGrad, lowerBatchNorm},
};

}  // namespace

std::span<const LoweringRow> contractionRows() { return kContractionRows; }

}  // namespace tessera::mlir
