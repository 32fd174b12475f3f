// Examples for help pages, embedded when the library is built: the first case of each op's case file, and the files of
// resources/examples/reference, each of which is an example or a figure of XLA's own documents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct OpExample {
  std::string text;                  // HLO
  std::vector<std::string> inputs;   // literals, one an array leaf of the arguments
  std::vector<std::string> outputs;  // literals, one an array leaf of the result
};
// Empty text: the op has none.
OpExample exampleOf(std::string_view opcode);

// A file of the reference: its comments say what it shows ("// title", "// op: a b", "// reference: document, place").
struct ReferenceExample {
  std::string_view name;      // of the file, without .hlo
  std::string_view file;      // the whole file
  std::string title, source;  // what it shows; where in the documents
  std::vector<std::string> ops;
  OpExample example;
};
std::span<const ReferenceExample> referenceExamples();  // by name
const ReferenceExample* findReferenceExample(std::string_view name);
std::vector<const ReferenceExample*> referenceExamplesOf(std::string_view opcode);

}  // namespace tessera
