// Any text as StableHLO: reading, inferring, verifying and printing end without a crash; and where reader and verifier
// found no error, the HLO that was made of it prints and reads again.
#include "core/formats/hlo_text.h"
#include "core/formats/stablehlo.h"
#include "core/ops/inference/infer.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReadResult read = readStableHlo(std::string_view(reinterpret_cast<const char*>(data), size));
  expect(read.module || read.diagnostics.hasErrors(), "without a module there is an error");
  if (!read.module) return 0;
  const std::string printed = printHloText(*read.module);
  if (!read.diagnostics.hasErrors() && !verify(*read.module).hasErrors()) {
    const ReadResult again = readHloText(printed);
    expect(again.module.has_value(), "what it became reads as HLO text",
           printed + (again.diagnostics.empty() ? "" : again.diagnostics.items()[0].toString()));
  }
  inferModule(*read.module);
  verify(*read.module);
  return 0;
}
