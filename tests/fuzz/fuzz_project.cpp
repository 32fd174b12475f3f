// Any bytes as a project file: an error with its line, or a project that prints, reads again and prints the same.
#include "core/formats/project.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parseProject(text);
  if (!parsed) {
    expect(parsed.error().position.line > 0, "an error has its line", parsed.error().toString());
    return 0;
  }
  Project project = parsed->project;
  project.graphFile = "graph.hlo";
  const std::string printed = printProject(project, nullptr);
  const auto again = parseProject(printed);
  expect(again.has_value(), "what was printed reads again", printed + (again ? "" : again.error().toString()));
  expect(printProject(again->project, nullptr) == printed, "printing what was printed changes nothing", printed);
  return 0;
}
