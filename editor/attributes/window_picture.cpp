// Cells count from the first padding; a large array is shown by its first cells.
#include "editor/attributes/window_picture.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "core/hlo/module.h"

namespace tessera {
namespace {

constexpr int64_t kMaxData = 9, kMaxPadding = 8;
constexpr double kLargestCell = 22, kReach = 10;
constexpr int kWordsHeight = 40;
constexpr WindowDimension kNone{};

std::vector<int64_t> baseSizes(const Module& module, const Instruction& instruction) {
  if (instruction.operands.empty() || !module.contains(instruction.operands[0])) return {};
  const Shape& shape = module.shapeOf(instruction.operands[0]);
  if (!shape.isArray()) return {};
  const auto* dims = instruction.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  if (!dims) return shape.dimensions;
  std::vector<int64_t> out;
  for (int64_t d : dims->inputSpatial)
    if (d >= 0 && d < static_cast<int64_t>(shape.dimensions.size()))
      out.push_back(shape.dimensions[static_cast<size_t>(d)]);
  return out;
}

}  // namespace

WindowPicture::WindowPicture(QWidget* parent) : AttributePicture(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("The window"));
  setToolTip(
      tr("Drag the corner of the window: its size · the outlined second place: stride · the dot: dilation · the "
         "edges of the data: padding"));
}

void WindowPicture::show(const Module& module, InstructionId id) {
  if (held_ != Handle::None) return;
  const Instruction& instruction = module.at(id);
  const Window* window = instruction.attributes->get<Window>(Attr::window);
  id_ = id;
  base_ = baseSizes(module, instruction);
  window_ = window ? *window : Window{};
  setVisible(!window_.dimensions.empty() && window_.dimensions.size() == base_.size());
  // The last two that are more than a point; of NHWC pooling those in the middle.
  std::vector<int> chosen;
  for (int d = static_cast<int>(window_.dimensions.size()); d-- > 0 && chosen.size() < 2;) {
    const WindowDimension& w = window_.dimensions[static_cast<size_t>(d)];
    if (w.size > 1 || w.stride > 1 || w.paddingLow || w.paddingHigh) chosen.push_back(d);
  }
  for (int d = static_cast<int>(window_.dimensions.size()); d-- > 0 && chosen.size() < 2;)
    if (std::ranges::find(chosen, d) == chosen.end()) chosen.push_back(d);
  std::ranges::sort(chosen, std::greater());
  const auto axis = [&](size_t k) {
    return k < chosen.size() && isVisibleTo(parentWidget()) ? Axis{chosen[k], base_[static_cast<size_t>(chosen[k])]}
                                                            : Axis{};
  };
  x_ = axis(0);
  y_ = axis(1);
  update();
}

const WindowDimension& WindowPicture::of(const Axis& axis) const {
  return axis.dimension < 0 ? kNone : window_.dimensions[static_cast<size_t>(axis.dimension)];
}
int64_t WindowPicture::shownLow(const Axis& axis) const {
  return std::clamp<int64_t>(of(axis).paddingLow, 0, kMaxPadding);
}
int64_t WindowPicture::shownData(const Axis& axis) const {
  return axis.dimension < 0 ? 1 : std::clamp<int64_t>(axis.data, 1, kMaxData);
}
int64_t WindowPicture::cells(const Axis& axis) const {
  const WindowDimension& w = of(axis);
  const int64_t reach = (w.size - 1) * w.windowDilation + 1 + w.stride;
  return std::max(shownLow(axis) + shownData(axis) + std::clamp<int64_t>(w.paddingHigh, 0, kMaxPadding),
                  std::min<int64_t>(reach, 2 * kMaxData)) +
         1;
}

double WindowPicture::side() const {
  const double room = std::min((width() - 20.0) / static_cast<double>(cells(x_)),
                               (height() - kWordsHeight - 20.0) / static_cast<double>(cells(y_)));
  return std::clamp(room, 4.0, kLargestCell);
}

QPointF WindowPicture::origin() const { return {10, 10}; }

QRectF WindowPicture::cell(int64_t row, int64_t column) const {
  const double s = side();
  return {origin().x() + static_cast<double>(column) * s, origin().y() + static_cast<double>(row) * s, s, s};
}

