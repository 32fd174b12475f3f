// fft: forward and inverse Fourier transforms over the last one to three dimensions, complex to complex, real to half a
// spectrum and back. Lines are transformed in double precision (core/fourier), one dimension after the other.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/fourier/transform.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

using Complex = std::complex<double>;

constexpr OperandDoc kFftOperands[] = {{"operand", "the array whose last dimensions are transformed"}};
constexpr AttributeRow kFftAttributes[] = {
    {Attr::fft_type, true, "", "direction, and whether one side is real", "FFT IFFT RFFT IRFFT"},
    {Attr::fft_length, true, "", "lengths of the transforms: the real side's last dimensions"},
};
constexpr Constraint kFftConstraints[] = {
    {"C1", "fft_length has one to three lengths, not more than the operand has dimensions."},
    {"C2", "FFT, IFFT and IRFFT take complex numbers, RFFT takes f32 or f64."},
    {"C3", "The last dimensions are those of fft_length; for IRFFT the last one is half of its length, and one more."},
    {"C4", "fft_type is FFT, IFFT, RFFT or IRFFT."},
};

ElementType typeOfOtherSide(ElementType type) {
  if (type == ElementType::C64) return ElementType::F32;
  if (type == ElementType::C128) return ElementType::F64;
  if (type == ElementType::F32) return ElementType::C64;
  return ElementType::C128;
}

int64_t halfLength(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

Status checkTypes(const InferContext& context, std::string_view type) {
  if (type != "FFT" && type != "IFFT" && type != "RFFT" && type != "IRFFT")
    return context.violated("C4", "this is no type of transform", "FFT, IFFT, RFFT or IRFFT", std::string(type));
  const ElementType operand = context.operand(0).type;
  const bool fits = type == "RFFT" ? operand == ElementType::F32 || operand == ElementType::F64 : isComplex(operand);
  if (!fits)
    return context.violated("C2", fmt::format("{} does not take {}", type, nameOf(operand)),
                            type == "RFFT" ? "f32 or f64" : "c64 or c128", std::string(nameOf(operand)));
  return {};
}

Result<Shape> inferFft(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const auto& lengths = context.attributes->ints(Attr::fft_length);
  const std::string_view type = context.attributes->textOr(Attr::fft_type, "");
  if (lengths.empty() || lengths.size() > 3 || lengths.size() > operand.dimensions.size() ||
      std::ranges::min(lengths) < 0)
    return context.violated("C1", "these are no lengths of a transform", "one to three, and at most the rank",
                            listOf(lengths));
  TESSERA_TRY(checkTypes(context, type));
  Shape out = withoutLayout(operand);
  const size_t first = operand.dimensions.size() - lengths.size();
  for (size_t i = 0; i < lengths.size(); ++i) {
    const bool half = type == "IRFFT" && i + 1 == lengths.size();
    const int64_t expected = half ? halfLength(lengths[i]) : lengths[i];
    if (operand.dimensions[first + i] != expected)
      return context.violated("C3", fmt::format("dimension {} does not fit fft_length", first + i),
                              fmt::format("{}", expected), fmt::format("{}", operand.dimensions[first + i]));
  }
  if (type == "RFFT" || type == "IRFFT") {
    out.type = typeOfOtherSide(operand.type);
    out.dimensions.back() = type == "RFFT" ? halfLength(lengths.back()) : lengths.back();
  }
  return out;
}

template <class T>
std::vector<Complex> widened(const Literal& literal) {
  const auto elements = literal.data<T>();
  return {elements.begin(), elements.end()};
}

std::vector<Complex> valuesOf(const Literal& literal) {
  switch (literal.shape().type) {
    case ElementType::F32: return widened<float>(literal);
    case ElementType::C64: return widened<std::complex<float>>(literal);
    case ElementType::F64: return widened<double>(literal);
    default: return widened<Complex>(literal);
  }
}

template <class T>
void narrow(const std::vector<Complex>& values, Literal& to) {
  const auto out = to.mutableData<T>();
  for (size_t i = 0; i < out.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>)
      out[i] = static_cast<T>(values[i].real());
    else
      out[i] = T(values[i]);
  }
}

void store(const std::vector<Complex>& values, Literal& to) {
  switch (to.shape().type) {
    case ElementType::F32: return narrow<float>(values, to);
    case ElementType::C64: return narrow<std::complex<float>>(values, to);
    case ElementType::F64: return narrow<double>(values, to);
    default: return narrow<Complex>(values, to);
  }
}

// Transforms all lines along dimension d.
Status transformAlong(const EvaluateContext& context, std::vector<Complex>& values, const std::vector<int64_t>& dims,
                      size_t d, bool inverse) {
  const auto length = static_cast<size_t>(dims[d]);
  const auto step = static_cast<size_t>(rowMajorStrides(dims)[d]);
  const FourierTransform<double> transform(length, inverse, step > 1);
  std::vector<double> line(transform.lineSize()), lanes(transform.lanesSize());
  const size_t blocks = length == 0 ? 0 : values.size() / (length * step),
               together = step == 1 ? FourierTransform<double>::kLanes : 1;
  for (size_t block = 0; block < blocks; block += together) {
    if (isCancelled(context)) return failCancelled();
    Complex* first = values.data() + block * length * step;
    const FourierLines<double> lines = step == 1
                                           ? FourierLines<double>{first, std::min(blocks - block, together), length, 1}
                                           : FourierLines<double>{first, step, 1, step};
    transform.apply(lines, lines, {line.data(), lanes.data(), {}});
  }
  return {};
}

