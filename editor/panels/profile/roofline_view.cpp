// See roofline_view.h.
#include "editor/panels/profile/roofline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "editor/canvas/render.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr double kRooflineLeft = 64, kRooflineRight = 14, kRooflineTop = 14, kRooflineBottom = 34,
                 kRooflineSmallest = 3, kRooflineLargest = 15;
constexpr double kGiga = 1e9;

ColorRole roleOfBound(BoundBy bound) {
  return bound == BoundBy::Compute  ? ColorRole::BoundCompute
         : bound == BoundBy::Memory ? ColorRole::BoundMemory
                                    : ColorRole::BoundOverhead;
}

QString powerOfTen(int power) {
  if (power >= -3 && power <= 4) return QString::number(std::pow(10.0, power), 'g', 6);
  return QStringLiteral("1e%1").arg(power);
}

QString perSecondWords(double perSecond, const char* unit) {
  return amountWords(perSecond, unit) + QStringLiteral("/s");
}

}  // namespace

QString amountWords(double amount, const char* unit) {
  const QString number = toQString(amountText(amount));  // "1.50 K", "912"
  return number + (number.back().isDigit() ? QStringLiteral(" ") : QString()) + QLatin1String(unit);
}

RooflineView::RooflineView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(260, 140);
}

Theme RooflineView::theme() const { return isDark(palette()) ? Theme::Dark : Theme::Light; }

void RooflineView::setDots(std::vector<RooflineDot> dots, std::shared_ptr<const DevicePeaks> device) {
  dots_ = std::move(dots);
  device_ = std::move(device);
  longest_ = 0;
  for (const RooflineDot& dot : dots_) longest_ = std::max(longest_, dot.measuredNs);
  marked_.clear();
  before_.reset(), after_.reset();
  scale();
}

void RooflineView::setMarked(std::vector<size_t> dots) {
  marked_ = std::move(dots);
  update();
}

void RooflineView::setMoved(std::optional<RooflineDot> before, std::optional<RooflineDot> after) {
  before_ = std::move(before);
  after_ = std::move(after);
  scale();
}

// --- coordinates

// Whole decades around the dots and the device's ridge point.
void RooflineView::scale() {
  std::vector<double> across, up;
  const auto add = [&](const RooflineDot& dot) {
    if (dot.flops <= 0 || dot.bytes <= 0 || dot.rate() <= 0) return;
    across.push_back(std::log10(dot.intensity()));
    up.push_back(std::log10(dot.rate()));
  };
  for (const RooflineDot& dot : dots_) add(dot);
  if (before_) add(*before_);
  if (after_) add(*after_);
  if (device_ && device_->bytesPerSecond > 0)
    for (const auto& [type, flops] : device_->flopsPerSecond) {
      if (type != "f32" && type != "bf16") continue;
      across.push_back(std::log10(flops / device_->bytesPerSecond));
      up.push_back(std::log10(flops / kGiga));
    }
  if (across.empty()) across = {-2, 2}, up = {-1, 3};
  leastX_ = std::floor(std::ranges::min(across) - 0.3), mostX_ = std::ceil(std::ranges::max(across) + 0.3);
  leastY_ = std::floor(std::ranges::min(up) - 0.3), mostY_ = std::ceil(std::ranges::max(up) + 0.3);
  update();
}

QRectF RooflineView::plot() const {
  return {kRooflineLeft, kRooflineTop, std::max(1.0, width() - kRooflineLeft - kRooflineRight),
          std::max(1.0, height() - kRooflineTop - kRooflineBottom)};
}

double RooflineView::xOf(double intensity) const {
  const double at = (std::log10(std::max(intensity, 1e-30)) - leastX_) / (mostX_ - leastX_);
  return plot().left() + std::clamp(at, 0.0, 1.0) * plot().width();
}

double RooflineView::yOf(double rate) const {
  const double at = (std::log10(std::max(rate, 1e-30)) - leastY_) / (mostY_ - leastY_);
  return plot().bottom() - std::clamp(at, 0.0, 1.0) * plot().height();
}

// At the left edge the height says the bytes a second, as everywhere on a line of equal bytes a second. Dots at an edge
// are whole inside of it.
QPointF RooflineView::placeOf(const RooflineDot& dot) const {
  const double edge = std::pow(10.0, leastX_), radius = radiusOf(dot);
  const QPointF at =
      dot.flops > 0 ? QPointF(xOf(dot.intensity()), yOf(dot.rate())) : QPointF(xOf(edge), yOf(dot.byteRate() * edge));
  const QRectF inside = plot().adjusted(radius, radius, -radius, -radius);
  return {std::clamp(at.x(), inside.left(), std::max(inside.left(), inside.right())),
          std::clamp(at.y(), inside.top(), std::max(inside.top(), inside.bottom()))};
}

double RooflineView::radiusOf(const RooflineDot& dot) const {
  const double share = longest_ > 0 ? dot.measuredNs / longest_ : 0;
  return kRooflineSmallest + (kRooflineLargest - kRooflineSmallest) * std::sqrt(std::clamp(share, 0.0, 1.0));
}

