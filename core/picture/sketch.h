// Items of a picture as they are added: each kind of box and text with what all of its kind have. Used by draw.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/arrange/box_style.h"
#include "core/picture/picture.h"

namespace tessera {

class Sketch {
 public:
  static constexpr float kPortZoom = 0.35f;
  using Part = PictureItem::Part;

  Sketch(const GraphView& view, const Arrangement& arrangement) : view_(view), arrangement_(arrangement) {}

 protected:
  PictureItem& add(PictureItem::Kind kind, int32_t v, RectF bounds, float minZoom = 0) {
    PictureItem item;
    item.kind = kind;
    item.bounds = bounds;
    item.viewNode = v;
    if (v >= 0) item.instruction = view_.nodes[at(v)].instruction;
    item.minZoom = minZoom;
    picture_.items.push_back(std::move(item));
    return picture_.items.back();
  }
  PictureItem& addBox(int32_t v, RectF bounds, ColorRole fill, ColorRole stroke, float radius,
                      Part part = Part::Other) {
    PictureItem& item = add(PictureItem::Kind::Box, v, bounds);
    item.part = part;
    item.fill = fill;
    item.stroke = stroke;
    item.radius = radius;
    return item;
  }
  // `topLeft` is the upper edge of the line of text; the text is cut to maxWidth, in front of `kept`. Titles alone are
  // bold.
  void addText(int32_t v, PointF topLeft, std::string_view text, float size, float maxWidth, ColorRole color, bool bold,
               float minZoom, std::string_view kept = {}) {
    std::string cut = elideText(text, size, maxWidth - textWidth(kept, size, bold), bold).append(kept);
    if (cut.empty()) return;
    std::string all = std::string(text).append(kept);
    const RectF bounds{topLeft.x, topLeft.y, textWidth(cut, size, bold), size * 1.25f};
    PictureItem& item = add(PictureItem::Kind::Text, v, bounds, minZoom);
    if (bold) item.part = Part::Title;
    if (bold && v >= 0) item.room = titleRoom(v);
    if (bold && cut != all) item.whole = std::move(all);
    item.text = std::move(cut);
    item.size = size;
    item.bold = bold;
    item.fill = color;
    item.stroked = false;
  }

  // What a title may fill when seen from afar.
  RectF titleRoom(int32_t v) const {
    RectF room = arrangement_.boxes[at(v)];
    if (view_.nodes[at(v)].kind == ViewNode::Kind::OpenGroup) room.height = box::kGroupHeader + box::kGroupPadding;
    return room;
  }

  // A port of box `v`, in the form and colour of what goes through.
  void addPort(int32_t v, PointF p, const ViewPort& port) {
    constexpr float kHalf = box::kPort / 2;
    const ColorRole color = port.open                            ? ColorRole::NodeSubtext
                            : port.kind == ViewPort::Kind::Array ? typeRole(port.type)
                            : port.kind == ViewPort::Kind::Tuple ? ColorRole::Hue1
                                                                 : ColorRole::NodeSubtext;
    PictureItem* item;
    if (port.kind == ViewPort::Kind::Token && !port.open) {  // a rhombus
      item = &add(PictureItem::Kind::Path, v, {p.x - kHalf, p.y - kHalf, box::kPort, box::kPort});
      item->points = {
          {p.x, p.y - kHalf}, {p.x + kHalf, p.y}, {p.x, p.y + kHalf}, {p.x - kHalf, p.y}, {p.x, p.y - kHalf}};
      item->instruction = InstructionId();  // no wire
    } else {
      const float radius = port.kind == ViewPort::Kind::Tuple ? 1 : kHalf;
      item = &addBox(v, {p.x - kHalf, p.y - kHalf, box::kPort, box::kPort}, color, color, radius);
    }
    item->part = Part::Port;
    item->fill = port.open ? ColorRole::NodeFill : color;
    item->stroke = port.open ? color : ColorRole::NodeBorder;
    item->width = port.open ? 1.4f : 0.7f;
    item->minZoom = kPortZoom;
  }

  const GraphView& view_;
  const Arrangement& arrangement_;
  Picture picture_;
};

}  // namespace tessera
