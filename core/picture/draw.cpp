// draw: boxes, wires and texts of an arranged view as a display list, in painter's order: open groups, wires, nodes.
// Levels of detail are a smallest zoom per item. Canvas, SVG and screenshots paint the list as it is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/arrange/box_style.h"
#include "core/arrange/curves.h"
#include "core/arrange/rectangles.h"
#include "core/arrange/sockets.h"
#include "core/picture/sketch.h"

namespace tessera {
namespace {

constexpr float kTitleZoom = 0.1f, kSubtitleZoom = kReadableZoom, kGroupTitleZoom = 0.2f, kWireZoom = 0.04f;
constexpr float kHeatBar = 6;
constexpr float kCoverZoom = 0.3f, kCoverSize = 110;  // pixels: sides of a square of the group's area
constexpr float kBadgeHeight = 13, kBadgeSize = 9.5f;
constexpr float kFarMarkZoom = 0.3f, kFarMarkRoom = 40, kFarMarkWidth = 150;
constexpr float kRing = 6;  // what a selected box has round it

RectF boundsOf(const std::vector<PointF>& points) {
  float left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (PointF p : points) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  return {left, top, right - left, bottom - top};
}

class Drawer : Sketch {
 public:
  Drawer(const Module& module, const GraphView& view, const Arrangement& arrangement, const Overlay* overlay)
      : Sketch(view, arrangement), module_(module), overlay_(overlay) {
    if (overlay) entries_ = boxEntries(view, *overlay);
  }

  Picture run(const std::stop_token& stop) {
    picture_.bounds = arrangement_.bounds;
    const auto count = static_cast<int32_t>(view_.nodes.size());
    picture_.items.reserve(view_.nodes.size() * 4 + view_.edges.size());
    for (int32_t v = 0; v < count; ++v)
      if (view_.nodes[at(v)].kind == ViewNode::Kind::OpenGroup) drawOpenGroup(v);
    for (size_t e = 0; e < view_.edges.size() && !stop.stop_requested(); ++e) drawWire(e);
    for (int32_t v = 0; v < count && !stop.stop_requested(); ++v) drawNode(v);
    for (const ViewEdge& edge : view_.edges)
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) drawBesidePort(edge);
    for (int32_t v = count; v-- > 0;)  // content comes later in the view
      if (view_.nodes[at(v)].kind == ViewNode::Kind::OpenGroup) drawCover(v);
    return std::move(picture_);
  }

 private:
  const Overlay::Entry* measureOf(int32_t v) const {
    return overlay_ && overlay_->shows(entries_[at(v)]) ? &entries_[at(v)] : nullptr;
  }

  // A result's line with every size in the hue of its dimension; too long ones are cut and plain.
  void addSizes(int32_t v, PointF topLeft, float maxWidth, float minZoom) {
    const ViewNode& node = view_.nodes[at(v)];
    const std::string& text = node.subtitle;
    if (node.hues.empty() || node.sizes.empty() || textWidth(text, box::kSubtitleSize) > maxWidth)
      return addText(v, topLeft, text, box::kSubtitleSize, maxWidth, ColorRole::NodeSubtext, false, minZoom);
    const auto put = [&](std::string_view part, ColorRole color) {
      const float width = textWidth(part, box::kSubtitleSize);
      if (!part.empty()) addText(v, topLeft, part, box::kSubtitleSize, width + 1, color, false, minZoom);
      topLeft.x += width;
    };
    const std::string_view all(text);
    size_t from = 0;
    for (size_t d = 0; d < node.sizes.size(); ++d) {
      const SizeSpan size = node.sizes[d];
      put(all.substr(from, size.begin - from), ColorRole::NodeSubtext);
      put(all.substr(size.begin, size.end - size.begin), hueRole(d < node.hues.size() ? node.hues[d] : -1));
      from = size.end;
    }
    put(all.substr(from), ColorRole::NodeSubtext);
  }

