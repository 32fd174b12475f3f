// Any text: reading, inferring, verifying and printing end without a crash; and where reading found no error, what was
// printed reads again without errors and prints the same.
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadResult read = readHloText(text);
  expect(read.module || read.diagnostics.hasErrors(), "without a module there is an error");
  if (!read.module) return 0;
  const std::string printed = printHloText(*read.module);
  if (!read.diagnostics.hasErrors()) {
    ReadResult again = readHloText(printed);
    expect(again.module && !again.diagnostics.hasErrors(), "what was printed reads again",
           printed + (again.diagnostics.empty() ? "" : again.diagnostics.items()[0].toString()));
    const std::string twice = printHloText(*again.module);
    expect(twice == printed, "printing what was printed changes nothing", printed + "\n--- again\n" + twice);
  }
  inferModule(*read.module);
  verify(*read.module);
  printHloText(*read.module);
  return 0;
}
