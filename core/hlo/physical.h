// Physical memory of a value: the bytes of its buffer under its shape's layout (order, padding, tiles, packed
// elements), made from a literal and read back. Positions that hold no element have padding_value, or zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

// The buffer of an array of this shape: MemoryMap::bytes() bytes. The literal has the same type and dimensions. Fails
// on layouts that MemoryMap refuses and on element sizes that hold no value of the type.
Result<std::vector<std::byte>> packLiteral(const Literal& value, const Shape& shape);
// The inverse; padding is ignored. Fails when the number of bytes differs.
Result<Literal> unpackLiteral(std::span<const std::byte> buffer, const Shape& shape);

}  // namespace tessera
