// Shapes, layouts and literals to and from their protobuf messages. Reading checks what the IR relies on (ranks,
// permutations, sizes, numbers of values), so that a damaged file is refused and never half believed.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/shape.h"

namespace tessera::pb {
class ShapeProto;
class LiteralProto;
}  // namespace tessera::pb

namespace tessera::proto {

// Arrays without a layout get the default one, as in HLO text.
Result<Shape> readShape(const pb::ShapeProto& message);
void writeShape(const Shape& shape, pb::ShapeProto& out);

Result<Literal> readLiteral(const pb::LiteralProto& message);
// Elements are in the order of the literal's own layout.
void writeLiteral(const Literal& literal, pb::LiteralProto& out);

}  // namespace tessera::proto
