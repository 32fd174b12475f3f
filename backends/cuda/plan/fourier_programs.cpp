// See fourier_programs.h.
#include "backends/cuda/plan/fourier_programs.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"

namespace tessera::cuda {

namespace {

// What a line is on one side of a pass.
enum class Side : uint8_t { Complex, Half, Real };

struct Pass {
  std::vector<int64_t> dims;  // of whole complex lines
  size_t dimension = 0;
  int64_t stride = 1, radix = 1;  // product of the radices before; of this pass
  Side in = Side::Complex, out = Side::Complex;
  bool inverse = false, isLast = false;  // isLast: an inverse one is scaled
  int64_t length() const { return dims[dimension]; }
};

// Factors of at most 16 where there are such, the large ones first.
std::vector<int64_t> radicesOf(int64_t length) {
  std::vector<int64_t> out;
  for (const int64_t radix : {16, 8, 4, 2, 15, 9, 5, 3, 7, 11, 13})
    for (; length % radix == 0; length /= radix) out.push_back(radix);
  for (int64_t radix = 17; radix * radix <= length; radix += 2)
    for (; length % radix == 0; length /= radix) out.push_back(radix);
  if (length > 1 || out.empty()) out.push_back(length);
  return out;
}

// e^(2πi·k/length); quarters of a turn are exact.
std::complex<double> rootOf(int64_t k, int64_t length) {
  constexpr std::complex<double> kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  if (4 * k % length == 0) return kQuarters[4 * k / length];
  return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
}

template <class Part>
std::string rootsOf(int64_t length, bool inverse) {
  std::vector<std::complex<Part>> roots(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) {
    const std::complex<double> root = rootOf(k, length);
    roots[static_cast<size_t>(k)] = std::complex<Part>(inverse ? root : std::conj(root));
  }
  return {reinterpret_cast<const char*>(roots.data()), roots.size() * sizeof roots[0]};
}

class PassBuilder {
 public:
  PassBuilder(const Pass& pass, ElementType complex)
      : pass_(pass),
        complex_(complex),
        part_(complex == ElementType::C64 ? ElementType::F32 : ElementType::F64),
        b({shapeOf(pass.in), Shape::arrayRowMajor(complex, {pass.length()})}, shapeOf(pass.out).dimensions) {}

  // Element o = q + s · (radix · p + r) of the output is the sum over t of element q + s · (p + m · t) of the
  // input, m = length / (s · radix), times root number r · (t · m + p) · s.
  LoopProgram make() {
    for (size_t d = 0; d < pass_.dims.size(); ++d) own_.push_back(b.outputIndex(static_cast<int64_t>(d)));
    const int64_t length = pass_.length(), others = length / (pass_.stride * pass_.radix);
    const NodeId place = own_[pass_.dimension], s = number(pass_.stride);
    const NodeId q = b.remainder(place, s), rest = b.divide(place, s);
    const NodeId r = b.remainder(rest, number(pass_.radix)), p = b.divide(rest, number(pass_.radix));
    const auto add = [&](std::span<const NodeId> at, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
      const NodeId step = b.add(p, b.multiply(at[0], number(others)));
      const NodeId root = b.remainder(b.multiply(b.multiply(r, step), s), number(length));
      return std::vector<NodeId>{b.add(sums[0], term(b.add(q, b.multiply(step, s)), b.read(1, std::vector{root})))};
    };
    const auto sums = b.loop({pass_.radix}, {b.zero(complex_)}, add);
    return storeProgram(b, {shapeOf(pass_.out)}, {{0, own_, {}, output(sums->front())}},
                        static_cast<int64_t>(own_.size()));
  }

 private:
  Shape shapeOf(Side side) const {
    std::vector<int64_t> dims = pass_.dims;
    if (side == Side::Half) dims[pass_.dimension] = pass_.length() / 2 + 1;
    return Shape::arrayRowMajor(side == Side::Real ? part_ : complex_, std::move(dims));
  }
  NodeId number(int64_t value) { return b.index(value); }