  void drawOpenGroup(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    addBox(v, b, groupFill(v), ColorRole::GroupBorder, 8, Part::Frame).width = 1.2f;
  }
  // Below it an open group is covered.
  float coverZoom(int32_t v) const {
    const RectF& b = arrangement_.boxes[at(v)];
    return std::min(kCoverZoom, kCoverSize / std::sqrt(std::max(b.width * b.height, 1.f)));
  }
  // What is too small to be read inside of a group is not shown: the group is its title and its heat.
  void drawCover(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    const float zoom = coverZoom(v);
    PictureItem& plate = addBox(v, b, ColorRole::GroupFill, ColorRole::GroupBorder, 8);
    plate.width = 1 / zoom;
    plate.maxZoom = zoom;
    if (const Overlay::Entry* measure = measureOf(v)) {
      const RectF side{b.x, b.y, std::min(kHeatBar / zoom, b.width / 4), b.height};
      PictureItem& bar = addBox(v, side, roleOf(*overlay_, *measure), ColorRole::NodeBorder, 2);
      bar.hatched = !measure->measured;
      bar.maxZoom = zoom;
    }
    PictureItem& title = add(PictureItem::Kind::Text, v, b);
    title.text = view_.nodes[at(v)].title;
    title.room = b;
    title.bold = true;
    title.fill = ColorRole::GroupText;
    title.stroked = false;
    title.maxZoom = zoom;
  }
  // Nested groups alternate.
  ColorRole groupFill(int32_t v) const {
    bool outer = true;
    for (int32_t p = view_.nodes[at(v)].parent; p >= 0; p = view_.nodes[at(p)].parent) outer = !outer;
    return outer ? ColorRole::GroupFill : ColorRole::Background;
  }

  // After the wires, so that none crosses it.
  void drawGroupTitle(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    const ViewNode& node = view_.nodes[at(v)];
    float room = b.width - 2 * box::kTextPadding;
    if (const Overlay::Entry* measure = measureOf(v)) {
      const std::string text = overlay_->textOf(*measure);
      const float width = textWidth(text, box::kSubtitleSize);
      room -= width + box::kTextPadding;
      addText(v, {b.x + b.width - box::kTextPadding - width, b.y + 9}, text, box::kSubtitleSize, width + 1,
              ColorRole::GroupText, false, kSubtitleZoom);
    }
    const std::string title = elideText("▾ " + node.title, box::kGroupTitleSize, room, true);
    if (title.empty()) return;
    PictureItem& plate =
        addBox(v, {b.x + 4, b.y + 4, textWidth(title, box::kGroupTitleSize, true) + 2 * box::kTextPadding - 6, 22},
               groupFill(v), ColorRole::GroupBorder, 4);  // wires run under it
    plate.stroked = false;
    plate.minZoom = kReadableZoom;
    addText(v, {b.x + box::kTextPadding, b.y + 7}, "▾ " + node.title, box::kGroupTitleSize, room + 1,
            ColorRole::GroupText, true, std::max(kGroupTitleZoom, coverZoom(v)));
  }

  void drawWire(size_t e) {
    const auto& route = arrangement_.routes[e];
    if (route.size() < 2) return;
    const ViewEdge& edge = view_.edges[e];
    const bool attached = view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached;
    std::vector<PointF> points = attached ? route : curveOf(route, view_.flow);
    PictureItem& item = add(PictureItem::Kind::Path, -1, boundsOf(points), attached ? kSubtitleZoom : kWireZoom);
    item.points = std::move(points);
    item.curved = !attached;
    item.arrow = !attached;
    item.filled = false;
    item.stroke = ColorRole::Wire;
    item.width = 1.1f;
    item.instruction = edge.value;
    item.viewEdge = static_cast<int32_t>(e);
  }

  void drawNode(int32_t v) {
    switch (view_.nodes[at(v)].kind) {
      case ViewNode::Kind::OpenGroup: return drawGroupTitle(v);
      case ViewNode::Kind::Attached: return drawAttached(v);
      case ViewNode::Kind::CollapsedGroup: return drawCollapsed(v);
      case ViewNode::Kind::Instruction: return drawInstruction(v);
    }
  }

  // The input's name, its value in a field, and the mark that pulls it out.
  void drawField(int32_t v) {
    const ViewNode& node = view_.nodes[at(v)];
    const RectF &b = arrangement_.boxes[at(v)], &user = arrangement_.boxes[at(node.owner)];
    const float line = b.y + (b.height - box::kAttachedSize * 1.25f) / 2;
    addText(v, {user.x + box::kRowMargin, line}, node.label, box::kAttachedSize, b.x - user.x - box::kRowMargin - 2,
            ColorRole::NodeSubtext, false, kSubtitleZoom);
    PictureItem& field = addBox(v, b, ColorRole::Constant, ColorRole::NodeBorder, 4, Part::Frame);
    field.width = 0.7f;
    field.minZoom = kReadableZoom;
    const RectF mark{b.x + b.width - box::kPullMark, b.y, box::kPullMark, b.height};
    PictureItem& pull = addBox(v, mark, ColorRole::Constant, ColorRole::NodeBorder, 4, Part::PullMark);
    pull.filled = pull.stroked = false;
    pull.minZoom = kSubtitleZoom;
    addText(v, {mark.x + 2, line}, "↗", 9, mark.width, ColorRole::NodeSubtext, false, kSubtitleZoom);
    const float room = b.width - box::kPullMark - 8;
    const std::string shown = node.number ? "‹ " + node.title + " ›" : node.title;
    const std::string text = elideText(shown, box::kAttachedSize, room);
    const float width = textWidth(text, box::kAttachedSize);
    addText(v, {b.x + 4 + (room - width) / 2, line}, text, box::kAttachedSize, width + 1, ColorRole::NodeText, false,
            kSubtitleZoom);
  }