QPointF WindowPicture::handleAt(Handle handle) const {
  if (x_.dimension < 0) return {};
  const WindowDimension &wx = of(x_), &wy = of(y_);
  const int64_t right = (wx.size - 1) * wx.windowDilation, below = (wy.size - 1) * wy.windowDilation;
  switch (handle) {
    case Handle::Size: return cell(below, right).bottomRight();
    case Handle::Stride:
      return cell(y_.dimension < 0 ? 0 : wy.stride, wx.stride).topLeft() + QPointF(side(), side()) * 0.3;
    case Handle::Dilation:
      return wx.size > 1 || wy.size > 1
                 ? cell(wy.size > 1 ? wy.windowDilation : 0, wx.size > 1 ? wx.windowDilation : 0).center()
                 : QPointF();
    case Handle::LowPadding: return cell(shownLow(y_), shownLow(x_)).topLeft();
    case Handle::HighPadding:
      return cell(shownLow(y_) + shownData(y_) - 1, shownLow(x_) + shownData(x_) - 1).bottomRight();
    default: return {};
  }
}

void WindowPicture::paintEvent(QPaintEvent*) {
  if (x_.dimension < 0) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintCells(painter);
  paintWindow(painter);
  paintHandles(painter);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(QRectF(10, height() - kWordsHeight, width() - 20, kWordsHeight), Qt::AlignLeft | Qt::TextWordWrap,
                   words());
}

// Data and padding.
void WindowPicture::paintCells(QPainter& painter) const {
  const QColor line = palette().color(QPalette::Mid);
  const auto inData = [&](const Axis& axis, int64_t at) {
    return at >= shownLow(axis) && at < shownLow(axis) + shownData(axis);
  };
  const auto inside = [&](const Axis& axis, int64_t at) {
    return at < shownLow(axis) + shownData(axis) + std::clamp<int64_t>(of(axis).paddingHigh, 0, kMaxPadding);
  };
  for (int64_t r = 0; r < cells(y_); ++r)
    for (int64_t c = 0; c < cells(x_); ++c) {
      if (!inside(y_, r) || !inside(x_, c)) continue;
      const bool data = inData(y_, r) && inData(x_, c);
      painter.setPen(QPen(line, 0.8));
      painter.setBrush(data ? QBrush(palette().color(QPalette::AlternateBase)) : QBrush(line, Qt::BDiagPattern));
      painter.drawRect(cell(r, c));
    }
}

// The taps at the first place; its outline, and that of the next place.
void WindowPicture::paintWindow(QPainter& painter) const {
  const QColor tap = palette().color(QPalette::Highlight);
  const WindowDimension &wx = of(x_), &wy = of(y_);
  QColor fill = tap;
  fill.setAlpha(120);
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  for (int64_t r = 0; r < wy.size && r < 2 * kMaxData; ++r)
    for (int64_t c = 0; c < wx.size && c < 2 * kMaxData; ++c)
      painter.drawRect(cell(r * wy.windowDilation, c * wx.windowDilation).adjusted(1, 1, -1, -1));
  const auto outline = [&](int64_t row, int64_t column, Qt::PenStyle style) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tap, 2, style));
    painter.drawRect(
        cell(row, column)
            .united(cell(row + (wy.size - 1) * wy.windowDilation, column + (wx.size - 1) * wx.windowDilation)));
  };
  outline(y_.dimension < 0 ? 0 : wy.stride, wx.stride, Qt::DashLine);
  outline(0, 0, Qt::SolidLine);
}

void WindowPicture::paintHandles(QPainter& painter) const {
  for (Handle handle : {Handle::LowPadding, Handle::HighPadding, Handle::Stride, Handle::Dilation, Handle::Size}) {
    const QPointF at = handleAt(handle);
    if (at.isNull()) continue;
    painter.setPen(QPen(palette().color(QPalette::Base), 1.5));
    painter.setBrush(handle == hover_ || handle == held_ ? palette().color(QPalette::Text)
                     : handle == Handle::LowPadding || handle == Handle::HighPadding
                         ? palette().color(QPalette::PlaceholderText)
                         : palette().color(QPalette::Highlight));
    if (handle == Handle::Size)
      painter.drawRect(QRectF(at - QPointF(5, 5), QSizeF(10, 10)));
    else
      painter.drawEllipse(at, handle == Handle::Dilation ? 4 : 5, handle == Handle::Dilation ? 4 : 5);
  }
}

