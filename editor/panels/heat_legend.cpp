// Ten swatches on a logarithmic scale, and the hatch that means "apportioned".
#include "editor/panels/heat_legend.h"

#include <QPainter>

#include "editor/canvas/render.h"

namespace tessera {
namespace {
constexpr int kWidth = 268, kHeight = 84, kMargin = 12, kSwatches = 10, kBar = 12;
}

HeatLegend::HeatLegend(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  resize(kWidth, kHeight);
  hide();
}

QSize HeatLegend::sizeHint() const { return {kWidth, kHeight}; }

void HeatLegend::setOverlay(const std::optional<Overlay>& overlay) {
  setVisible(overlay.has_value());
  if (!overlay) return;
  title_ = QString::fromStdString(overlay->title);
  cold_ = QStringLiteral("≤ ") + QString::fromStdString(durationText(overlay->coldNs));
  hot_ = QString::fromStdString(durationText(overlay->hotNs));
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
  const QRect inside = rect().adjusted(kMargin, 7, -kMargin, -7);
  painter.setPen(palette().color(QPalette::Text));
  const int line = painter.fontMetrics().height();
  painter.drawText(QRect(inside.left(), inside.top(), inside.width(), line), Qt::AlignLeft, title_);
  const int top = inside.top() + line + 3;
  const double width = static_cast<double>(inside.width()) / kSwatches;
  for (int i = 0; i < kSwatches; ++i)
    painter.fillRect(QRectF(inside.left() + i * width, top, width + 0.5, kBar),
                     toQColor(heatRole((i + 0.5) / kSwatches), theme_));
  const QRect labels(inside.left(), top + kBar + 2, inside.width(), line);
  painter.drawText(labels, Qt::AlignLeft, cold_);
  painter.drawText(labels, Qt::AlignRight, hot_);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(labels, Qt::AlignHCenter, QObject::tr("hatched: apportioned"));
}

}  // namespace tessera
