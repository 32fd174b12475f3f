// Rules of dot and convolution: what surrounds a product becomes part of it.
#include <algorithm>

#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

bool isPlainDot(const Instruction& in) {
  return in.operands.size() == 2 && !in.attributes->has(Attr::algorithm) &&
         !in.attributes->has(Attr::sparsity_config) && !in.attributes->has(Attr::operand_precision);
}

// dot(transpose(a), b): the dimension numbers can say it, as long as the free dimensions keep their order.
struct FoldedOperand {
  Id operand;
  std::vector<int64_t> batch, contracting;
};
std::optional<FoldedOperand> foldTranspose(const Module& module, Id id, const std::vector<int64_t>& batch,
                                           const std::vector<int64_t>& contracting) {
  const Instruction& from = module.at(id);
  if (from.opcode != Opcode::Transpose) return std::nullopt;
  const std::vector<int64_t>& permutation = from.attributes->ints(Attr::dimensions);
  FoldedOperand out{from.operands[0], {}, {}};
  std::vector<int64_t> free;
  for (size_t d = 0; d < permutation.size(); ++d) {
    auto is = [&](const std::vector<int64_t>& list) {
      return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
    };
    if (!is(batch) && !is(contracting)) free.push_back(permutation[d]);
  }
  if (!std::ranges::is_sorted(free)) return std::nullopt;
  for (int64_t d : batch) out.batch.push_back(permutation[static_cast<size_t>(d)]);
  for (int64_t d : contracting) out.contracting.push_back(permutation[static_cast<size_t>(d)]);
  // Batch dimensions stay in front: a library wants them outermost.
  if (!isIota(out.batch)) return std::nullopt;
  return out;
}
Id dotOfTranspose(Site& s) {
  if (s.in.operands.size() != 2) return {};
  const AttributeSet& a = *s.in.attributes;
  const auto lhs =
      foldTranspose(s.module, s.operand(0), a.ints(Attr::lhs_batch_dims), a.ints(Attr::lhs_contracting_dims));
  const auto rhs =
      foldTranspose(s.module, s.operand(1), a.ints(Attr::rhs_batch_dims), a.ints(Attr::rhs_contracting_dims));
  if (!lhs && !rhs) return {};
  // One side at a time: the other's turn comes when the rules look at the result.
  const FoldedOperand& folded = lhs ? *lhs : *rhs;
  AttributeSet attributes = a;
  if (!folded.batch.empty()) attributes.set(lhs ? Attr::lhs_batch_dims : Attr::rhs_batch_dims, folded.batch);
  if (!folded.contracting.empty())
    attributes.set(lhs ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims, folded.contracting);
  const Id first = lhs ? folded.operand : s.operand(0), second = lhs ? s.operand(1) : folded.operand;
  return s.make(Opcode::Dot, *s.in.shape, {first, second}, std::move(attributes), s.operand(lhs ? 0 : 1));
}
Id dotOfNothing(Site& s) {
  if (s.in.operands.size() != 2 || isComplex(s.type())) return {};
  const bool empty = s.shapeOf(s.operand(0)).elementCount() == 0 || s.shapeOf(s.operand(1)).elementCount() == 0;
  return empty ? s.filled(0) : Id();
}
// One product for each result element: a multiplication, which fuses with what surrounds it. The sum of a product
// begins with 0, so -0 becomes 0.
Id dotAsMultiply(Site& s) {
  if (!isPlainDot(s.in) || s.shapeOf(s.operand(0)).type != s.type() || s.shapeOf(s.operand(1)).type != s.type())
    return {};
  const ElementType type = s.type();
  const bool hasZero = isInteger(type) || type == ElementType::F16 || type == ElementType::BF16 ||
                       type == ElementType::F32 || type == ElementType::F64;
  if (!hasZero || s.in.shape->elementCount().value_or(0) == 0) return {};
  const AttributeSet& a = *s.in.attributes;
  for (int64_t d : a.ints(Attr::lhs_contracting_dims))
    if (s.shapeOf(s.operand(0)).dimensions[static_cast<size_t>(d)] != 1) return {};
  size_t next = a.ints(Attr::lhs_batch_dims).size();
  const auto side = [&](size_t i, Attr batchAttr, Attr contractingAttr) {
    const auto &batch = a.ints(batchAttr), &contracting = a.ints(contractingAttr);
    const Shape& x = s.shapeOf(s.operand(i));
    std::vector<int64_t> kept, places;
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (std::ranges::find(contracting, d) != contracting.end()) continue;
      const auto at = std::ranges::find(batch, d);
      kept.push_back(x.dimensions[static_cast<size_t>(d)]);
      places.push_back(at != batch.end() ? at - batch.begin() : static_cast<int64_t>(next++));
    }
    if (!std::ranges::is_sorted(places)) return Id();
    return s.broadcast(s.reshape(s.operand(i), withDimensions(x, kept)), *s.in.shape, places);
  };
  const Id lhs = side(0, Attr::lhs_batch_dims, Attr::lhs_contracting_dims);
  const Id rhs = lhs.valid() ? side(1, Attr::rhs_batch_dims, Attr::rhs_contracting_dims) : Id();
  if (!rhs.valid()) return {};
  const Id product = s.make(Opcode::Multiply, *s.in.shape, {lhs, rhs});
  return isFloat(s.type()) ? s.make(Opcode::Add, *s.in.shape, {s.filled(0), product}) : product;
}

