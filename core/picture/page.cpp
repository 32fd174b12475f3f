// See page.h. Frames and notes are plain boxes and texts, so that every painter draws them.
#include "core/picture/page.h"

#include <algorithm>

#include "core/arrange/rectangles.h"

namespace tessera {
namespace {

constexpr float kTextSize = 11, kTitleSize = 13, kPadding = 8, kLine = 1.3f;

PointF pointOf(const PagePoint& p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }
RectF rectOf(const PageBox& b) {
  return {static_cast<float>(b.x), static_cast<float>(b.y), static_cast<float>(b.width), static_cast<float>(b.height)};
}

PictureItem boxItem(const RectF& bounds, ColorRole fill, ColorRole stroke, PictureItem::Part part) {
  PictureItem item;
  item.part = part;
  item.bounds = bounds;
  item.fill = fill;
  item.stroke = stroke;
  item.radius = 6;
  item.width = 1.2f;
  return item;
}

PictureItem textItem(PointF topLeft, const std::string& text, float size, bool bold, float room, ColorRole color) {
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = elideText(text, size, room, bold);
  item.bounds = {topLeft.x, topLeft.y, textWidth(item.text, size, bold), size * 1.25f};
  item.size = size;
  item.bold = bold;
  item.fill = color;
  item.stroked = false;
  item.minZoom = 0.2f;
  return item;
}

// Words set in lines as wide as the room; "\n" ends a line.
std::vector<std::string> wrapped(const std::string& text, float room) {
  std::vector<std::string> lines(1);
  std::string word;
  const auto take = [&] {
    const std::string joined = lines.back().empty() ? word : lines.back() + ' ' + word;
    if (lines.back().empty() || textWidth(joined, kTextSize) <= room)
      lines.back() = joined;
    else
      lines.push_back(word);
    word.clear();
  };
  for (char c : text) {
    if (c != ' ' && c != '\n') {
      word += c;
      continue;
    }
    take();
    if (c == '\n') lines.emplace_back();
  }
  take();
  return lines;
}

// The colours of frames and notes: those of the kinds of operations, light enough for text on them.
ColorRole colorOfPage(int32_t color, ColorRole plain) {
  constexpr ColorRole kColors[kPageColors] = {ColorRole::GroupFill, ColorRole::Elementwise,   ColorRole::DataMovement,
                                              ColorRole::Reduction, ColorRole::LinearAlgebra, ColorRole::Parameter,
                                              ColorRole::Constant};
  return color > 0 && color < kPageColors ? kColors[color] : plain;
}

void appendNote(Picture& picture, const PageBox& note, int32_t pageItem) {
  const RectF box = rectOf(note);
  picture.items.push_back(
      boxItem(box, colorOfPage(note.color, ColorRole::NodeFill), ColorRole::GroupBorder, PictureItem::Part::PageNote));
  picture.items.back().pageItem = pageItem;
  float y = box.y + kPadding;
  for (const std::string& line : wrapped(note.text, box.width - 2 * kPadding)) {
    if (y + kTextSize * kLine > box.y + box.height) break;
    picture.items.push_back(
        textItem({box.x + kPadding, y}, line, kTextSize, false, box.width - 2 * kPadding, ColorRole::NodeSubtext));
    y += kTextSize * kLine;
  }
  picture.bounds = unionOf(picture.bounds, box);
}

}  // namespace

Places placesOf(const ProjectPage& page) {
  Places out;
  for (const auto& [name, point] : page.instructions) out.instructions[name] = pointOf(point);
  for (const auto& [name, point] : page.groups) out.groups[name] = pointOf(point);
  for (const auto& [spot, points] : page.reroutes)
    for (const PagePoint& point : points) out.reroutes[spot].push_back(pointOf(point));
  return out;
}

std::optional<Flow> flowOf(const Project& project, const ProjectPage* page) {
  const bool placed = page && page->isPlaced();  // before flows were kept, places were for Down
  const PageFlow flow = !placed ? project.flow : page->flow == PageFlow::ByForm ? PageFlow::Down : page->flow;
  if (flow == PageFlow::ByForm) return std::nullopt;
  return flow == PageFlow::Right ? Flow::Right : Flow::Down;
}

void applyGroups(const ProjectPage& page, ViewOptions& options) {
  if (page.opened) options.openGroups = {page.openGroups.begin(), page.openGroups.end()};
}

Picture withPage(Picture picture, const ProjectPage& page) {
  std::vector<PictureItem> behind;
  for (const PageBox& frame : page.frames) {
    const RectF box = rectOf(frame);
    behind.push_back(boxItem(box, colorOfPage(frame.color, ColorRole::GroupFill), ColorRole::GroupBorder,
                             PictureItem::Part::PageFrame));
    behind.back().pageItem = static_cast<int32_t>(&frame - page.frames.data());
    behind.push_back(textItem({box.x + kPadding, box.y + kPadding / 2}, frame.text, kTitleSize, true,
                              box.width - 2 * kPadding, ColorRole::GroupText));
    picture.bounds = unionOf(picture.bounds, box);
  }
  picture.items.insert(picture.items.begin(), std::make_move_iterator(behind.begin()),
                       std::make_move_iterator(behind.end()));
  for (size_t i = 0; i < page.notes.size(); ++i)
    appendNote(picture, page.notes[i], static_cast<int32_t>(page.frames.size() + i));
  return picture;
}

}  // namespace tessera
