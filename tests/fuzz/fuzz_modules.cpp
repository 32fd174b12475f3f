// Modules made from the schema of the operations; what is promised is in module_promises.cpp.
#include "tests/fuzz/expect.h"
#include "tests/fuzz/module_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string broken = tessera::brokenPromise({data, size});
  tessera::expect(broken.empty(), broken);
  return 0;
}
