// Transcendental functions that cards approximate: computed in double and rounded once, which is closer than any card.
#include <cmath>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

float flush(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }

template <auto kOp>
constexpr auto kSingle = [](float a) { return static_cast<float>(kOp(static_cast<double>(a))); };
template <auto kOp>
constexpr auto kFlushed = [](float a) { return flush(static_cast<float>(kOp(static_cast<double>(flush(a))))); };
template <auto kOp, class T>
constexpr auto kNarrow = [](T a) { return applyFloat<kOp, T>(a); };

template <auto kOp>
Handler handlerOf(Type type, bool flushes) {
  switch (type) {
    case Type::F32: return flushes ? mapLanes1<kFlushed<kOp>, float, float> : mapLanes1<kSingle<kOp>, float, float>;
    case Type::F64: return mapLanes1<kUpperHalf<kOp>, double, double>;
    case Type::F16: return mapLanes1<kNarrow<kOp, Half>, Half, Half>;
    case Type::BF16: return mapLanes1<kNarrow<kOp, BFloat>, BFloat, BFloat>;
    case Type::F16x2: return mapLanes1<kNarrow<kOp, Half2>, Half2, Half2>;
    case Type::BF16x2: return mapLanes1<kNarrow<kOp, BFloat2>, BFloat2, BFloat2>;
    default: return nullptr;
  }
}

template <auto kOp>
void decodeApproximate(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  if (!decoder.take("approx")) return decoder.fail("the instruction exists with .approx only");
  emitPlain(decoder, type, handlerOf<kOp>(type, decoder.take("ftz")));
}

}  // namespace

void addApproximateInstructions(InstructionTable& table) {
  table["sin"] = decodeApproximate<[](double a) { return std::sin(a); }>;
  table["cos"] = decodeApproximate<[](double a) { return std::cos(a); }>;
  table["tanh"] = decodeApproximate<[](double a) { return std::tanh(a); }>;
  table["ex2"] = decodeApproximate<[](double a) { return std::exp2(a); }>;
  table["lg2"] = decodeApproximate<[](double a) { return std::log2(a); }>;
  table["rsqrt"] = decodeApproximate<[](double a) { return 1 / std::sqrt(a); }>;
}

}  // namespace tessera::cuda::simulated
