// Infinities and NaNs of every float type as bits: text names a NaN's sign and payload, which no conversion keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/hlo/element_type.h"

namespace tessera::text {

// False when the type cannot hold the payload; 0: the default quiet NaN. A type without NaNs or infinities takes what
// converting one to it gives, as in XLA's reader.
bool storeNan(ElementType type, std::byte* data, bool negative, uint64_t payload);
void storeInfinity(ElementType type, std::byte* data, bool negative);

struct NanText {
  bool negative = false;
  uint64_t payload = 0;  // 0: the default one, which is not printed
};
// Of an element that is a NaN.
NanText nanText(ElementType type, const std::byte* data);

}  // namespace tessera::text
