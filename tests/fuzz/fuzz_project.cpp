// Any text as a project file: reading ends without a crash; what was read prints, and reads and prints again to the same.
#include "core/formats/project.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const auto read = parseProject(content);
  if (!read) {
    expect(!read.error().message.empty(), "a refused project has a message");
    return 0;
  }
  const ReadResult graph = readHloText(read->graph);
  if (read->project.graphFile.empty() && !graph.module) return 0;
  const Module* module = read->project.graphFile.empty() ? &*graph.module : nullptr;
  const std::string printed = printProject(read->project, module);
  const auto again = parseProject(printed);
  expect(again.has_value(), "what was printed reads again", printed + (again ? "" : again.error().toString()));
  const std::string twice = printProject(again->project, module);
  expect(twice == printed, "and prints the same", printed + "\n--- again\n" + twice);
  return 0;
}
