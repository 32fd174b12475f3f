// Takes an embedded file apart: lines "// in …" and "// out …" are values, other comments are its head, the rest is
// the program.
#include "core/tools/help/op_examples.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "core/base/sorting.h"

namespace tessera {
namespace {

struct Embedded {
  std::string_view name, text;
};
constexpr Embedded kEmbedded[] = {
#include TESSERA_OP_EXAMPLES
};
constexpr Embedded kReference[] = {
#include TESSERA_REFERENCE_EXAMPLES
};

OpExample parsed(std::string_view text) {
  OpExample out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// in "))
      out.inputs.push_back(line.substr(6));
    else if (line.starts_with("// out "))
      out.outputs.push_back(line.substr(7));
    else if (!line.starts_with("//") && !(line.empty() && out.text.empty()))
      out.text += line + "\n";
  }
  while (out.text.ends_with("\n\n")) out.text.pop_back();
  return out;
}

ReferenceExample parsedReference(const Embedded& embedded) {
  ReferenceExample out{embedded.name, embedded.text, {}, {}, {}, parsed(embedded.text)};
  std::istringstream lines{std::string(embedded.text)};
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    if (out.title.empty()) {
      out.title = line.substr(std::min<size_t>(3, line.size()));
    } else if (line.starts_with("// reference: ")) {
      out.source = line.substr(14);
    } else if (line.starts_with("// op: ")) {
      std::istringstream words(line.substr(7));
      out.ops.assign(std::istream_iterator<std::string>(words), {});
    }
  }
  return out;
}

}  // namespace

OpExample exampleOf(std::string_view opcode) {
  const auto found = std::ranges::find(kEmbedded, opcode, &Embedded::name);
  return found == std::end(kEmbedded) ? OpExample() : parsed(found->text);
}

std::span<const ReferenceExample> referenceExamples() {
  static const std::vector<ReferenceExample> all = [] {
    std::vector<ReferenceExample> out;
    for (const Embedded& embedded : kReference) out.push_back(parsedReference(embedded));
    sortBy(out, &ReferenceExample::name);
    return out;
  }();
  return all;
}

const ReferenceExample* findReferenceExample(std::string_view name) {
  const auto found = std::ranges::find(referenceExamples(), name, &ReferenceExample::name);
  return found == referenceExamples().end() ? nullptr : &*found;
}

std::vector<const ReferenceExample*> referenceExamplesOf(std::string_view opcode) {
  std::vector<const ReferenceExample*> out;
  for (const ReferenceExample& one : referenceExamples())
    if (std::ranges::find(one.ops, opcode) != one.ops.end()) out.push_back(&one);
  return out;
}

}  // namespace tessera
