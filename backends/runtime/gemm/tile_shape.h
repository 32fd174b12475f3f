// TileShape: which register tile a contraction runs on; plain data, the key under which tiles are compiled once.
#pragma once

#include <cstdint>

#include "core/hlo/element_type.h"

namespace tessera::codegen {

struct TileShape {
  ElementType type = ElementType::F32;  // of the sums: F32, F64, S32, S64, C64 or C128
  unsigned rows = 8, vectors = 3, lanes = 16;
  bool fused = true;  // the processor multiplies and adds in one instruction
  // A step takes two neighbouring elements of the contracted dimension, as 16-bit integers: their products are summed
  // in one instruction. Of type S32.
  bool pairs = false;

  int64_t columns() const { return static_cast<int64_t>(vectors) * lanes; }
  int parts() const { return isComplex(type) ? 2 : 1; }
  int together() const { return pairs ? 2 : 1; }  // elements of a step
  int partBytes() const { return byteWidth(type) / parts(); }
  bool operator==(const TileShape&) const = default;
};

}  // namespace tessera::codegen
