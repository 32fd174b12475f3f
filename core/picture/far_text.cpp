// See far_text.h. What does not fit into one line is broken between words, where the box is high enough for two.
#include "core/picture/far_text.h"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

constexpr float kFarSizes[] = {kFarText, 10.5f, 9.5f, 9};  // pixels
constexpr float kFarLine = 1.2f;                           // of the size
constexpr float kFarMargin = 3;                            // pixels
constexpr float kFarNarrowest = 1.2f;                      // of the size: narrower text is not legible

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

// The lines of a text that fit its room at a size, in scene units.
struct FarLines {
  float size = 0;
  std::string first, second;  // second: empty where one line is enough
  bool whole = false;         // nothing of it is cut
};

FarLines linesOf(const PictureItem& text, float size, float margin) {
  const float width = text.room.width - 2 * margin;
  const size_t cut = firstLine(text.text, size, width);
  const bool one = textWidth(text.text, size, true) <= width;
  FarLines out{size, text.text, {}, one};
  if (!one && cut != std::string::npos && text.room.height >= 2 * kFarLine * size) {
    out.first = text.text.substr(0, cut);
    out.second = text.text.substr(cut + 1);
    out.whole = textWidth(out.first, size, true) <= width && textWidth(out.second, size, true) <= width;
  }
  out.first = elideText(out.first, size, width, true);
  out.second = elideText(out.second, size, width, true);
  return out;
}

}  // namespace

// Rather a little smaller than cut.
std::vector<PictureItem> seenAt(const PictureItem& text, double zoom) {
  const auto scale = static_cast<float>(zoom);
  if (text.room.width <= 0 || zoom >= kReadableZoom || text.size >= kFarText / scale) return {text};
  const float margin = kFarMargin / scale, smallest = kFarSizes[std::size(kFarSizes) - 1] / scale;
  if (text.room.width - 2 * margin < kFarNarrowest * smallest || text.room.height < smallest) return {};
  FarLines lines;
  for (const float pixels : kFarSizes) {
    lines = linesOf(text, std::max(pixels / scale, text.size), margin);
    if (lines.whole) break;
  }
  const float middle = text.room.y + text.room.height / 2, step = kFarLine * lines.size;
  std::vector<PictureItem> out;
  if (lines.second.empty())
    out = {lineOf(text, lines.first, lines.size, middle - step / 2)};
  else
    out = {lineOf(text, lines.first, lines.size, middle - step), lineOf(text, lines.second, lines.size, middle)};
  std::erase_if(out, [](const PictureItem& line) { return line.text.empty(); });
  return out;
}

}  // namespace tessera