bool hasForm(const Instruction& in) {
  return in.attributes->get<Window>(Attr::window) && in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
}
// A window of one element without steps: a product over the features. The results' order must be a dot's.
Id convolutionAsDot(Site& s) {
  if (!hasForm(s.in) || s.in.attributes->intOr(Attr::feature_group_count, 1) != 1 ||
      s.in.attributes->intOr(Attr::batch_group_count, 1) != 1)
    return {};
  if (s.in.attributes->has(Attr::operand_precision)) return {};
  for (const WindowDimension& w : windowOf(s.in).dimensions)
    if (w.size != 1 || w.stride != 1 || w.paddingLow != 0 || w.paddingHigh != 0 || w.baseDilation != 1) return {};
  const auto& labels = *s.in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const int64_t rank = s.in.shape->rank();
  // The place in the result of each dimension of the input.
  std::vector<int64_t> places(static_cast<size_t>(rank), -1), free;
  places[static_cast<size_t>(labels.inputBatch)] = labels.outputBatch;
  for (size_t i = 0; i < labels.inputSpatial.size(); ++i)
    places[static_cast<size_t>(labels.inputSpatial[i])] = labels.outputSpatial[i];
  for (int64_t d = 0; d < rank; ++d)
    if (d != labels.inputFeature) free.push_back(places[static_cast<size_t>(d)]);
  if (labels.outputFeature != rank - 1 || !isIota(free)) return {};
  const Shape& kernel = s.shapeOf(s.operand(1));
  const bool inputFirst = labels.kernelInput < labels.kernelOutput;
  const int64_t in = kernel.dimensions[static_cast<size_t>(labels.kernelInput)],
                out = kernel.dimensions[static_cast<size_t>(labels.kernelOutput)];
  const Id matrix =
      s.reshape(s.operand(1), withDimensions(kernel, inputFirst ? std::vector{in, out} : std::vector{out, in}));
  AttributeSet attributes;
  attributes.set(Attr::lhs_contracting_dims, std::vector{labels.inputFeature});
  attributes.set(Attr::rhs_contracting_dims, std::vector<int64_t>{inputFirst ? 0 : 1});
  return s.make(Opcode::Dot, *s.in.shape, {s.operand(0), matrix}, std::move(attributes));
}
// Zeros around the input are the window's padding.
Id convolutionOfPad(Site& s) {
  const Instruction& from = s.from(0);
  if (!hasForm(s.in) || from.opcode != Opcode::Pad || splatValue(s.module, from.operands[1]) != 0.0) return {};
  const auto& padding = *from.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
  const auto& labels = *s.in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const auto at = [&](int64_t d) -> const PaddingDimension& { return padding[static_cast<size_t>(d)]; };
  if (at(labels.inputBatch) != PaddingDimension{} || at(labels.inputFeature) != PaddingDimension{} ||
      !isPlainPadding(padding))
    return {};
  Window window = windowOf(s.in);
  for (size_t i = 0; i < labels.inputSpatial.size(); ++i) {
    const PaddingDimension& p = at(labels.inputSpatial[i]);
    WindowDimension& w = window.dimensions[i];
    if (p == PaddingDimension{}) continue;
    if (w.baseDilation != 1 || w.paddingLow < 0 || w.paddingHigh < 0) return {};
    w.paddingLow += p.low;
    w.paddingHigh += p.high;
  }
  AttributeSet attributes = *s.in.attributes;
  attributes.set(Attr::window, std::move(window));
  return s.make(Opcode::Convolution, *s.in.shape, {from.operands[0], s.operand(1)}, std::move(attributes), from.id);
}
// A kernel that is reversed along its spatial dimensions: the window says so.
Id convolutionOfReverse(Site& s) {
  const Instruction& from = s.from(1);
  if (!hasForm(s.in) || from.opcode != Opcode::Reverse) return {};
  const auto& labels = *s.in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  Window window = windowOf(s.in);
  for (int64_t d : from.attributes->ints(Attr::dimensions)) {
    const auto spatial = std::ranges::find(labels.kernelSpatial, d);
    if (spatial == labels.kernelSpatial.end()) return {};
    WindowDimension& w = window.dimensions[static_cast<size_t>(spatial - labels.kernelSpatial.begin())];
    w.reversal = !w.reversal;
  }
  AttributeSet attributes = *s.in.attributes;
  attributes.set(Attr::window, std::move(window));
  return s.make(Opcode::Convolution, *s.in.shape, {s.operand(0), from.operands[0]}, std::move(attributes), from.id);
}

constexpr Rule kProductRules[] = {
    {Opcode::Dot, "dot of nothing = 0", dotOfNothing},
    {Opcode::Dot, "dot over one element = multiply", dotAsMultiply},
    {Opcode::Dot, "dot(transpose x, y) = dot(x, y)", dotOfTranspose},
    {Opcode::Convolution, "convolution with one element = dot", convolutionAsDot},
    {Opcode::Convolution, "convolution(pad x) = convolution x", convolutionOfPad},
    {Opcode::Convolution, "convolution(reverse kernel) = reversed window", convolutionOfReverse},
};

}  // namespace

std::span<const Rule> productRules() { return kProductRules; }

}  // namespace tessera
