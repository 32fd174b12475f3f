// Arithmetic whose names integers and floats share: the decoder of integers calls the one of floats by type. Used
// between integers.cpp and floats.cpp.
#pragma once

#include "backends/cuda/simulated/decode/decoder.h"

namespace tessera::cuda::simulated {

enum class Arithmetic : uint8_t { Add, Sub, Mul, Div, Fma, Min, Max, Abs, Neg };

// The instruction of the statement with floats of `type`; its type is taken, its other modifiers are not.
void decodeFloatArithmetic(Decoder& decoder, Arithmetic operation, Type type);

}  // namespace tessera::cuda::simulated
