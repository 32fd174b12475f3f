// Hexadecimal digits in quoted text and dense values.
#pragma once

namespace tessera {

// 0 to 15; -1: not a hexadecimal digit.
constexpr int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace tessera
