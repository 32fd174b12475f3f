// See link.h.
#include "core/tools/link.h"

#include <filesystem>

namespace tessera {

LinkParts splitLink(const std::string& text) {
  std::error_code error;
  const auto isThere = [&](const std::string& path) { return std::filesystem::exists(path, error); };
  const size_t first = text.find('#');
  if (first == std::string::npos || isThere(text)) return {text, {}};
  for (size_t at = text.rfind('#'); at != first; at = text.rfind('#', at - 1))
    if (isThere(text.substr(0, at))) return {text.substr(0, at), text.substr(at + 1)};
  return {text.substr(0, first), text.substr(first + 1)};
}

}  // namespace tessera
