// Functions that precede a program: what is one instruction in HLO and missing in the language's library. Each is
// printed only when the program calls it.
#pragma once

#include <span>
#include <string_view>

namespace tessera::code {

struct PreludeFunction {
  std::string_view name;
  std::string_view text;  // ends with a newline; what it calls itself precedes it in the list
};
std::span<const PreludeFunction> jaxPrelude();
std::span<const PreludeFunction> xlaPrelude();

}  // namespace tessera::code
