// Takes an embedded case apart: lines "// in …" and "// out …" are values, the rest is the program.
#include "core/tools/op_examples.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace tessera {
namespace {

struct Embedded {
  std::string_view opcode, text;
};
constexpr Embedded kEmbedded[] = {
#include TESSERA_OP_EXAMPLES
};

}  // namespace

OpExample exampleOf(std::string_view opcode) {
  OpExample out;
  const auto found = std::ranges::find(kEmbedded, opcode, &Embedded::opcode);
  if (found == std::end(kEmbedded)) return out;
  std::istringstream lines{std::string(found->text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// in ")) out.inputs.push_back(line.substr(6));
    else if (line.starts_with("// out ")) out.outputs.push_back(line.substr(7));
    else if (!line.starts_with("//") && !(line.empty() && out.text.empty())) out.text += line + "\n";
  }
  while (out.text.ends_with("\n\n")) out.text.pop_back();
  return out;
}

}  // namespace tessera
