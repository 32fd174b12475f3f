// Random edits, undo and redo on a small module; what is promised is in edit_bytes.h.
#include "tests/fuzz/edit_bytes.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string broken = tessera::EditBytes({data, size}).run();
  tessera::expect(broken.empty(), broken);
  return 0;
}
