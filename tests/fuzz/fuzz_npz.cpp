// Arrays from files: any bytes as an npy array, and any bytes as an npz archive. (An archive's checksums hide its
// inside from a fuzzer, so both ways in are tried.)
#include "core/formats/npz.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

static void checkArray(const Literal& literal) {
  const auto bytes = literal.shape().denseBytes();
  expect(bytes && *bytes == static_cast<int64_t>(literal.bytes().size()), "an array has the bytes of its shape",
         toString(literal.shape()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto array = readNpyBytes(bytes)) checkArray(*array);
  if (const auto arrays = readNpzBytes(bytes))
    for (const auto& [name, literal] : *arrays) checkArray(literal);
  return 0;
}
