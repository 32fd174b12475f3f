// See far_text.h. What does not fit into one line is broken between words, where the box is high enough for two.
#include "core/picture/far_text.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr float kFarLine = 1.2f;       // of the size
constexpr float kFarMargin = 3;        // pixels
constexpr float kFarNarrowest = 1.2f;  // of the size: what is narrower says nothing

// As many words as fit; at least one.
size_t firstLine(std::string_view text, float size, float width) {
  size_t end = text.find(' ');
  for (size_t next = end; next != std::string_view::npos && textWidth(text.substr(0, next), size, true) <= width;
       next = text.find(' ', next + 1))
    end = next;
  return end;
}

PictureItem lineOf(const PictureItem& text, std::string words, float size, float top) {
  PictureItem line = text;
  line.text = std::move(words);
  line.size = size;
  const float width = textWidth(line.text, size, true);
  line.bounds = {text.room.x + (text.room.width - width) / 2, top, width, size * 1.25f};
  return line;
}

}  // namespace

std::vector<PictureItem> seenAt(const PictureItem& text, double zoom) {
  const auto scale = static_cast<float>(zoom);
  const float size = kFarText / scale, width = text.room.width - 2 * kFarMargin / scale;
  if (text.room.width <= 0 || zoom >= kReadableZoom || text.size >= size) return {text};
  if (width < kFarNarrowest * size || text.room.height < size) return {};
  const float middle = text.room.y + text.room.height / 2;
  const size_t cut = firstLine(text.text, size, width);
  const bool twoLines =
      text.room.height >= 2 * kFarLine * size && cut != std::string::npos && textWidth(text.text, size, true) > width;
  std::vector<PictureItem> out;
  if (!twoLines)
    out = {lineOf(text, elideText(text.text, size, width, true), size, middle - kFarLine * size / 2)};
  else
    out = {lineOf(text, elideText(text.text.substr(0, cut), size, width, true), size, middle - kFarLine * size),
           lineOf(text, elideText(text.text.substr(cut + 1), size, width, true), size, middle)};
  std::erase_if(out, [](const PictureItem& line) { return line.text.empty(); });
  return out;
}

}  // namespace tessera
