// What a foreign file says, as one line for people.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tessera {

constexpr bool isControlCharacter(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Control characters, which a terminal would obey, become spaces.
inline std::string onOneLine(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, isControlCharacter, ' ');
  return out;
}

}  // namespace tessera
