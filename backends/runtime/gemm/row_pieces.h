// Row pieces: which items of a kernel compute which elements of its result, where it can run on a part of it alone
// (codegen/row_locality finds out); plain data that steps keep.
#pragma once

#include <cstdint>

namespace tessera::codegen {

// Items [i · items, (i + 1) · items) compute elements [i · elements, (i + 1) · elements) of the one result.
struct RowLocality {
  int64_t elements = 1, items = 1;
  bool mayOverwrite = false;  // the result may alias a local operand: elements are read before they are stored
};

}  // namespace tessera::codegen