  void drawAttached(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    const ViewNode& node = view_.nodes[at(v)];
    if (node.owner >= 0) return drawField(v);
    addBox(
        v, b,
        categoryOf(module_.at(node.instruction)) == ColorRole::Parameter ? ColorRole::Parameter : ColorRole::Constant,
        ColorRole::NodeBorder, b.height / 2, Part::Frame)
        .width = 0.8f;
    const std::string text = elideText(node.title, box::kAttachedSize, b.width - 12);
    const float width = textWidth(text, box::kAttachedSize);
    addText(v, {b.x + (b.width - width) / 2, b.y + 4}, text, box::kAttachedSize, width + 1, ColorRole::NodeText, false,
            kSubtitleZoom);
  }

  void drawCollapsed(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    for (float back = view_.nodes[at(v)].repeats > 0 ? 9.f : 3.f; back > 0; back -= 3)
      addBox(-1, {b.x + back, b.y + back, b.width, b.height}, ColorRole::GroupFill, ColorRole::GroupBorder, 6);
    PictureItem& frame = addBox(v, b, ColorRole::GroupFill, ColorRole::GroupBorder, 6, Part::Frame);
    const ViewNode& node = view_.nodes[at(v)];
    frame.width = node.result ? 2.4f : 1.4f;
    const float row = namesAbove(node, view_.flow);
    drawHeat(v);
    const std::string times = node.repeats > 0 ? fmt::format(" ×{}", node.repeats) : std::string();
    addText(v, {b.x + box::kTextPadding, b.y + 5 + row}, "▸ " + node.title, box::kTitleSize,
            b.width - 2 * box::kTextPadding + 1, ColorRole::GroupText, true, kTitleZoom, times);
    addText(v, {b.x + box::kTextPadding, b.y + 26 + row}, node.subtitle, box::kSubtitleSize,
            b.width - 2 * box::kTextPadding, ColorRole::NodeSubtext, false, kSubtitleZoom);
    drawPorts(v);
    if (node.result) drawResultMark(v);
    drawBadge(v);
  }

  // What comes out of it; the wire runs through it. Several instructions say that they can be opened.
  void drawChip(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    addBox(v, b, ColorRole::DataMovement, ColorRole::NodeBorder, b.height / 2, Part::Frame).width = 0.8f;
    const std::string text = elideText(chipText(view_.nodes[at(v)]), box::kAttachedSize, b.width - 12);
    const float width = textWidth(text, box::kAttachedSize);
    addText(v, {b.x + (b.width - width) / 2, b.y + 4}, text, box::kAttachedSize, width + 1, ColorRole::NodeText, false,
            kSubtitleZoom);
  }

  void drawInstruction(int32_t v) {
    if (view_.nodes[at(v)].chip) return drawChip(v);
    const RectF& b = arrangement_.boxes[at(v)];
    const ViewNode& node = view_.nodes[at(v)];
    PictureItem& frame =
        addBox(v, b, node.instruction.valid() ? categoryOf(module_.at(node.instruction)) : ColorRole::Other,
               ColorRole::NodeBorder, 5, Part::Frame);
    if (node.result) frame.width = 2.4f;
    const float row = namesAbove(node, view_.flow), top = box::kTitleHeight + row;
    PictureItem& body =
        addBox(v, {b.x + 1, b.y + top, b.width - 2, b.height - top - 1}, ColorRole::NodeFill, ColorRole::NodeFill, 4);
    body.stroked = false;
    body.minZoom = kReadableZoom;
    drawHeat(v);
    addText(v, {b.x + box::kTextPadding, b.y + 5.5f + row}, node.title, box::kTitleSize,
            b.width - 2 * box::kTextPadding - (node.pulled ? box::kPullMark - 4 : 0), ColorRole::NodeText, true,
            kTitleZoom);
    if (node.pulled) drawFoldMark(v);
    addSizes(v, {b.x + box::kTextPadding, b.y + 25 + row}, b.width - 2 * box::kTextPadding, kSubtitleZoom);
    if (!node.source.empty()) drawSource(v);
    drawPorts(v);
    if (node.result) drawResultMark(v);
    drawBadge(v);
  }

