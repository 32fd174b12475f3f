// Any bytes as a module, HLO proto or snapshot, binary or text: reading, inferring, verifying and writing end without a
// crash; and where reading found no error, what was written reads again to the same.
#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"
#include "core/ops/inference/infer.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

static void writeAndReadAgain(const ProtoContent& read, bool text) {
  ProtoOptions options;
  options.text = text;
  if (!text)
    options.foreign =
        read.foreign.get();  // protobuf's text form prints unknown fields so that nothing reads them again
  const auto written = writeProto(*read.module, options);
  if (!written) return expect(!written.error().message.empty(), "a module that cannot be written says why");
  const ProtoContent again = readProto(*written);
  expect(again.module && !again.diagnostics.hasErrors(), "what was written reads again",
         printHloText(*read.module) + (again.diagnostics.empty() ? "" : again.diagnostics.items()[0].toString()));
  const std::string before = printHloText(*read.module), after = printHloText(*again.module);
  if (text && before.find("nan(0x") != std::string::npos) return;  // protobuf's text form has one NaN
  expect(after == before, "and is the same module", before + "\n--- again\n" + after);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  ProtoContent read = readProto(content);
  expect(read.module || read.diagnostics.hasErrors(), "without a module there is an error");
  if (!read.module) return 0;
  if (!read.diagnostics.hasErrors())
    for (bool text : {false, true}) writeAndReadAgain(read, text);
  printHloText(*read.module);
  inferModule(*read.module);
  verify(*read.module);
  return 0;
}
