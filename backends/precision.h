// Numbers and whole modules at another precision. Used by value_compare and `tessera compare --precision`.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// A copy that computes floats of the module's most usual float type in another: "f64", "f32", "bf16", "f16". Fails
// where an instruction does not allow it.
Result<Module> inPrecision(const Module& module, ElementType type);
// Numbers as another type's.
Result<Literal> inType(const Literal& literal, ElementType type);

}  // namespace tessera
