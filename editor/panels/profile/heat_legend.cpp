// Ten swatches on a logarithmic scale, and the hatch that means "estimated".
#include "editor/panels/profile/heat_legend.h"

#include <QPainter>
#include <algorithm>

#include "editor/canvas/render.h"

namespace tessera {
namespace {
constexpr int kNarrowestLegend = 250, kLegendMargin = 12, kSwatches = 10, kBar = 12, kLegendGap = 3;

// Times below a nanosecond too.
QString shortTime(double ns) {
  return ns < 1 ? QStringLiteral("%1 ns").arg(ns, 0, 'g', 1) : QString::fromStdString(durationText(ns));
}

}  // namespace

HeatLegend::HeatLegend(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

QSize HeatLegend::sizeHint() const {
  const int line = fontMetrics().height();
  const int labels = fontMetrics().horizontalAdvance(cold_ + hot_ + hint()) + 6 * fontMetrics().averageCharWidth();
  return {std::max(kNarrowestLegend, labels + 2 * kLegendMargin), 2 * line + kBar + 2 * kLegendGap + 2 * 7};
}

QString HeatLegend::hint() { return tr("hatched: estimated"); }

void HeatLegend::setOverlay(const Overlay* overlay) {
  setVisible(overlay != nullptr);
  if (!overlay) return;
  title_ = QString::fromStdString(overlay->title);
  cold_ = QStringLiteral("≤ ") + shortTime(overlay->coldNs);
  hot_ = shortTime(overlay->hotNs);
  resize(sizeHint());
  update();
}

void HeatLegend::setTheme(Theme theme) {
  theme_ = theme;
  update();
}

void HeatLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(palette().color(QPalette::Mid));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  const QRect inside = rect().adjusted(kLegendMargin, 7, -kLegendMargin, -7);
  painter.setPen(palette().color(QPalette::Text));
  const int line = painter.fontMetrics().height();
  painter.drawText(QRect(inside.left(), inside.top(), inside.width(), line), Qt::AlignLeft, title_);
  const int top = inside.top() + line + kLegendGap;
  const double width = static_cast<double>(inside.width()) / kSwatches;
  for (int i = 0; i < kSwatches; ++i)
    painter.fillRect(QRectF(inside.left() + i * width, top, width + 0.5, kBar),
                     toQColor(heatRole((i + 0.5) / kSwatches), theme_));
  const QRect labels(inside.left(), top + kBar + kLegendGap, inside.width(), line);
  painter.drawText(labels, Qt::AlignLeft, cold_);
  painter.drawText(labels, Qt::AlignRight, hot_);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(labels, Qt::AlignHCenter, hint());
}

}  // namespace tessera