int RooflineView::dotAt(QPointF at) const {
  int best = -1;
  for (size_t i = 0; i < dots_.size(); ++i) {
    const QPointF away = placeOf(dots_[i]) - at;
    const double radius = radiusOf(dots_[i]) + 2;
    if (QPointF::dotProduct(away, away) > radius * radius) continue;
    if (best < 0 || radiusOf(dots_[i]) <= radiusOf(dots_[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

// --- painting

void RooflineView::paintGrid(QPainter& painter) const {
  const QRectF area = plot();
  painter.fillRect(area, palette().base());
  const QColor text = palette().color(QPalette::Text), line = palette().color(QPalette::Midlight);
  const int high = painter.fontMetrics().height();
  for (int power = static_cast<int>(leastX_); power <= static_cast<int>(mostX_); ++power) {
    const double x = xOf(std::pow(10.0, power));
    painter.setPen(line);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(text);
    painter.drawText(QRectF(x - 40, area.bottom() + 2, 80, high), Qt::AlignHCenter, powerOfTen(power));
  }
  // In a low panel not every line has room for its number.
  const double decade = std::max(1.0, yOf(1) - yOf(10));
  const int apart = std::max(1, static_cast<int>(std::ceil(1.6 * high / decade)));
  for (int power = static_cast<int>(leastY_); power <= static_cast<int>(mostY_); ++power) {
    const double y = yOf(std::pow(10.0, power));
    painter.setPen(line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    if ((static_cast<int>(mostY_) - power) % apart != 0) continue;
    painter.setPen(text);
    const double above = power == static_cast<int>(leastY_) ? high / 2.0 : 0;  // clear of the words below the corner
    painter.drawText(QRectF(0, y - high / 2.0 - above, kRooflineLeft - 6, high), Qt::AlignRight | Qt::AlignVCenter,
                     powerOfTen(power));
  }
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(QRectF(area.left(), area.bottom() + 2 + high * 0.85, area.width(), high), Qt::AlignHCenter,
                   tr("flop a byte"));
  painter.save();
  painter.translate(10, area.center().y());
  painter.rotate(-90);
  painter.drawText(QRectF(-80, -high / 2.0, 160, high), Qt::AlignCenter, tr("Gflop a second"));
  painter.restore();
}

// A line of equal bytes a second as far as the highest peak, or the flat one of a type's arithmetic; or its words,
// which stand before the dots.
void RooflineView::paintRoof(QPainter& painter, const Roof& roof, RoofPart part) const {
  const QRectF area = plot();
  const int high = painter.fontMetrics().height(), wide = painter.fontMetrics().horizontalAdvance(roof.words);
  const auto words = [&](QPointF base) {
    QPainterPath path;
    path.addText(base, painter.font(), roof.words);
    painter.strokePath(path, QPen(palette().base(), 4));
    painter.fillPath(path, palette().text());
  };
  const QPalette::ColorRole color = roof.isCache ? QPalette::PlaceholderText : QPalette::Text;
  painter.setPen(QPen(palette().color(color), roof.memory ? 1.6 : 1.2,
                      roof.isCache  ? Qt::DotLine
                      : roof.memory ? Qt::SolidLine
                                    : Qt::DashLine));
  if (!roof.memory) {
    const double y = yOf(roof.perSecond / kGiga);
    const double from = device_->bytesPerSecond > 0 ? xOf(roof.perSecond / device_->bytesPerSecond) : area.left();
    if (part == RoofPart::Words) return words({area.right() - wide - 4, y - 4});
    return painter.drawLine(QPointF(from, y), QPointF(area.right(), y));
  }
  const double end = std::min(roof.most > 0 ? roof.most / roof.perSecond : 1e30, std::pow(10.0, mostX_));
  const double begin = std::max(std::pow(10.0, leastX_), std::pow(10.0, leastY_) * kGiga / roof.perSecond);
  if (begin >= end) return;
  const QPointF a(xOf(begin), yOf(begin * roof.perSecond / kGiga)), b(xOf(end), yOf(end * roof.perSecond / kGiga));
  if (part == RoofPart::Line) return painter.drawLine(a, b);
  painter.save();
  painter.translate(a + (b - a) * roof.wordsAt);
  painter.rotate(std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / 3.14159265);
  words({0, -high / 3.0});
  painter.restore();
}

// Of its memory and of its caches, whose line is one where their speeds are nearly the same.
std::vector<RooflineView::Roof> RooflineView::memoryRoofs(double most) const {
  constexpr double kNearly = 1.25, kStep = 0.18;
  std::vector<Roof> out;
  const auto add = [&](const QString& name, double speed, bool isCache) {
    if (speed <= 0) return;
    const double at = out.empty() ? 0.1 : out.back().wordsAt + kStep;
    out.push_back({speed, tr("%1 %2").arg(name, perSecondWords(speed, "B")), true, most, at, isCache});
  };
  add(tr("memory"), device_->bytesPerSecond, false);
  for (size_t i = device_->caches.size(); i-- > 0;) {  // the slowest first
    QString name = toQString(device_->caches[i].name);
    const double speed = device_->caches[i].bytesPerSecond;
    while (i > 0 && device_->caches[i - 1].bytesPerSecond < kNearly * speed)
      name.prepend(toQString(device_->caches[--i].name) + QStringLiteral(", "));
    add(name, speed, true);
  }
  return out;
}

// The types that occur; of a device that has none of them all that it has.
void RooflineView::paintRoofs(QPainter& painter, RoofPart part) const {
  if (!device_) return;
  std::set<std::string> types;
  for (const RooflineDot& dot : dots_)
    if (dot.flops > 0 && device_->flopsPerSecond.contains(dot.type)) types.insert(dot.type);
  if (after_ && device_->flopsPerSecond.contains(after_->type)) types.insert(after_->type);
  if (types.empty())
    for (const auto& [type, flops] : device_->flopsPerSecond) types.insert(type);
  double most = 0;
  for (const std::string& type : types) {
    const double flops = device_->flopsPerSecond.at(type);
    most = std::max(most, flops);
    const QString words = toQString(type) + QLatin1Char(' ') + perSecondWords(flops, "flop");
    paintRoof(painter, {flops, words, false, flops}, part);
  }
  for (const Roof& roof : memoryRoofs(most)) paintRoof(painter, roof, part);
}

// Of many dots of one place, size and bound one is seen.
void RooflineView::paintDots(QPainter& painter) const {
  constexpr double kCell = 2;  // pixels
  const Theme colors = theme();
  std::set<std::array<int, 4>> painted;
  const auto paint = [&](const RooflineDot& dot, bool marked) {
    const QPointF at = placeOf(dot);
    const auto cell = [](double pixels) { return static_cast<int>(pixels / kCell); };
    if (!painted.insert({cell(at.x()), cell(at.y()), cell(radiusOf(dot)), static_cast<int>(dot.bound)}).second) return;
    QColor fill = toQColor(roleOfBound(dot.bound), colors);
    fill.setAlpha(200);
    painter.setBrush(fill);
    painter.setPen(marked ? QPen(palette().color(QPalette::Highlight), 3)
                          : QPen(toQColor(ColorRole::NodeBorder, colors), 0.8));
    painter.drawEllipse(at, radiusOf(dot), radiusOf(dot));
  };
  for (const RooflineDot& dot : dots_) paint(dot, false);
  painted.clear();
  for (size_t dot : marked_)
    if (dot < dots_.size()) paint(dots_[dot], true);
}

void RooflineView::paintMoved(QPainter& painter) const {
  if (!before_ || !after_) return;
  const QPointF from = placeOf(*before_), to = placeOf(*after_);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(from, to);
  painter.drawEllipse(to, radiusOf(*after_) + 2, radiusOf(*after_) + 2);
  painter.drawText(to + QPointF(radiusOf(*after_) + 6, 4), durationWords(after_->measuredNs));
}

void RooflineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintGrid(painter);
  painter.setClipRect(plot().adjusted(-kRooflineLargest, -kRooflineTop, kRooflineRight, kRooflineLargest));
  paintRoofs(painter, RoofPart::Line);
  paintDots(painter);
  paintRoofs(painter, RoofPart::Words);
  paintMoved(painter);
}

void RooflineView::resizeEvent(QResizeEvent*) { update(); }

// --- input

void RooflineView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (event->button() == Qt::LeftButton) emit chosen(dotAt(event->position()));
}

void RooflineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const int dot = dotAt(event->position()); dot >= 0) emit activated(dot);
}

// Along the dots, the longest first.
void RooflineView::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(dots_.size());
  const int by = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                 : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                               : 0;
  if (by == 0 || count == 0) return QWidget::keyPressEvent(event);
  const int at = marked_.empty() ? (by > 0 ? -1 : 0) : static_cast<int>(marked_.front());
  emit chosen((at + by + count) % count);
}

QString RooflineView::tipOf(const RooflineDot& dot) const {
  QString out =
      tr("%1\n%2, %3, %4 flop a byte")
          .arg(toQString(dot.name), amountWords(dot.flops, "flop"), bytesWords(static_cast<int64_t>(dot.bytes)))
          .arg(dot.intensity(), 0, 'g', 3);
  if (dot.measuredNs > 0)
    out += tr("\n%1 a run: %2 Gflop/s, %3 GB/s")
               .arg(durationWords(dot.measuredNs))
               .arg(dot.rate(), 0, 'g', 3)
               .arg(dot.byteRate(), 0, 'g', 3);
  if (dot.predictedNs > 0)
    out += tr("\nat least %1, bound by %2").arg(durationWords(dot.predictedNs), toQString(nameOf(dot.bound)));
  return out;
}

bool RooflineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int dot = dotAt(help->pos());
  if (dot < 0)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), asPlainText(tipOf(dots_[static_cast<size_t>(dot)])), this);
  return true;
}

}  // namespace tessera
