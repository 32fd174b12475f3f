// NaN and infinities stand out: in red, and as gaps of a line.
#include "editor/canvas/value_strips.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"
#include "core/arrange/text_metrics.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/look/value_color.h"

namespace tessera {
namespace {

constexpr double kStripZoom = kReadableZoom, kMaxStrips = 300;
constexpr float kValueSize = 10;
constexpr double kLargeStrip = 60, kTextLine = 16;

// A node, or a closed group that one value leaves.
bool hasStrip(const ViewNode& node) {
  using Kind = ViewNode::Kind;
  return (node.kind == Kind::Instruction || node.kind == Kind::CollapsedGroup) && !node.chip && node.shows().valid();
}

QImage colorMap(const NodeValue& value, Theme theme) {
  const int rows = static_cast<int>(value.samples.size()) / value.columns;
  QImage image(value.columns, rows, QImage::Format_RGB32);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < value.columns; ++c) {
      const float sample = value.samples[static_cast<size_t>(r * value.columns + c)];
      image.setPixelColor(c, r,
                          std::isfinite(sample) ? valueColor(sample - value.zero, -value.zero, 1 - value.zero, theme)
                                                : toQColor(ColorRole::Error, theme));
    }
  return image;
}

QImage pixels(const NodeValue& value, Theme theme) {
  const int rows = static_cast<int>(value.samples.size()) / (3 * value.columns);
  QImage image(value.columns, rows, QImage::Format_RGB32);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < value.columns; ++c) {
      const float* at = &value.samples[static_cast<size_t>(3 * (r * value.columns + c))];
      const auto level = [&](int k) { return static_cast<int>(std::clamp(at[k], 0.0F, 1.0F) * 255); };
      const bool finite = std::isfinite(at[0]) && std::isfinite(at[1]) && std::isfinite(at[2]);
      image.setPixelColor(c, r, finite ? QColor(level(0), level(1), level(2)) : toQColor(ColorRole::Error, theme));
    }
  return image;
}

void paintBars(QPainter& painter, const NodeValue& value, const QRectF& area, Theme theme) {
  const double wide = area.width() / value.columns;
  for (int i = 0; i < value.columns; ++i) {
    const double high = area.height() * static_cast<double>(value.samples[static_cast<size_t>(i)]);
    painter.fillRect(QRectF(area.left() + i * wide, area.bottom() - high, std::max(wide - 0.6, 0.4), high),
                     toQColor(ColorRole::Selection, theme));
  }
}

QPainterPath lineOf(const NodeValue& value, const QRectF& area) {
  QPainterPath path;
  bool down = false;  // the pen is on the paper
  for (size_t i = 0; i < value.samples.size(); ++i) {
    const float sample = value.samples[i];
    if (!std::isfinite(sample)) {
      down = false;
      continue;
    }
    const QPointF at(area.left() + area.width() * static_cast<double>(i) /
                                       static_cast<double>(std::max<size_t>(value.samples.size() - 1, 1)),
                     area.bottom() - area.height() * static_cast<double>(sample));
    if (down)
      path.lineTo(at);
    else
      path.moveTo(at);
    down = true;
  }
  return path;
}

// In the middle of the strip, in the proportions of the array as far as that leaves something to see.
QRectF inProportion(const QRectF& area, double aspect) {
  constexpr double kLeast = 4;
  QSizeF size = QSizeF(std::clamp(aspect, 1e-3, 1e3), 1).scaled(area.size(), Qt::KeepAspectRatio);
  size = size.expandedTo({kLeast, kLeast}).boundedTo(area.size());
  return {area.center() - QPointF(size.width(), size.height()) / 2, size};
}

void paintForm(QPainter& painter, const NodeValue& value, const QRectF& area, Theme theme) {
  using Form = NodeValue::Form;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, value.form == Form::Image);
  if (value.form == Form::Heat) painter.drawImage(inProportion(area, value.aspect), colorMap(value, theme));
  if (value.form == Form::Bars) paintBars(painter, value, area, theme);
  if (value.form == Form::Image) {
    const QImage image = pixels(value, theme);
    painter.drawImage(inProportion(area, static_cast<double>(image.width()) / image.height()), image);
  }
  if (value.form != Form::Line) return;
  painter.setPen(QPen(toQColor(ColorRole::Selection, theme), 1.3));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(lineOf(value, area.adjusted(1, 2, -1, -2)));
}

}  // namespace

void ValueStrips::set(std::unordered_map<InstructionId, NodeValue> values) {
  values_ = std::move(values);
  canvas_.update();
}

