// Products of narrow floats that no processor multiplies (f16, 8 bits and less): their operands become f32 in one
// vectorised kernel each, which fuses with what makes them, and the product is one of f32, summed as before, and
// rounded once. Only where there is enough to multiply. bf16 stays: processors have it; on devices f16, f8e4m3fn and
// f8e5m2 stay, too: tensor cores have them. Stands before constants are folded.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

Result<bool> widenProducts(Module& module);
Result<bool> widenProductsForDevice(Module& module);

}  // namespace tessera
