// Few things, painted directly at each frame: of a selection of everything only as much as is in sight.
#include "editor/canvas/highlights.h"

#include <QPainter>
#include <algorithm>

#include "core/arrange/text_metrics.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/plate.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/thin_lines.h"

namespace tessera {
namespace {

constexpr size_t kMaxVisibleSelected = 400, kManyWires = 24;
constexpr double kSelectedWire = 2;   // pixels
constexpr double kReasonZoom = 0.45;  // below it marks have no room for words
constexpr float kReasonWidth = 420, kPreviewWidth = 320;

// A box under a colour that leaves it readable; a small one is the colour.
void paintVeil(QPainter& painter, const QRectF& box, QColor color) {
  constexpr double kVeil = 0.28, kOutlined = 8;
  if (box.width() < kOutlined) return painter.fillRect(box, color);
  painter.setPen(QPen(color, 2));
  color.setAlphaF(kVeil);
  painter.setBrush(color);
  painter.drawRoundedRect(box, 4, 4);
}

}  // namespace

void Highlights::setMarks(std::vector<Mark> marks) {
  marks_ = std::move(marks);
  canvas_.update();
}

void Highlights::setPreview(std::vector<NodePreview> preview) {
  preview_ = std::move(preview);
  canvas_.update();
}

void Highlights::setFound(std::optional<std::vector<InstructionId>> found) {
  if (!found && !found_) return;
  found_ = std::move(found);
  pictureChanged();
  canvas_.update();
}

// A group that hides some of what was found is lit like a box, and so is an open one that is found itself: a fusion.
void Highlights::pictureChanged() {
  findTinted();
  findColored();
  foundNodes_.clear();
  if (!found_ || !canvas_.view()) return;
  const auto& nodes = canvas_.view()->nodes;
  std::vector<bool> isFound(nodes.size());
  for (InstructionId id : *found_)
    if (const int32_t node = canvas_.nodeOf(id); node >= 0) isFound[static_cast<size_t>(node)] = true;
  for (size_t v = 0; v < nodes.size(); ++v)
    if (isFound[v]) foundNodes_.push_back(static_cast<int32_t>(v));
}

void Highlights::setTints(std::vector<std::pair<InstructionId, NodeTint>> tints) {
  tints_ = std::move(tints);
  findTinted();
  canvas_.update();
}

void Highlights::findTinted() {
  tintedNodes_.clear();
  if (tints_.empty() || !canvas_.view()) return;
  for (const auto& [id, tint] : tints_)
    if (const int32_t node = canvas_.nodeOf(id); node >= 0) tintedNodes_.emplace_back(node, tint);
  std::ranges::sort(tintedNodes_);
  size_t kept = 0;
  for (const auto& [node, tint] : tintedNodes_) {
    if (kept > 0 && tintedNodes_[kept - 1].first == node) {
      if (tintedNodes_[kept - 1].second != tint) tintedNodes_[kept - 1].second = NodeTint::Changed;
    } else {
      tintedNodes_[kept++] = {node, tint};
    }
  }
  tintedNodes_.resize(kept);
}

// The box of a node as it is drawn now: from afar a field is part of its reader.
int32_t Highlights::drawnBox(int32_t node) const {
  const ViewNode& shown = canvas_.view()->nodes[static_cast<size_t>(node)];
  const bool isPart = shown.kind == ViewNode::Kind::Attached && shown.owner >= 0;
  return isPart && canvas_.viewport().zoom() < kReadableZoom ? shown.owner : node;
}

void Highlights::paintTints(QPainter& painter, const QRectF& visible) const {
  for (const auto& [node, tint] : tintedNodes_) {
    const int32_t drawn = drawnBox(node);
    if (drawn != node && std::ranges::binary_search(tintedNodes_, drawn, {}, &std::pair<int32_t, NodeTint>::first))
      continue;
    if (const QRectF frame = canvas_.frameOf(drawn); frame.intersects(visible))
      paintVeil(painter, seenBox(frame), tessera::colorOf(tint, canvas_.theme()));
  }
}

void Highlights::setColored(std::vector<std::pair<InstructionId, SearchLook>> colored) {
  if (colored.empty() && colored_.empty()) return;
  colored_ = std::move(colored);
  findColored();
  canvas_.update();
}

void Highlights::findColored() {
  coloredNodes_.clear();
  if (colored_.empty() || !canvas_.view()) return;
  std::vector<std::pair<int32_t, SearchLook>> each;
  for (const auto& [id, look] : colored_)
    if (const int32_t node = canvas_.nodeOf(id); node >= 0) each.emplace_back(node, look);
  std::ranges::sort(each);
  each.erase(std::ranges::unique(each).begin(), each.end());
  for (const auto& [node, look] : each) {
    if (coloredNodes_.empty() || coloredNodes_.back().first != node) coloredNodes_.push_back({node, {}});
    coloredNodes_.back().second.push_back(look);
  }
}

// Where several are of a box, they are stripes at its lower edge, below the words.
void Highlights::paintColored(QPainter& painter, const QRectF& visible) const {
  constexpr double kLeastStripe = 3;  // pixels
  for (const auto& [node, looks] : coloredNodes_) {
    const QRectF frame = canvas_.frameOf(drawnBox(node));
    if (!frame.intersects(visible)) continue;
    const QRectF box = seenBox(frame);
    if (looks.size() == 1) {
      paintVeil(painter, box, tessera::colorOf(looks[0]));
      continue;
    }
    const double width = box.width() / static_cast<double>(looks.size()),
                 height = std::max(kLeastStripe, box.height() / 4);
    for (size_t k = 0; k < looks.size(); ++k)
      painter.fillRect(QRectF(box.left() + static_cast<double>(k) * width, box.bottom() - height, width, height),
                       tessera::colorOf(looks[k]));
  }
}

// In pixels; a box far away is a dot that can be seen.
QRectF Highlights::seenBox(const QRectF& scene) const {
  constexpr double kLeast = 3;
  const QRectF box = canvas_.viewport().toWidget(scene);
  const double grow = std::max(0.0, kLeast - std::min(box.width(), box.height())) / 2;
  return box.adjusted(-grow, -grow, grow, grow);
}

// A veil over everything with a hole for each box: an image, since a path of thousands of holes takes seconds.
void Highlights::paintFound(QPainter& painter, const QRectF& visible) const {
  if (!found_) return;
  constexpr double kDimmed = 0.72;
  const double ratio = canvas_.devicePixelRatioF();
  QImage veil(canvas_.size() * ratio, QImage::Format_ARGB32_Premultiplied);
  veil.setDevicePixelRatio(ratio);
  veil.fill(colorOf(ColorRole::Background, kDimmed));
  QPainter holes(&veil);
  holes.setCompositionMode(QPainter::CompositionMode_Clear);
  std::vector<QRectF> lit;
  for (int32_t node : foundNodes_) {
    const QRectF frame = canvas_.frameOf(drawnBox(node));
    if (!frame.intersects(visible)) continue;
    lit.push_back(seenBox(frame));
    holes.fillRect(lit.back(), Qt::black);
    lightBelow(holes, node, frame);
  }
  holes.end();
  painter.drawImage(QPointF(), veil);
  if (lit.size() > kMaxVisibleSelected) return;
  painter.setPen(QPen(colorOf(ColorRole::Selection, 0.8), 1.5));
  painter.setBrush(Qt::NoBrush);
  for (const QRectF& box : lit) painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 4, 4);
}