  // A field below the shape that opens the choice of sources.
  void drawSource(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    const RectF field{b.x + box::kRowMargin, b.y + box::kNodeHeight + 1, b.width - 2 * box::kRowMargin,
                      box::kFieldHeight};
    PictureItem& plate = addBox(v, field, ColorRole::NodeFill, ColorRole::NodeBorder, 4, Part::Source);
    plate.width = 0.7f;
    plate.minZoom = kReadableZoom;
    const float line = field.y + (field.height - box::kAttachedSize * 1.25f) / 2;
    addText(v, {field.x + 6, line}, view_.nodes[at(v)].source, box::kAttachedSize, field.width - 22,
            ColorRole::NodeSubtext, false, kSubtitleZoom);
    addText(v, {field.x + field.width - 13, line}, "▾", 9, 12, ColorRole::NodeSubtext, false, kSubtitleZoom);
  }

  // --- ports
  void drawPorts(int32_t v) {
    const ViewNode& node = view_.nodes[at(v)];
    if (!node.instruction.valid() || view_.nodes.size() > kMostWithPorts) return;
    if (node.kind == ViewNode::Kind::CollapsedGroup && !node.caller) return;
    const RectF& b = arrangement_.boxes[at(v)];
    for (const ViewPort& port : node.inputs) {
      const PointF p = *inputSocket(node, b, port.operand, view_.flow);
      addPort(v, p, port);
      if (hasPortNames(node)) addPortName(v, p, port.name);
    }
    if (node.appends) {
      const PointF p = appendSocket(node, b, view_.flow);
      const PointF text = view_.flow == Flow::Right ? PointF{p.x + 4, p.y - 6} : PointF{p.x - 3, b.y + 2};
      addText(v, text, "+", 9, 12, ColorRole::NodeText, false, kReadableZoom);
    }
    addPort(v, outputSocket(node, b, view_.flow), node.output);
  }
  // Below its port, or right of it.
  void addPortName(int32_t v, PointF p, const std::string& full) {
    const ViewNode& node = view_.nodes[at(v)];
    const RectF& b = arrangement_.boxes[at(v)];
    if (view_.flow == Flow::Right) {
      constexpr float kNameLine = box::kAttachedSize * 1.25f;
      if (inputRowHeight(node) < kNameLine - 2) return;
      return addText(v, {p.x + box::kTextPadding, p.y - kNameLine / 2}, full, box::kAttachedSize,
                     b.width - 2 * box::kTextPadding, ColorRole::NodeSubtext, false, kReadableZoom);
    }
    const float pitch =
        (b.width - (node.appends ? box::kAppendRoom : 0)) / static_cast<float>(std::max<size_t>(node.inputs.size(), 1));
    const std::string name = elideText(full, box::kPortText, pitch - 2);
    const float width = textWidth(name, box::kPortText);
    addText(v, {p.x - width / 2, b.y + 4}, name, box::kPortText, width + 1, ColorRole::NodeText, false, kReadableZoom);
  }

  // Of what is in its reader or beside it.
  void drawBesidePort(const ViewEdge& edge) {
    const ViewNode& reader = view_.nodes[at(edge.to)];
    if (reader.kind != ViewNode::Kind::Instruction || reader.chip || view_.nodes.size() > kMostWithPorts) return;
    addPort(edge.to, besideSocket(arrangement_.boxes[at(edge.to)], arrangement_.boxes[at(edge.from)]),
            view_.nodes[at(edge.from)].output);
  }

