// Advance tables and the two measures made of them. Stands before arrangement (box sizes) and drawing (eliding).
#include "core/arrange/text_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace tessera {
namespace {

constexpr float kUnitsPerEm = 2048;
constexpr uint16_t kUnknownAdvance = 2048;  // CJK and the like: one em
constexpr std::string_view kEllipsis = "…";

struct Advance {
  uint32_t codepoint;
  uint16_t regular, bold;
};
constexpr Advance kAdvances[] = {
#define TESSERA_ADVANCE(codepoint, regular, bold) {codepoint, regular, bold},
#include "core/arrange/font_advances.inc"
#undef TESSERA_ADVANCE
};

uint16_t advanceOf(uint32_t codepoint, bool bold) {
  if (codepoint >= 0x20 && codepoint <= 0x7e) {  // the table starts with these, without a gap
    const Advance& a = kAdvances[codepoint - 0x20];
    return bold ? a.bold : a.regular;
  }
  const auto* found = std::lower_bound(std::begin(kAdvances), std::end(kAdvances), codepoint,
                                       [](const Advance& a, uint32_t c) { return a.codepoint < c; });
  if (found == std::end(kAdvances) || found->codepoint != codepoint) return codepoint < 0x20 ? 0 : kUnknownAdvance;
  return bold ? found->bold : found->regular;
}

// The code point at `at`, which moves behind it; a broken byte counts as U+FFFD.
uint32_t nextCodepoint(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if ((lead & 0xc0) == 0x80 || lead >= 0xf8) return 0xfffd;
  const int extra = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  uint32_t codepoint = extra == 3 ? lead & 7u : extra == 2 ? lead & 15u : extra == 1 ? lead & 31u : lead;
  for (int i = 0; i < extra && at < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[at]);
    if ((next & 0xc0) != 0x80) return 0xfffd;
    codepoint = codepoint << 6 | (next & 0x3fu);
    ++at;
  }
  return codepoint;
}

}  // namespace

float textWidth(std::string_view utf8, float size, bool bold) {
  int64_t units = 0;
  for (size_t at = 0; at < utf8.size();) units += advanceOf(nextCodepoint(utf8, at), bold);
  return static_cast<float>(units) * size / kUnitsPerEm;
}

std::string elideText(std::string_view utf8, float size, float maxWidth, bool bold) {
  const auto limit = static_cast<double>(maxWidth) * kUnitsPerEm / size;
  const double withEllipsis = limit - advanceOf(0x2026, bold);
  double units = 0;
  size_t fits = 0;  // bytes that leave room for the ellipsis
  for (size_t at = 0; at < utf8.size();) {
    units += advanceOf(nextCodepoint(utf8, at), bold);
    if (units <= withEllipsis) fits = at;
    if (units > limit) {
      if (withEllipsis < 0) return {};
      while (fits > 0 && utf8[fits - 1] == ' ') --fits;
      return std::string(utf8.substr(0, fits)) + std::string(kEllipsis);
    }
  }
  return std::string(utf8);
}

}  // namespace tessera