// What hangs under a box is its own: the measure, and the word that it is the result.
void Highlights::lightBelow(QPainter& holes, int32_t node, const QRectF& frame) const {
  constexpr float kHangs = 20;
  if (!canvas_.index()) return;
  const RectF below{static_cast<float>(frame.left()), static_cast<float>(frame.bottom()),
                    static_cast<float>(frame.width()), kHangs};
  for (uint32_t i : canvas_.index()->itemsIn(*canvas_.picture(), below, canvas_.viewport().zoom())) {
    const PictureItem& item = canvas_.picture()->items[i];
    if (item.viewNode == node && item.kind == PictureItem::Kind::Box && item.bounds.y >= below.y)
      holes.fillRect(canvas_.viewport().toWidget(toQRectF(item.bounds)).adjusted(-1, -1, 1, 1), Qt::black);
  }
}

QColor Highlights::colorOf(ColorRole role, double opacity) const {
  QColor color = toQColor(role, canvas_.theme());
  color.setAlphaF(static_cast<float>(opacity));
  return color;
}

void Highlights::paint(QPainter& painter, const QRectF& exposed, bool wires) const {
  constexpr double kReach = 8;  // pixels around a box or wire
  const QRectF reach = exposed.adjusted(-kReach, -kReach, kReach, kReach);
  const QRectF visible(canvas_.viewport().toScene(reach.topLeft()), reach.size() / canvas_.viewport().zoom());
  paintTints(painter, visible);
  paintColored(painter, visible);
  paintFound(painter, visible);
  if (wires) paintSelectedWires(painter, visible);
  paintSelection(painter, visible);
  paintMarks(painter, canvas_.viewport().visible());  // its words reach far
  paintHover(painter);
}

void Highlights::paintOutline(QPainter& painter, const QRectF& scene, double opacity, double width) const {
  const double radius = 5 * canvas_.viewport().zoom() + width;
  painter.setPen(QPen(colorOf(ColorRole::Selection, opacity), width));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(canvas_.viewport().toWidget(scene).adjusted(-width, -width, width, width), radius, radius);
}

