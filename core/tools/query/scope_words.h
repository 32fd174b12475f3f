// The words of an op_name, outermost first: "jit(step)/transpose(jvp(h.1))/mul" has jit, step, transpose, jvp, h.1 and
// mul. Used by `under:` of queries and its completion.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace tessera {

// Split at '/' and brackets.
inline std::vector<std::string_view> scopeWords(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const size_t end = std::min(path.find_first_of("/()[]{},; "), path.size());
    if (end > 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// Those of the scopes: without the primitive, which is behind the last '/' and is no call.
inline std::vector<std::string_view> scopeWordsOfOpName(std::string_view opName) {
  const size_t slash = opName.rfind('/');
  if (slash == std::string_view::npos) return {};
  return scopeWords(opName.ends_with(')') ? opName : opName.substr(0, slash));
}

}  // namespace tessera
