// Writes core/arrange/font_advances.inc: advance widths of DejaVu Sans, regular and bold, in font units (2048 an em),
// so that text is measured the same everywhere without a font library. Only needed when the font or the list changes:
//   g++ -std=c++23 packaging/tools/make_font_advances.cpp $(pkg-config --cflags --libs freetype2) -o /tmp/advances
//   /tmp/advances /usr/share/fonts/truetype/dejavu > core/arrange/font_advances.inc
#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace {

// Latin, Greek, punctuation, super- and subscripts, arrows, mathematics, shapes.
constexpr std::pair<uint32_t, uint32_t> kRanges[] = {{0x20, 0x7e},     {0xa0, 0x17f},    {0x370, 0x3ff},
                                                     {0x2010, 0x2027}, {0x2030, 0x205e}, {0x2070, 0x209c},
                                                     {0x2190, 0x21ff}, {0x2200, 0x22ff}, {0x25a0, 0x25ff}};

long advance(FT_Face face, uint32_t codepoint) {
  const FT_UInt glyph = FT_Get_Char_Index(face, codepoint);
  if (glyph == 0 || FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) != 0) return 0;
  return face->glyph->metrics.horiAdvance;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s FONT_FOLDER\n", argv[0]), 64;
  const std::string folder = argv[1];
  FT_Library library;
  FT_Face regular, bold;
  if (FT_Init_FreeType(&library) || FT_New_Face(library, (folder + "/DejaVuSans.ttf").c_str(), 0, &regular) ||
      FT_New_Face(library, (folder + "/DejaVuSans-Bold.ttf").c_str(), 0, &bold))
    return std::fprintf(stderr, "cannot open the fonts in %s\n", folder.c_str()), 66;
  std::printf(
      "// TESSERA_ADVANCE(code point, regular, bold), ascending. Made by packaging/tools/make_font_advances.cpp\n");
  std::printf("// from DejaVu Sans; units of 1/%d em.\n", static_cast<int>(regular->units_per_EM));
  for (auto [first, last] : kRanges)
    for (uint32_t c = first; c <= last; ++c)
      if (const long r = advance(regular, c)) {
        const long b = advance(bold, c);
        std::printf("TESSERA_ADVANCE(0x%x, %ld, %ld)\n", c, r, b ? b : r);
      }
}