void Highlights::paintWire(QPainter& painter, const PictureItem& wire, double opacity) const {
  const double zoom = canvas_.viewport().zoom();
  PictureItem thick = wire;
  thick.width = static_cast<float>(std::max(2.5, kSelectedWire / zoom));
  thick.stroke = ColorRole::Selection;
  thick.minZoom = 0;
  painter.save();
  canvas_.viewport().toSceneUnits(painter);
  painter.setOpacity(opacity);
  paintItem(painter, thick, zoom, canvas_.theme());
  painter.restore();
}

void Highlights::paintSelection(QPainter& painter, const QRectF& visible) const {
  size_t painted = 0;
  for (int32_t node : canvas_.selectedNodes()) {
    const QRectF frame = canvas_.frameOf(drawnBox(node));
    if (!frame.intersects(visible)) continue;
    paintOutline(painter, frame, 1, 2.5);
    if (++painted == kMaxVisibleSelected) break;
  }
}

// Many from afar: as thin lines in an image of their own, for each of which QPainter would make an outline.
void Highlights::paintSelectedWires(QPainter& painter, const QRectF& visible) const {
  constexpr double kOpacity = 0.6;
  std::vector<const PictureItem*> wires;
  QRectF all;
  for (int32_t item : canvas_.selectedWires()) {
    const PictureItem& wire = canvas_.picture()->items[static_cast<size_t>(item)];
    if (!wire.isSeenAt(canvas_.viewport().zoom())) continue;  // not drawn at all so far out
    const QRectF box = toQRectF(wire.bounds).adjusted(-2, -2, 2, 2).intersected(visible);
    if (box.isEmpty()) continue;
    wires.push_back(&wire);
    all |= box;
  }
  const double zoom = canvas_.viewport().zoom();
  if (zoom >= kReadableZoom || wires.size() < kManyWires) {
    for (const PictureItem* wire : wires) paintWire(painter, *wire, kOpacity);
    return;
  }
  const double ratio = canvas_.devicePixelRatioF();
  const QRect part = canvas_.viewport().toWidget(all).toAlignedRect();
  QImage image(part.size() * ratio, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  ThinLines lines(image, canvas_.viewport().toScene(part.topLeft()), zoom * ratio);
  lines.setPen(colorOf(ColorRole::Selection), std::min(kSelectedWire * ratio, ThinLines::kWidest));
  for (const PictureItem* wire : wires) lines.path(wire->points, wire->curved);
  image.setDevicePixelRatio(ratio);
  painter.setOpacity(kOpacity);
  painter.drawImage(part.topLeft(), image);
  painter.setOpacity(1);
}

void Highlights::paintHover(QPainter& painter) const {
  const PictureItem* item = canvas_.hoveredItem();
  if (!item) return;
  if (item->kind == PictureItem::Kind::Path)
    paintWire(painter, *item, 0.7);
  else
    paintOutline(painter, canvas_.frameOf(item->viewNode), 0.7, 1.5);
}

// What changes glows, what would break glows with its reason.
void Highlights::paintPreview(QPainter& painter) const {
  const QRectF visible = canvas_.viewport().visible();
  for (const NodePreview& each : preview_) {
    const QRectF frame = canvas_.boxOf(each.instruction);
    if (frame.isEmpty() || !frame.intersects(visible)) continue;
    const ColorRole role = each.wrong ? ColorRole::Error : ColorRole::Selection;
    const QRectF box = canvas_.viewport().toWidget(frame);
    painter.setBrush(Qt::NoBrush);
    for (int ring = 3; ring > 0; --ring) {
      painter.setPen(QPen(colorOf(role, 0.35 / ring), 3.0 * ring));
      painter.drawRoundedRect(box, 6, 6);
    }
    if (!each.text.isEmpty())
      paintPlate(painter, canvas_.size(), box.topRight() + QPointF(6, 4),
                 QString::fromStdString(elideText(each.text.toStdString(), kPlateText, kPreviewWidth)), role, true,
                 canvas_.theme());
  }
}

void Highlights::paintMarks(QPainter& painter, const QRectF& visible) const {
  const QColor color = colorOf(ColorRole::Error);
  for (const auto& [id, reason] : marks_) {
    const QRectF frame = canvas_.boxOf(id);
    if (frame.isEmpty() || !frame.intersects(visible)) continue;
    const QRectF box = canvas_.viewport().toWidget(frame);
    painter.setPen(QPen(color, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 6, 6);
    if (canvas_.viewport().zoom() < kReasonZoom || reason.isEmpty()) continue;
    paintPlate(painter, canvas_.size(), box.topLeft() - QPointF(0, 22),
               QString::fromStdString(elideText(reason.toStdString(), kPlateText, kReasonWidth)), ColorRole::Error,
               false, canvas_.theme());
  }
}

}  // namespace tessera
