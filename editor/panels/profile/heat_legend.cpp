// Ten swatches on the overlay's scale, and the hatch that means "estimated".
#include "editor/panels/profile/heat_legend.h"

#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "editor/canvas/render.h"
#include "editor/document/document.h"
#include "editor/look/menu_button.h"
#include "editor/panels/profile/measure_menu.h"

namespace tessera {
namespace {
constexpr int kNarrowestLegend = 290, kLegendMargin = 12, kSwatches = 10, kBar = 12, kLegendGap = 3;

// Times below a nanosecond too.
QString shortNumber(const Overlay& overlay, double number) {
  if (overlay.unit == OverlayUnit::Nanoseconds && number < 1) return QStringLiteral("%1 ns").arg(number, 0, 'g', 1);
  return QString::fromStdString(overlay.textOfNumber(number));
}

ColorRole swatchRole(const Overlay& overlay, int swatch) {
  if (overlay.kind != OverlayKind::Difference) return heatRole((swatch + 0.5) / kSwatches);
  constexpr int kHalf = kSwatches / 2;
  const double heat = std::abs(swatch + 0.5 - kHalf) / kHalf;
  return swatch < kHalf ? coolRole(heat) : heatRole(heat);
}

}  // namespace

HeatLegend::HeatLegend(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new QToolButton(this)) {
  auto* menu = new QMenu(title_);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMeasureMenu(*menu, document_); });
  title_->setMenu(menu);
  title_->setPopupMode(QToolButton::InstantPopup);
  title_->setAutoRaise(true);
  title_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  hideMenuArrow(*title_);
  title_->setToolTip(tr("What the colours say"));
  title_->setFocusPolicy(Qt::TabFocus);
  setToolTip(
      tr("Press on the colours to fade what is colder; double click to fade nothing. N goes to the next hottest."));
  connect(&document_.measures(), &NodeMeasures::changed, this, &HeatLegend::showOverlay);
  hide();
}

QString HeatLegend::words() const {
  const CriticalPath& path = document_.measures().criticalPath();
  if (path.ns > 0) return tr("critical path %1").arg(QString::fromStdString(durationText(path.ns)));
  return overlay_ && overlay_->hasEstimates() ? tr("hatched: estimated") : QString();
}

QSize HeatLegend::sizeHint() const {
  const int line = fontMetrics().height();
  const int labels = fontMetrics().horizontalAdvance(cold_ + hot_ + words()) + 6 * fontMetrics().averageCharWidth();
  return {std::max({kNarrowestLegend, labels + 2 * kLegendMargin, title_->sizeHint().width() + kLegendMargin}),
          title_->sizeHint().height() + line + kBar + 2 * kLegendGap + 2 * 7};
}

QRect HeatLegend::bar() const {
  return {kLegendMargin, 7 + title_->height() + kLegendGap, width() - 2 * kLegendMargin, kBar};
}

void HeatLegend::showOverlay() {
  overlay_ = document_.view().showsOverlay() ? document_.view().scene().overlay : nullptr;
  setVisible(overlay_ != nullptr);
  if (!overlay_) return emit resized();
  title_->setText(QString::fromStdString(overlay_->title) + QStringLiteral(" ▾"));
  title_->move(kLegendMargin - 6, 4);
  title_->resize(title_->sizeHint());
  const bool both = overlay_->kind == OverlayKind::Difference;
  const QString hottest = shortNumber(*overlay_, overlay_->hot);
  cold_ = both               ? QStringLiteral("−") + hottest
          : overlay_->linear ? shortNumber(*overlay_, overlay_->cold)
                             : QStringLiteral("≤ ") + shortNumber(*overlay_, overlay_->cold);
  hot_ = both ? QStringLiteral("+") + hottest : hottest;
  if (overlay_->kind == OverlayKind::Bound) cold_ = hot_ = QString();
  resize(sizeHint());
  emit resized();
  update();
}

// Other letters need other room.
void HeatLegend::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) showOverlay();
}

void HeatLegend::setTheme(Theme theme) {
  theme_ = theme;
  update();
}

// --- the threshold

void HeatLegend::fadeBelow(int x) {
  if (!overlay_ || overlay_->kind == OverlayKind::Bound) return;
  double at = std::clamp((x - bar().left()) / static_cast<double>(bar().width()), 0.0, 1.0);
  if (overlay_->kind == OverlayKind::Difference) at = std::abs(2 * at - 1);
  document_.measures().setThreshold(at);
}

void HeatLegend::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && event->pos().y() >= bar().top() - kLegendGap) fadeBelow(event->pos().x());
  event->accept();  // the canvas below is not meant
}

void HeatLegend::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) fadeBelow(event->pos().x());
  event->accept();
}

void HeatLegend::mouseDoubleClickEvent(QMouseEvent* event) {
  document_.measures().setThreshold(0);
  event->accept();
}

// --- painting

void HeatLegend::paintScale(QPainter& painter) const {
  const QRect inside = bar();
  const double width = static_cast<double>(inside.width()) / kSwatches;
  for (int i = 0; i < kSwatches; ++i)
    painter.fillRect(QRectF(inside.left() + i * width, inside.top(), width + 0.5, kBar),
                     toQColor(swatchRole(*overlay_, i), theme_));
  paintThreshold(painter);
}

void HeatLegend::paintBounds(QPainter& painter) const {
  const std::pair<ColorRole, QString> bounds[] = {{ColorRole::BoundCompute, tr("compute")},
                                                  {ColorRole::BoundMemory, tr("memory")},
                                                  {ColorRole::BoundOverhead, tr("overhead")}};
  const int width = bar().width() / 3;
  int x = bar().left();
  for (const auto& [role, word] : bounds) {
    painter.fillRect(QRect(x, bar().top(), 22, kBar), toQColor(role, theme_));
    painter.drawText(QRect(x + 28, bar().top() - 4, width - 28, kBar + 8), Qt::AlignVCenter, word);
    x += width;
  }
}

void HeatLegend::paintThreshold(QPainter& painter) const {
  const double at = document_.measures().threshold();
  if (at <= 0) return;
  const QRect inside = bar();
  const auto mark = [&](double where) {
    const int x = inside.left() + static_cast<int>(where * inside.width());
    painter.fillRect(QRect(x - 1, inside.top() - 2, 2, kBar + 4), palette().color(QPalette::Text));
  };
  if (overlay_->kind != OverlayKind::Difference) return mark(at);
  mark((1 - at) / 2);
  mark((1 + at) / 2);
}

void HeatLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(palette().color(QPalette::Mid));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (!overlay_) return;
  painter.setPen(palette().color(QPalette::Text));
  overlay_->kind == OverlayKind::Bound ? paintBounds(painter) : paintScale(painter);
  const int line = painter.fontMetrics().height();
  const QRect labels(bar().left(), bar().bottom() + 1 + kLegendGap, bar().width(), line);
  painter.drawText(labels, Qt::AlignLeft, cold_);
  painter.drawText(labels, Qt::AlignRight, hot_);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(labels, Qt::AlignHCenter, words());
}

}  // namespace tessera