  // A flag under the output, or under the end of the box: the computation's result. From afar the word alone.
  void drawResultMark(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    constexpr std::string_view kWord = "result";
    const float width = textWidth(kWord, kBadgeSize) + 8;
    const bool right = view_.flow == Flow::Right;
    const float room = b.width - width;
    const float x = measureOf(v) ? b.x : b.x + (right ? room : room / 2);  // beside the badge of the measure
    const RectF plate{x, b.y + b.height + (right ? kRing : box::kPort / 2 + 1), width, kBadgeHeight};
    PictureItem& flag = addBox(v, plate, ColorRole::Parameter, ColorRole::NodeBorder, 3);
    flag.width = 0.8f;
    flag.minZoom = kSubtitleZoom;
    const auto afar = farMarkRoom(v);
    addText(v, {plate.x + 4, plate.y + 1}, kWord, kBadgeSize, width, ColorRole::NodeText, false,
            afar ? kFarMarkZoom : kSubtitleZoom);
    if (!afar) return;
    picture_.items.back().room = *afar;
    // What is seen as a whole from afar shows its marks whole.
    if (view_.room.zoomOf(picture_.bounds) < kReadableZoom) picture_.bounds = unionOf(picture_.bounds, *afar);
  }
  // Below, right of or above the box and its ring, where no other box is; absent: there is one everywhere.
  std::optional<RectF> farMarkRoom(int32_t v) const {
    const RectF& b = arrangement_.boxes[at(v)];
    const float width = std::max(b.width, kFarMarkWidth), left = b.x + (b.width - width) / 2;
    for (const RectF& room :
         {RectF{left, b.y + b.height + kRing, width, kFarMarkRoom},
          RectF{b.x + b.width + kRing, b.y + (b.height - kFarMarkRoom) / 2, kFarMarkWidth, kFarMarkRoom},
          RectF{left, b.y - kRing - kFarMarkRoom, width, kFarMarkRoom}})
      if (isFree(room, v)) return room;
    return std::nullopt;
  }
  // But for the box itself and groups round it, below their titles.
  bool isFree(const RectF& room, int32_t v) const {
    constexpr float kGap = 2;
    const RectF wide{room.x - kGap, room.y - kGap, room.width + 2 * kGap, room.height + 2 * kGap};
    const auto isRound = [&](size_t group) {
      int32_t above = view_.nodes[at(v)].parent;
      while (above >= 0 && at(above) != group) above = view_.nodes[at(above)].parent;
      return above >= 0;
    };
    for (size_t other = 0; other < arrangement_.boxes.size(); ++other) {
      const RectF& box = arrangement_.boxes[other];
      if (other == at(v) || !wide.intersects(box)) continue;
      const RectF inside{box.x, box.y + box::kGroupHeader, box.width, box.height - box::kGroupHeader};
      if (!isRound(other) || !inside.contains({wide.x, wide.y}) ||
          !inside.contains({wide.x + wide.width, wide.y + wide.height}))
        return false;
    }
    return true;
  }

  // On what was pulled out of its reader.
  void drawFoldMark(int32_t v) {
    const RectF& b = arrangement_.boxes[at(v)];
    const RectF mark{b.x + b.width - box::kPullMark - 3, b.y + 3, box::kPullMark, box::kTitleHeight - 5};
    PictureItem& fold = addBox(v, mark, ColorRole::Constant, ColorRole::NodeBorder, 4, Part::FoldMark);
    fold.width = 0.7f;
    fold.minZoom = kSubtitleZoom;
    addText(v, {mark.x + 3, mark.y + 2}, "↙", 10, mark.width, ColorRole::NodeText, false, kSubtitleZoom);
  }

  // A bar at the left edge: a body of another colour would say something else.
  void drawHeat(int32_t v) {
    const Overlay::Entry* measure = measureOf(v);
    if (!measure) return;
    const RectF& b = arrangement_.boxes[at(v)];
    PictureItem& bar = addBox(v, {b.x, b.y, kHeatBar, b.height}, roleOf(*overlay_, *measure), ColorRole::NodeBorder, 2);
    bar.hatched = !measure->measured;
    bar.width = 0.7f;
  }

  // The measure, on a plate under the lower right corner, where a selection leaves it whole.
  void drawBadge(int32_t v) {
    const Overlay::Entry* measure = measureOf(v);
    if (!measure) return;
    const RectF& b = arrangement_.boxes[at(v)];
    const std::string text = overlay_->textOf(*measure);
    const float width = textWidth(text, kBadgeSize) + 8;
    const RectF plate{b.x + b.width - width, b.y + b.height + kRing, width, kBadgeHeight};
    PictureItem& box = addBox(v, plate, ColorRole::NodeFill, ColorRole::NodeBorder, 3);
    box.width = 0.6f;
    box.minZoom = kSubtitleZoom;
    addText(v, {plate.x + 4, plate.y + 1}, text, kBadgeSize, width, ColorRole::NodeText, false, kSubtitleZoom);
  }

  const Module& module_;
  const Overlay* overlay_;
  std::vector<Overlay::Entry> entries_;  // by box
};

}  // namespace

Picture draw(const Module& module, const GraphView& view, const Arrangement& arrangement, const Overlay* overlay,
             const std::stop_token& stop) {
  return Drawer(module, view, arrangement, overlay).run(stop);
}

}  // namespace tessera
