// HLO text of programs whose gradients are checked, and the reducers that they call.
#pragma once

#include <algorithm>
#include <string>

namespace tessera::test {

inline constexpr const char* kAddF64 =
    "add { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] add(a, b) }\n";
inline constexpr const char* kMulF64 =
    "mul { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] multiply(a, b) }\n";
inline constexpr const char* kMaxF64 =
    "max { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] maximum(a, b) }\n";
inline constexpr const char* kMinF64 =
    "min { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] minimum(a, b) }\n";
inline constexpr const char* kSecondF64 = "second { a = f64[] parameter(0) ROOT b = f64[] parameter(1) }\n";

// A module whose entry holds these instructions, each ended by a semicolon, after the computations `before`.
inline std::string programOf(const std::string& body, const std::string& before = "") {
  std::string lines;
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find(';', at), body.size());
    lines += "  " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return "HloModule m\n" + before + "ENTRY e {\n" + lines + "}\n";
}

}  // namespace tessera::test
