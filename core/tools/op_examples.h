// The example of each op: the first case of its case file, embedded when the library is built.
#pragma once

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

}  // namespace tessera
