// Forms of the palette that reduce along dimensions or stay in the array's shape: means, spreads, norms, squares,
// activations.
#include <fmt/format.h>

#include <algorithm>

#include "core/edit/palette/palette_draft.h"
#include "core/hlo/element_type.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

using Input = Draft::Input;

Input floats(Draft& d) { return d.input(0, Shape::array(ElementType::F32, {4, 8}), "x"); }
bool isReal(const Input& x) { return isFloat(x.shape.type) && !isComplex(x.shape.type); }

// "axis=0,2", "axis=all"; the last one if the line gives none.
DraftSizes axesOf(const Draft& d, int64_t rank) {
  DraftSizes out;
  if (d.option("axis") == "all" || rank == 0) {
    for (int64_t k = 0; k < rank; ++k) out.push_back(k);
    return out;
  }
  for (int64_t axis : d.numbers("axis"))
    if (axis >= -rank && axis < rank) out.push_back(axis < 0 ? axis + rank : axis);
  if (out.empty()) out.push_back(rank - 1);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Shape without(const Shape& shape, const DraftSizes& axes) {
  DraftSizes left;
  for (size_t k = 0; k < shape.dimensions.size(); ++k)
    if (std::ranges::find(axes, static_cast<int64_t>(k)) == axes.end()) left.push_back(shape.dimensions[k]);
  return Shape::array(shape.type, left);
}

Input filled(Draft& d, const Shape& shape, const std::string& value) {
  const InstructionId number = d.constant(shape.type, value);
  if (shape.dimensions.empty()) return {number, shape};
  return {d.add(Opcode::Broadcast, {number}, {{Attr::dimensions, "{}"}}, shape), shape};
}

Input reduced(Draft& d, const Input& x, const DraftSizes& axes, Opcode opcode) {
  if (axes.empty()) return x;
  const InstructionId start = d.constant(x.shape.type, opcode == Opcode::Add ? "0" : "-inf");
  return {d.add(Opcode::Reduce, {x.id, start},
                {{Attr::dimensions, listOf(axes)}, {Attr::to_apply, d.reducer(opcode, x.shape.type)}}),
          without(x.shape, axes)};
}

// Back to the shape that was reduced.
Input spread(Draft& d, const Input& y, const Shape& to, const DraftSizes& axes) {
  if (axes.empty()) return y;
  DraftSizes places;
  for (size_t k = 0; k < to.dimensions.size(); ++k)
    if (std::ranges::find(axes, static_cast<int64_t>(k)) == axes.end()) places.push_back(static_cast<int64_t>(k));
  return {d.add(Opcode::Broadcast, {y.id}, {{Attr::dimensions, listOf(places)}}, to), to};
}

Input binary(Draft& d, Opcode opcode, const Input& x, const Input& y) { return {d.add(opcode, {x.id, y.id}), x.shape}; }
Input unary(Draft& d, Opcode opcode, const Input& x) { return {d.add(opcode, {x.id}), x.shape}; }

Input meanOf(Draft& d, const Input& x, const DraftSizes& axes) {
  int64_t count = 1;
  for (int64_t axis : axes) count *= x.shape.dimensions[static_cast<size_t>(axis)];
  const Input sum = reduced(d, x, axes, Opcode::Add);
  return binary(d, Opcode::Divide, sum, filled(d, sum.shape, std::to_string(std::max<int64_t>(count, 1))));
}

Input varianceOf(Draft& d, const Input& x, const DraftSizes& axes) {
  const Input centred = binary(d, Opcode::Subtract, x, spread(d, meanOf(d, x, axes), x.shape, axes));
  return meanOf(d, binary(d, Opcode::Multiply, centred, centred), axes);
}

void mean(Draft& d) {
  if (const Input x = floats(d); isReal(x)) meanOf(d, x, axesOf(d, x.shape.rank()));
}
void variance(Draft& d) {
  if (const Input x = floats(d); isReal(x)) varianceOf(d, x, axesOf(d, x.shape.rank()));
}
void deviation(Draft& d) {
  if (const Input x = floats(d); isReal(x)) unary(d, Opcode::Sqrt, varianceOf(d, x, axesOf(d, x.shape.rank())));
}
void norm(Draft& d) {
  const Input x = floats(d);
  if (!isReal(x)) return;
  unary(d, Opcode::Sqrt, reduced(d, binary(d, Opcode::Multiply, x, x), axesOf(d, x.shape.rank()), Opcode::Add));
}
// The largest is taken out first, so that no power overflows.
void logSumExp(Draft& d) {
  const Input x = floats(d);
  if (!isReal(x)) return;
  const DraftSizes axes = axesOf(d, x.shape.rank());
  const Input most = reduced(d, x, axes, Opcode::Maximum);
  const Input powers = unary(d, Opcode::Exponential, binary(d, Opcode::Subtract, x, spread(d, most, x.shape, axes)));
  binary(d, Opcode::Add, unary(d, Opcode::Log, reduced(d, powers, axes, Opcode::Add)), most);
}

void square(Draft& d) {
  const Input x = floats(d);
  binary(d, Opcode::Multiply, x, x);
}
void reciprocal(Draft& d) {
  const Input x = floats(d);
  binary(d, Opcode::Divide, filled(d, x.shape, "1"), x);
}

void silu(Draft& d) {
  if (const Input x = floats(d); isReal(x)) binary(d, Opcode::Multiply, x, unary(d, Opcode::Logistic, x));
}
void leakyRelu(Draft& d) {
  const Input x = floats(d);
  if (!isReal(x)) return;
  const std::string slope = d.entry.literal.empty() ? "0.01" : d.entry.literal;
  binary(d, Opcode::Maximum, x, binary(d, Opcode::Multiply, x, filled(d, x.shape, slope)));
}

constexpr const char *kReductions = "Reduction", *kActivations = "Layers", *kElementwise = "Elementwise";
constexpr DraftForm kStatistics[] = {
    {"reduce mean", kReductions, "The mean along the last dimension (axis=, axis=all)",
     "mean average axis=", Opcode::Divide, mean},
    {"variance", kReductions, "The mean squared distance from the mean, along the last dimension (axis=)",
     "var moments axis=", Opcode::Divide, variance},
    {"standard deviation", kReductions, "The root of the variance, along the last dimension (axis=)",
     "std stddev axis=", Opcode::Sqrt, deviation},
    {"norm", kReductions, "The root of the sum of squares, along the last dimension (axis=)",
     "l2 euclidean length axis=", Opcode::Sqrt, norm},
    {"logsumexp", kReductions, "The logarithm of the sum of powers, along the last dimension (axis=)",
     "log-sum-exp log_sum_exp axis=", Opcode::Add, logSumExp},
    {"square", kElementwise, "x · x", "squared sqr x^2 x*x", Opcode::Multiply, square},
    {"reciprocal", kElementwise, "1 / x", "inverse inv 1/x", Opcode::Divide, reciprocal},
    {"silu", kActivations, "x · sigmoid(x)", "swish activation", Opcode::Multiply, silu},
    {"leaky relu", kActivations, "The larger of x and a part of it: leaky relu 0.1", "leaky_relu activation #",
     Opcode::Maximum, leakyRelu},
};

}  // namespace

std::span<const DraftForm> statisticsForms() { return kStatistics; }

}  // namespace tessera
