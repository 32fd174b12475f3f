// Running a command and reading the JSON object that it prints; shared by the benchmarks.
#pragma once

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

inline std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The object on the command's stdout; nullopt when there is none. stderr is dropped.
inline std::optional<nlohmann::json> runJson(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) return std::nullopt;
  std::string text;
  char buffer[65536];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  size_t begin = text.find('{');
  if (begin == std::string::npos) return std::nullopt;
  auto json = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace tessera::bench
