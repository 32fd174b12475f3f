// Letters of ASCII, in text whose words are of a format and not of a language.
#pragma once

namespace tessera {

constexpr char asciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace tessera