// Lines along the last dimension of real numbers: the transform of what is finite, and what the rest adds to its first
// half.
Status transformReal(const EvaluateContext& context, std::vector<Complex>& values, const std::vector<int64_t>& dims) {
  const auto length = static_cast<size_t>(dims.back());
  std::vector<Complex> unbounded;
  if (!std::ranges::all_of(values, [](const Complex& x) { return std::isfinite(x.real()); })) {
    unbounded = values;
    for (size_t at = 0; at < values.size(); at += length) {
      auto* line = reinterpret_cast<double*>(unbounded.data() + at);
      if (!canTakeOutUnbounded(line, 2, length))
        std::fill_n(unbounded.begin() + static_cast<std::ptrdiff_t>(at), length, Complex());
      else
        for (size_t i = at; i < at + length; ++i)
          if (!std::isfinite(values[i].real())) values[i] = 0;
    }
  }
  TESSERA_TRY(transformAlong(context, values, dims, dims.size() - 1, false));
  for (size_t at = 0; at < unbounded.size(); at += length)
    addUnbounded(reinterpret_cast<const double*>(unbounded.data() + at), 2, length, values.data() + at);
  return {};
}

// Copies the lines along the last dimension into lines of another length: cut, or completed to the Hermitian
// spectrum of a real line.
std::vector<Complex> resized(const std::vector<Complex>& values, size_t from, size_t to) {
  if (from == 0 || to == 0) return {};
  std::vector<Complex> out(values.size() / from * to);
  for (size_t line = 0; line * from < values.size(); ++line)
    for (size_t k = 0; k < to; ++k)
      out[line * to + k] = k < from ? values[line * from + k] : std::conj(values[line * from + (to - k)]);
  return out;
}

// The parts that a real line's spectrum cannot have are not looked at.
void dropImpossible(std::vector<Complex>& spectra, size_t length) {
  for (size_t at = 0; length != 0 && at < spectra.size(); at += length) {
    spectra[at].imag(0);
    if (length % 2 == 0) spectra[at + length / 2].imag(0);
  }
}

Result<Literal> evaluateFft(const EvaluateContext& context) {
  const std::string_view type = context.instruction.attributes->textOr(Attr::fft_type, "");
  const size_t count = context.instruction.attributes->ints(Attr::fft_length).size();
  const bool inverse = type == "IFFT" || type == "IRFFT";
  std::vector<Complex> values = valuesOf(context.operands[0]);
  std::vector<int64_t> dims = context.operands[0].shape().dimensions;
  const size_t last = dims.size() - 1, first = dims.size() - count;
  if (context.shape.elementCount().value_or(0) == 0 || values.empty()) return Literal::zeros(context.shape);
  if (type == "IRFFT") {
    for (size_t d = first; d < last; ++d) TESSERA_TRY(transformAlong(context, values, dims, d, inverse));
    values = resized(values, static_cast<size_t>(dims[last]), static_cast<size_t>(context.shape.dimensions[last]));
    dims[last] = context.shape.dimensions[last];
    dropImpossible(values, static_cast<size_t>(dims[last]));
    TESSERA_TRY(transformAlong(context, values, dims, last, inverse));
  } else if (type == "RFFT") {
    TESSERA_TRY(transformReal(context, values, dims));
    values = resized(values, static_cast<size_t>(dims[last]), static_cast<size_t>(context.shape.dimensions[last]));
    dims[last] = context.shape.dimensions[last];
    for (size_t d = last; d-- > first;) TESSERA_TRY(transformAlong(context, values, dims, d, inverse));
  } else {
    for (size_t d = last + 1; d-- > first;) TESSERA_TRY(transformAlong(context, values, dims, d, inverse));
  }
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  store(values, out);
  return out;
}

// Of a real transform's complex side the last dimension is half.
DimensionRelations fftDimensions(const InferContext& context) {
  const bool fromReal = context.attributes->textOr(Attr::fft_type, "") == "RFFT",
             toReal = context.attributes->textOr(Attr::fft_type, "") == "IRFFT";
  DimensionRelations out = relationsOfOperand(context);
  const size_t rank = out.rows.size(), lines = rank - context.attributes->ints(Attr::fft_length).size();
  for (size_t d = lines; d < rank; ++d) out.rows[d].aligned = false;
  if ((!fromReal && !toReal) || rank == 0) return out;
  DimensionRelation& last = out.rows.back();
  last.rule = DimensionRule::Half;
  if (toReal) std::swap(last.to, last.from);
  return out;
}

// A complex multiplication and addition an element in each of log2(length) steps.
Cost fftCost(const CostContext& context) {
  double flops = 8 * elementsOf(context.operand(0));
  for (int64_t length : context.instruction.attributes->ints(Attr::fft_length))
    flops *= length <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(length)) - 1;
  return usualCost(context, flops);
}

}  // namespace

const OpDef kFft = {
    .opcode = Opcode::Fft,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::LinearAlgebra},
    .summary = "Fourier transform of the last dimensions",
    .doc =
        "FFT: $X_k = \\sum_j x_j e^{-2 \\pi i j k / n}$ along each of the last one to three dimensions; IFFT the "
        "inverse, divided by $n$. RFFT takes real numbers and gives the first $n / 2 + 1$ of the last dimension, the "
        "others being conjugates; IRFFT is its inverse and ignores the imaginary parts that a real array's spectrum "
        "cannot have. Any length: small prime factors by mixed radix, others by Bluestein's method.",
    .operands = kFftOperands,
    .attributes = kFftAttributes,
    .constraints = kFftConstraints,
    .inferShape = inferFft,
    .inferLayout = nullptr,
    .cost = fftCost,
    .evaluate = evaluateFft,
    .dimensions = fftDimensions,
};

}  // namespace tessera