void ValueStrips::paint(QPainter& painter) const {
  const GraphView* view = canvas_.view().get();
  if (values_.empty() || !view || canvas_.viewport().zoom() < kStripZoom) return;
  const QRectF visible = canvas_.viewport().visible();
  int painted = 0;
  for (size_t v = 0; v < view->nodes.size() && painted < kMaxStrips; ++v) {
    const ViewNode& node = view->nodes[v];
    if (!hasStrip(node) || view->stripOf(node) <= 0) continue;
    const auto found = values_.find(node.shows());
    const QRectF frame = canvas_.frameOf(static_cast<int32_t>(v));
    if (found == values_.end() || !frame.intersects(visible)) continue;
    const double high = view->stripOf(node);
    paintValue(painter, found->second, node.kind == ViewNode::Kind::Instruction && found->second.scrubs,
               QRectF(frame.left() + 6, frame.bottom() - high, frame.width() - 12, high - 6));
    ++painted;
  }
}

// A number in a field or a node's strip, or a constant that is drawn beside what it feeds.
bool ValueStrips::isNumber(InstructionId id) const {
  const GraphView* view = canvas_.view().get();
  const int32_t box = view ? view->boxOf(id) : -1;
  if (box < 0) return false;
  const ViewNode& node = view->nodes[static_cast<size_t>(box)];
  if (node.owner >= 0) return node.number;
  const auto found = values_.find(id);
  return found != values_.end() && found->second.scrubs;
}

InstructionId ValueStrips::numberAt(QPointF widget) const {
  const GraphView* view = canvas_.view().get();
  const int32_t hit = view && canvas_.viewport().zoom() >= kStripZoom ? canvas_.itemAt(widget) : -1;
  if (hit < 0) return {};
  const PictureItem& item = canvas_.picture()->items[static_cast<size_t>(hit)];
  if (item.viewNode < 0) return {};
  const ViewNode& node = view->nodes[static_cast<size_t>(item.viewNode)];
  if (node.owner >= 0) return node.number && !item.isFieldMark() ? node.instruction : InstructionId();
  if (values_.empty()) return {};
  const bool beside = node.kind == ViewNode::Kind::Attached;
  if (!beside && node.kind != ViewNode::Kind::Instruction) return {};
  const double stripTop = canvas_.frameOf(item.viewNode).bottom() - view->stripOf(node);
  const bool inStrip = beside ? view->valueStrip > 0 : canvas_.viewport().toScene(widget).y() >= stripTop;
  const auto found = values_.find(node.instruction);
  return inStrip && !node.chip && found != values_.end() && found->second.scrubs ? node.instruction : InstructionId();
}

InstructionId ValueStrips::pictureAt(QPointF widget) const {
  const GraphView* view = canvas_.view().get();
  if (values_.empty() || !view || canvas_.viewport().zoom() < kStripZoom) return {};
  const int32_t hit = canvas_.itemAt(widget);
  const int32_t v = hit < 0 ? -1 : canvas_.picture()->items[static_cast<size_t>(hit)].viewNode;
  if (v < 0 || !hasStrip(view->nodes[static_cast<size_t>(v)])) return {};
  const ViewNode& node = view->nodes[static_cast<size_t>(v)];
  const bool inStrip = canvas_.viewport().toScene(widget).y() >= canvas_.frameOf(v).bottom() - view->stripOf(node);
  const auto found = values_.find(node.shows());
  return inStrip && found != values_.end() && found->second.columns > 0 ? found->first : InstructionId();
}

// The picture at the left, the text at the right of the strip; in scene units.
void ValueStrips::paintValue(QPainter& painter, const NodeValue& value, bool scrubs, QRectF strip) const {
  painter.save();
  canvas_.viewport().toSceneUnits(painter);
  const QString shown = scrubs ? QStringLiteral("‹ %1 ›").arg(value.text) : value.text;
  const std::string text = elideText(shown.toStdString(), kValueSize, static_cast<float>(strip.width()));
  const double wide = textWidth(text, kValueSize);
  const bool large = strip.height() > kLargeStrip && value.columns > 0;  // the picture is above the text
  const bool pictured = !large && value.columns > 0 && strip.width() - wide > 20;
  if (large) {
    paintForm(painter, value, strip.adjusted(0, 0, 0, -kTextLine), canvas_.theme());
    strip.setTop(strip.bottom() - kTextLine);
  }
  if (pictured)
    paintForm(painter, value, QRectF(strip.left(), strip.top(), strip.width() - wide - 6, strip.height()),
              canvas_.theme());
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = text;
  item.size = kValueSize;
  item.fill = value.bad ? ColorRole::Error : ColorRole::NodeText;
  const double left = pictured ? strip.right() - wide : strip.left() + 4;
  item.bounds = {static_cast<float>(left), static_cast<float>(strip.center().y()) - kValueSize * 0.6f, 0, 0};
  paintItem(painter, item, canvas_.viewport().zoom(), canvas_.theme());
  painter.restore();
}

}  // namespace tessera