  // A line's element times a root. Of a real one, an infinity leaves the part alone in which the root is 0.
  NodeId term(NodeId place, NodeId root) {
    if (pass_.in != Side::Real) return b.multiply(input(place), root);
    std::vector<NodeId> at = own_;
    at[pass_.dimension] = place;
    const NodeId value = b.read(0, at), zero = b.zero(part_);
    const auto part = [&](NodeOp which) {
      const NodeId factor = b.unary(which, root);
      return b.select(b.compare(CompareDirection::Eq, factor, zero), zero, b.multiply(value, factor));
    };
    return b.makeComplex(part(NodeOp::Real), part(NodeOp::Imag));
  }

  // The element of a complex line, or of half of one, at a place; what half a spectrum leaves out is the conjugate of
  // what stands opposite.
  NodeId input(NodeId place) {
    std::vector<NodeId> at = own_;
    at[pass_.dimension] = place;
    if (pass_.in == Side::Complex) return b.read(0, at);
    const NodeId isThere = b.compare(CompareDirection::Le, place, number(pass_.length() / 2));
    at[pass_.dimension] = b.select(isThere, place, b.subtract(number(pass_.length()), place));
    const NodeId value = b.read(0, at), im = b.unary(NodeOp::Imag, value);
    // The first and the middle one are real.
    const NodeId isReal =
        b.compare(CompareDirection::Eq, b.remainder(b.multiply(place, number(2)), number(pass_.length())), number(0));
    const NodeId side = b.select(isThere, im, b.unary(NodeOp::Negate, im));
    return b.makeComplex(b.unary(NodeOp::Real, value), b.select(isReal, b.zero(part_), side));
  }

  NodeId output(NodeId value) {
    NodeId re = b.unary(NodeOp::Real, value), im = b.unary(NodeOp::Imag, value);
    if (pass_.inverse && pass_.isLast) {
      const NodeId scale = b.constant(part_, 1.0 / static_cast<double>(pass_.length()));
      re = b.multiply(re, scale), im = b.multiply(im, scale);
    }
    return pass_.out == Side::Real ? re : b.makeComplex(re, im);
  }

  const Pass& pass_;
  const ElementType complex_, part_;
  ElementBuilder b;
  std::vector<NodeId> own_;
};

}  // namespace

Result<std::vector<FourierPass>> fourierPassesOf(const FourierRequest& request) {
  const bool isInverse = request.type == "IFFT" || request.type == "IRFFT", givesReal = request.type == "IRFFT";
  const Shape& spectrum = request.type == "RFFT" ? request.result : request.operand;
  const ElementType complex = spectrum.type;
  if (request.operand.elementCount().value_or(0) == 0 || request.result.elementCount().value_or(0) == 0)
    return failUnsupported("a transform of an empty array");
  const size_t rank = spectrum.dimensions.size(), count = request.lengths.size();
  std::vector<size_t> order;  // the dimension with a real side first of a forward transform, last of an inverse one
  for (size_t k = 0; k < count; ++k) order.push_back(givesReal ? rank - count + k : rank - 1 - k);
  std::vector<FourierPass> out;
  for (const size_t dimension : order) {
    const int64_t length = request.lengths[dimension + count - rank];
    const bool isOutermost = dimension + 1 == rank;
    std::vector<int64_t> dims = spectrum.dimensions;
    dims[dimension] = length;
    const std::vector<int64_t> radices = radicesOf(length);
    Pass pass{dims, dimension, 1, 1, Side::Complex, Side::Complex, isInverse, false};
    for (size_t k = 0; k < radices.size(); ++k) {
      pass.radix = radices[k];
      pass.isLast = k + 1 == radices.size();
      pass.in = k > 0 || !isOutermost    ? Side::Complex
                : request.type == "RFFT" ? Side::Real
                : givesReal              ? Side::Half
                                         : Side::Complex;
      pass.out = !pass.isLast || !isOutermost ? Side::Complex
                 : request.type == "RFFT"     ? Side::Half
                 : givesReal                  ? Side::Real
                                              : Side::Complex;
      out.push_back({PassBuilder(pass, complex).make(), complex == ElementType::C64
                                                            ? rootsOf<float>(length, isInverse)
                                                            : rootsOf<double>(length, isInverse)});
      pass.stride *= pass.radix;
    }
  }
  return out;
}

}  // namespace tessera::cuda
