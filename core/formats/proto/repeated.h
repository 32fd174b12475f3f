// Repeated fields of numbers: as a vector, and as text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::proto {

template <class Repeated>
std::vector<int64_t> listOf(const Repeated& values) {
  return {values.begin(), values.end()};
}

// With commas, without brackets.
template <class Repeated>
void appendNumbers(std::string& out, const Repeated& values) {
  bool first = true;
  for (auto value : values) {
    if (!std::exchange(first, false)) out += ',';
    out += std::to_string(value);
  }
}

}  // namespace tessera::proto