QString WindowPicture::words() const {
  const WindowDimension &wx = of(x_), &wy = of(y_);
  const auto pair = [&](int64_t y, int64_t x) {
    return y_.dimension < 0 ? QString::number(x) : QStringLiteral("%1×%2").arg(y).arg(x);
  };
  const auto pads = [](const WindowDimension& w) {
    return QStringLiteral("%1_%2").arg(w.paddingLow).arg(w.paddingHigh);
  };
  const QString dims = y_.dimension < 0 ? tr("dimension %1").arg(x_.dimension)
                                        : tr("dimensions %1 and %2").arg(y_.dimension).arg(x_.dimension);
  return tr("%1: size %2 · stride %3 · dilation %4 · padding %5")
      .arg(dims, pair(wy.size, wx.size), pair(wy.stride, wx.stride), pair(wy.windowDilation, wx.windowDilation),
           y_.dimension < 0 ? pads(wx) : pads(wy) + QStringLiteral(" × ") + pads(wx));
}

void WindowPicture::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  held_ = Handle::None;
  double nearest = kReach;
  for (Handle handle : {Handle::Size, Handle::Dilation, Handle::Stride, Handle::HighPadding, Handle::LowPadding}) {
    const QPointF at = handleAt(handle), off = at - event->position();
    if (!at.isNull() && std::hypot(off.x(), off.y()) < nearest) nearest = std::hypot(off.x(), off.y()), held_ = handle;
  }
  pressed_ = event->position();
  before_ = window_;
  heldSide_ = side();
  moved_ = false;
}

void WindowPicture::mouseMoveEvent(QMouseEvent* event) {
  if (held_ != Handle::None) return drag(event->position());
  hover_ = Handle::None;
  for (Handle handle : {Handle::LowPadding, Handle::HighPadding, Handle::Stride, Handle::Dilation, Handle::Size}) {
    const QPointF at = handleAt(handle), off = at - event->position();
    if (!at.isNull() && std::hypot(off.x(), off.y()) < kReach) hover_ = handle;
  }
  setCursor(hover_ == Handle::None ? Qt::ArrowCursor : Qt::SizeAllCursor);
  update();
}

void WindowPicture::mouseReleaseEvent(QMouseEvent*) { held_ = Handle::None; }

void WindowPicture::change(int64_t WindowDimension::*member, int64_t x, int64_t y, int64_t least) {
  constexpr int64_t kMost = 64;
  Window next = window_;
  const auto set = [&](const Axis& axis, int64_t by) {
    if (axis.dimension < 0) return;
    const auto d = static_cast<size_t>(axis.dimension);
    next.dimensions[d].*member =
        std::clamp(before_.dimensions[d].*member + by, std::min(least, before_.dimensions[d].*member),
                   std::max(kMost, before_.dimensions[d].*member));
  };
  set(x_, x);
  set(y_, y);
  if (next == window_) return;
  window_ = next;
  update();
  emitText(id_, Attr::window, printAttributeValue(Module(), AttributeValue(window_), AttributeKind::Window),
           std::exchange(moved_, true));
}

void WindowPicture::drag(QPointF at) {
  const auto x = static_cast<int64_t>(std::lround((at.x() - pressed_.x()) / heldSide_)),
             y = static_cast<int64_t>(std::lround((at.y() - pressed_.y()) / heldSide_));
  switch (held_) {
    case Handle::Size: return change(&WindowDimension::size, x, y, 1);
    case Handle::Stride: return change(&WindowDimension::stride, x, y, 1);
    case Handle::Dilation: return change(&WindowDimension::windowDilation, x, y, 1);
    case Handle::LowPadding: return change(&WindowDimension::paddingLow, x, y, 0);
    case Handle::HighPadding: return change(&WindowDimension::paddingHigh, x, y, 0);
    default: return;
  }
}

}  // namespace tessera
