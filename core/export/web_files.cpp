// See web_files.h. The texts are made into constants by the build (web_files.cmake).
#include "core/export/web_files.h"

#include <zlib.h>

#include <array>
#include <new>
#include <utility>

#include "core/base/markup.h"

#include TESSERA_WEB_FILES

namespace tessera::web {
namespace {

std::string deflated(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string out(size, '\0');
  const int done = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                             data.size(), Z_BEST_COMPRESSION);
  if (done != Z_OK) throw std::bad_alloc();  // the only way in which it fails with room enough
  out.resize(size);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace

std::string pageWith(std::string_view title, const std::string& data) {
  const std::array<std::pair<std::string_view, std::string>, 4> places{{
      {"@TITLE@", escapedForMarkup(title)},
      {"@STYLE@", std::string(kStyle)},
      {"@DATA@", base64(deflated(data))},
      {"@SCRIPT@", std::string(kModel) + std::string(kCanvas) + std::string(kApp)},
  }};
  std::string_view rest = kPage;
  std::string out;
  for (const auto& [mark, text] : places) {  // in the order in which they are in the page
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  out += rest;
  return out;
}

}  // namespace tessera::web
