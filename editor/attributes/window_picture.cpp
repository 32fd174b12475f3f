// Cells count from the first padding; a large array is shown by its first cells.
#include "editor/attributes/window_picture.h"

#include <QBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "core/hlo/module.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

constexpr int64_t kMaxData = 9, kMaxPadding = 8;
constexpr double kLargestCell = 22, kReach = 10, kPictureBorder = 12, kGap = 12;
constexpr int kPictureHeight = 208, kPictureNarrowest = 200;
constexpr double kAlongEdge = 0.75;  // of a handle for padding: beyond the window, where that is smaller than the data
constexpr WindowDimension kPlainWindow{};

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

using Handle = WindowPicture::Handle;
constexpr Handle kHandles[] = {Handle::Size, Handle::Stride, Handle::Dilation, Handle::Left,
                               Handle::Top,  Handle::Right,  Handle::Bottom};

bool isPadding(Handle handle) { return handle >= Handle::Left; }

}  // namespace

WindowPicture::WindowPicture(QWidget* parent)
    : AttributePicture(parent),
      layout_(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      numbers_(new WindowNumbers(this)) {
  setMouseTracking(true);
  setAccessibleName(tr("The window"));
  setToolTip(tr(
      "Drag the square at the window's corner: size · the dot at the dashed next place: stride · the rhombus between "
      "taps: dilation · the bars on the edges of the data: padding"));
  layout_->setContentsMargins(0, 4, 0, 0);
  layout_->addStretch(1);
  layout_->addWidget(numbers_);
  connect(numbers_, &WindowNumbers::changed, this, &WindowPicture::set);
  connect(numbers_, &WindowNumbers::sameWanted, this, [this] { pad(true); });
  connect(numbers_, &WindowNumbers::validWanted, this, [this] { pad(false); });
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
  numbers_->show(y_.dimension < 0 ? nullptr : &of(y_), x_.dimension < 0 ? nullptr : &of(x_), nameOf(y_), nameOf(x_));
  update();
}

QString WindowPicture::nameOf(const Axis& axis) const {
  return axis.dimension < 0 ? QString() : tr("dim %1").arg(axis.dimension);
}

const WindowDimension& WindowPicture::of(const Axis& axis) const {
  return axis.dimension < 0 ? kPlainWindow : window_.dimensions[static_cast<size_t>(axis.dimension)];
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

bool WindowPicture::isNarrow() const { return width() < numbers_->sizeHint().width() + kGap + kPictureNarrowest; }

QSize WindowPicture::minimumSizeHint() const { return {numbers_->minimumSizeHint().width(), heightWanted()}; }

int WindowPicture::heightWanted() const {
  return isNarrow() ? kPictureHeight + static_cast<int>(kGap) + numbers_->sizeHint().height() : kPictureHeight;
}

QSizeF WindowPicture::pictureSize() const {
  const QSize numbers = numbers_->sizeHint();
  return isNarrow() ? QSizeF(width(), height() - numbers.height() - kGap)
                    : QSizeF(width() - numbers.width() - kGap, height());
}

void WindowPicture::resizeEvent(QResizeEvent*) {
  layout_->setDirection(isNarrow() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  updateGeometry();
}

double WindowPicture::side() const {
  const QSizeF all = pictureSize();
  const double room = std::min((all.width() - 2 * kPictureBorder) / static_cast<double>(cells(x_)),
                               (all.height() - 2 * kPictureBorder) / static_cast<double>(cells(y_)));
  return std::clamp(room, 4.0, kLargestCell);
}

QPointF WindowPicture::origin() const { return {kPictureBorder, kPictureBorder}; }

QRectF WindowPicture::cell(int64_t row, int64_t column) const {
  const double s = side();
  return {origin().x() + static_cast<double>(column) * s, origin().y() + static_cast<double>(row) * s, s, s};
}

QPointF WindowPicture::handleAt(Handle handle) const {
  if (x_.dimension < 0) return {};
  const WindowDimension &wx = of(x_), &wy = of(y_);
  const int64_t right = (wx.size - 1) * wx.windowDilation, below = (wy.size - 1) * wy.windowDilation;
  const QRectF data =
      cell(shownLow(y_), shownLow(x_)).united(cell(shownLow(y_) + shownData(y_) - 1, shownLow(x_) + shownData(x_) - 1));
  const QPointF along(data.left() + data.width() * kAlongEdge, data.top() + data.height() * kAlongEdge);
  switch (handle) {
    case Handle::Size: return cell(below, right).bottomRight();
    case Handle::Stride: return cell(below + (y_.dimension < 0 ? 0 : wy.stride), right + wx.stride).bottomRight();
    case Handle::Dilation:
      return wx.size > 1 || wy.size > 1
                 ? (cell(0, 0).center() +
                    cell(wy.size > 1 ? wy.windowDilation : 0, wx.size > 1 ? wx.windowDilation : 0).center()) /
                       2
                 : QPointF();
    case Handle::Left: return {data.left(), along.y()};
    case Handle::Right: return {data.right(), along.y()};
    case Handle::Top: return y_.dimension < 0 ? QPointF() : QPointF(along.x(), data.top());
    case Handle::Bottom: return y_.dimension < 0 ? QPointF() : QPointF(along.x(), data.bottom());
    default: return {};
  }
}

Handle WindowPicture::nearest(QPointF at) const {
  Handle best = Handle::None;
  double distance = kReach;
  for (Handle handle : kHandles) {
    const QPointF place = handleAt(handle), off = place - at;
    if (!place.isNull() && std::hypot(off.x(), off.y()) < distance)
      distance = std::hypot(off.x(), off.y()), best = handle;
  }
  return best;
}

void WindowPicture::paintEvent(QPaintEvent*) {
  if (x_.dimension < 0) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintCells(painter);
  paintWindow(painter);
  paintHandles(painter);
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
  for (Handle handle : kHandles)
    if (!handleAt(handle).isNull()) paintHandle(painter, handle);
}

// Each has a shape of its own, which also marks its row of numbers.
void WindowPicture::paintHandle(QPainter& painter, Handle handle) const {
  const QPointF at = handleAt(handle);
  const bool meant = handle == held_ || (held_ == Handle::None && handle == hover_);
  const QColor color = palette().color(isPadding(handle) ? QPalette::PlaceholderText : QPalette::Highlight);
  painter.setPen(QPen(palette().color(QPalette::Base), 1.5));
  painter.setBrush(meant ? palette().color(QPalette::Text) : color);
  constexpr double kHalf = 5, kBar = 8, kThin = 3;
  switch (handle) {
    case Handle::Size: return painter.drawRect(QRectF(at - QPointF(kHalf, kHalf), QSizeF(2 * kHalf, 2 * kHalf)));
    case Handle::Stride: return painter.drawEllipse(at, kHalf, kHalf);
    case Handle::Dilation: {
      const QPointF corners[] = {at - QPointF(0, kHalf), at + QPointF(kHalf, 0), at + QPointF(0, kHalf),
                                 at - QPointF(kHalf, 0)};
      return painter.drawPolygon(corners, 4);
    }
    case Handle::Left:
    case Handle::Right: return painter.drawRect(QRectF(at - QPointF(kThin, kBar), QSizeF(2 * kThin, 2 * kBar)));
    default: return painter.drawRect(QRectF(at - QPointF(kBar, kThin), QSizeF(2 * kBar, 2 * kThin)));
  }
}

void WindowPicture::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  held_ = nearest(event->position());
  pressed_ = event->position();
  before_ = window_;
  heldSide_ = side();
  moved_ = false;
}

void WindowPicture::mouseMoveEvent(QMouseEvent* event) {
  if (held_ != Handle::None) return drag(event->position());
  hover_ = nearest(event->position());
  setCursor(hover_ == Handle::None                              ? Qt::ArrowCursor
            : hover_ == Handle::Left || hover_ == Handle::Right ? Qt::SizeHorCursor
            : isPadding(hover_)                                 ? Qt::SizeVerCursor
                                                                : Qt::SizeAllCursor);
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
  send(std::exchange(moved_, true));
}

void WindowPicture::send(bool continues) {
  numbers_->show(y_.dimension < 0 ? nullptr : &of(y_), &of(x_), nameOf(y_), nameOf(x_));
  update();
  emitText(id_, Attr::window, printAttributeValue(Module(), AttributeValue(window_), AttributeKind::Window), continues);
}

void WindowPicture::set(WindowNumbers::Number number, bool across, int64_t value) {
  const Axis& axis = across ? x_ : y_;
  if (axis.dimension < 0) return;
  WindowDimension& w = window_.dimensions[static_cast<size_t>(axis.dimension)];
  switch (number) {
    case WindowNumbers::Number::Size: w.size = value; break;
    case WindowNumbers::Number::Stride: w.stride = value; break;
    case WindowNumbers::Number::Dilation: w.windowDilation = value; break;
    case WindowNumbers::Number::LowPadding: w.paddingLow = value; break;
    case WindowNumbers::Number::HighPadding: w.paddingHigh = value; break;
  }
  send(false);
}

// Of every dimension, also those that are not shown.
void WindowPicture::pad(bool same) {
  for (size_t d = 0; d < window_.dimensions.size() && d < base_.size(); ++d) {
    const auto [low, high] = same ? samePadding(base_[d], window_.dimensions[d]) : std::pair<int64_t, int64_t>();
    window_.dimensions[d].paddingLow = low;
    window_.dimensions[d].paddingHigh = high;
  }
  if (x_.dimension >= 0) send(false);
}

void WindowPicture::drag(QPointF at) {
  const auto x = static_cast<int64_t>(std::lround((at.x() - pressed_.x()) / heldSide_)),
             y = static_cast<int64_t>(std::lround((at.y() - pressed_.y()) / heldSide_));
  switch (held_) {
    case Handle::Size: return change(&WindowDimension::size, x, y, 1);
    case Handle::Stride: return change(&WindowDimension::stride, x, y, 1);
    case Handle::Dilation: return change(&WindowDimension::windowDilation, x, y, 1);
    case Handle::Left: return change(&WindowDimension::paddingLow, x, 0, 0);
    case Handle::Top: return change(&WindowDimension::paddingLow, 0, y, 0);
    case Handle::Right: return change(&WindowDimension::paddingHigh, x, 0, 0);
    case Handle::Bottom: return change(&WindowDimension::paddingHigh, 0, y, 0);
    default: return;
  }
}

}  // namespace tessera
