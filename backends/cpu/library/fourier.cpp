// fft: transforms of the last dimensions as runtime/fourier_step.
#include <algorithm>

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/fourier_step.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxLength = int64_t{1} << 24;  // of longer ones the roots' tables are not made while compiling

}  // namespace

Result<StepPtr> planFourier(LibraryContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  const std::string_view type = attributes.textOr(Attr::fft_type, "");
  const auto& lengths = attributes.ints(Attr::fft_length);
  const Shape& operand = context.module.shapeOf(context.instruction.operands[0]);
  const Shape& result = *context.instruction.shape;
  if (operand.elementCount().value_or(0) == 0 || result.elementCount().value_or(0) == 0) return StepPtr{};
  if (std::ranges::max(lengths) > kMaxLength) return StepPtr{};
  Fourier shape;
  shape.kind = type == "RFFT"    ? FourierKind::RealToHalf
               : type == "IRFFT" ? FourierKind::HalfToReal
                                 : FourierKind::Complex;
  shape.inverse = type == "IFFT" || type == "IRFFT";
  shape.isDouble = operand.type == ElementType::F64 || operand.type == ElementType::C128;
  shape.dimensions = static_cast<int>(lengths.size());
  std::copy(lengths.begin(), lengths.end(), shape.lengths.begin());
  for (size_t d = 0; d + lengths.size() < operand.dimensions.size(); ++d) shape.lines *= operand.dimensions[d];
  shape.threads = context.threads;
  shape.from = context.operands[0];
  shape.to = context.outputs[0];
  auto step = makeFourierStep(shape);
  TESSERA_ASSIGN_OR_RETURN(const int scratch, context.scratch(step->scratchBytes()));
  step->setScratch(scratch);
  context.what = "Fourier transform";
  return step;
}

}  // namespace tessera::cpu
