// See memory_chart.h. Curve and bars are painted once and kept; the chosen moment and the selection lie above.
#include "editor/panels/profile/memory_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "editor/panels/profile/name_color.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr double kCurveShare = 0.42, kChartMargin = 6, kChartTop = 18;

QString percentName(const Module& module, InstructionId id) { return QLatin1Char('%') + toQString(module.at(id).name); }

}  // namespace

MemoryChart::MemoryChart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void MemoryChart::setReport(std::shared_ptr<const MemoryReport> report) {
  report_ = std::move(report);
  if (report_ && report_->moments.empty()) report_.reset();
  moment_.reset();
  marked_.clear();
  first_ = 0;
  shown_ = report_ ? static_cast<double>(report_->moments.size()) : 1;
  placeAllocations();
  redraw();
}

// Temporaries at the bottom, where most changes; what lives all the time above.
void MemoryChart::placeAllocations() {
  base_.assign(report_ ? report_->allocations.size() : 0, 0);
  bytes_ = 0;
  for (const bool temporary : {false, true})
    for (size_t i = 0; i < base_.size(); ++i) {
      const MemoryAllocation& one = report_->allocations[i];
      if ((one.kind == MemoryKind::Temporary) != temporary) continue;
      base_[i] = bytes_;
      bytes_ += static_cast<double>(one.bytes);
    }
  bytes_ = std::max(bytes_, 1.0);
}

void MemoryChart::setMoment(std::optional<size_t> moment) {
  moment_ = moment;
  update();
}

void MemoryChart::setMarked(std::vector<size_t> buffers) {
  marked_ = std::move(buffers);
  update();
}

void MemoryChart::redraw() {
  still_ = QPixmap();
  update();
}

QRectF MemoryChart::curve() const {
  return {kChartMargin, kChartTop, width() - 2 * kChartMargin, std::max(10.0, (height() - kChartTop) * kCurveShare)};
}
QRectF MemoryChart::bars() const {
  const double top = curve().bottom() + 8;
  return {kChartMargin, top, width() - 2 * kChartMargin, std::max(10.0, height() - top - kChartMargin)};
}

double MemoryChart::xOf(size_t moment) const {
  return kChartMargin + (static_cast<double>(moment) - first_) / shown_ * curve().width();
}

size_t MemoryChart::momentAt(double x) const {
  const double at = first_ + (x - kChartMargin) / std::max(1.0, curve().width()) * shown_;
  const double last = report_ ? static_cast<double>(report_->moments.size()) - 1 : 0;
  return static_cast<size_t>(std::clamp(std::floor(at), 0.0, std::max(0.0, last)));
}

QRectF MemoryChart::barOf(size_t number) const {
  const MemoryBuffer& buffer = report_->buffers[number];
  const QRectF box = bars();
  const double high = box.height() / bytes_, from = buffer.allocation < base_.size() ? base_[buffer.allocation] : 0;
  const double left = xOf(buffer.begin), right = xOf(buffer.end + 1);
  return QRectF(left, box.top() + (from + static_cast<double>(buffer.offset)) * high, std::max(1.0, right - left),
                std::max(0.6, static_cast<double>(buffer.bytes) * high)) &
         box;
}

std::optional<size_t> MemoryChart::bufferAt(QPointF at) const {
  if (!report_ || !bars().contains(at)) return std::nullopt;
  std::optional<size_t> out;
  double least = 0;
  for (size_t i = 0; i < report_->buffers.size(); ++i) {
    const QRectF bar = barOf(i);
    if (!bar.adjusted(0, -1, 0, 1).contains(at)) continue;
    const double area = bar.width() * bar.height();
    if (!out || area < least) out = i, least = area;
  }
  return out;
}

// --- painting

void MemoryChart::paintCurve(QPainter& painter) const {
  const QRectF box = curve();
  const auto most = static_cast<double>(std::max<int64_t>(1, report_->peakBytes()));
  QColor fill = palette().color(QPalette::Highlight);
  fill.setAlpha(110);
  const size_t count = report_->live.size();
  const auto columns = static_cast<int>(box.width());
  for (int column = 0; column < columns; ++column) {
    const size_t from = momentAt(box.left() + column), to = std::max(from + 1, momentAt(box.left() + column + 1));
    int64_t bytes = 0;
    for (size_t i = from; i < std::min(to, count); ++i) bytes = std::max(bytes, report_->live[i]);
    const double high = static_cast<double>(bytes) / most * (box.height() - 4);
    painter.fillRect(QRectF(box.left() + column, box.bottom() - high, 1, high), fill);
    painter.fillRect(QRectF(box.left() + column, box.bottom() - high, 1, 1.5), palette().color(QPalette::Highlight));
  }
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(box);
  painter.drawRect(bars());
}

void MemoryChart::paintBars(QPainter& painter) const {
  const bool dark = isDark(palette());
  painter.setClipRect(bars());
  for (size_t i = 0; i < report_->buffers.size(); ++i) {
    const MemoryBuffer& buffer = report_->buffers[i];
    const QRectF bar = barOf(i);
    if (bar.isEmpty()) continue;
    const bool lasting = buffer.kind == MemoryKind::Parameter || buffer.kind == MemoryKind::Constant;
    QColor color = nameColor(report_->module.at(buffer.instruction).opcodeName(), dark);
    if (lasting) color = palette().color(QPalette::Mid);
    painter.fillRect(bar.adjusted(0, 0, 0, bar.height() > 3 ? -1 : 0), color);
    if (buffer.padding > 0) painter.fillRect(bar, QBrush(palette().color(QPalette::Text), Qt::BDiagPattern));
    if (bar.width() < 60 || bar.height() < fontMetrics().height()) continue;
    painter.setPen(dark ? Qt::white : Qt::black);
    painter.drawText(bar.adjusted(3, 0, -3, 0), Qt::AlignVCenter,
                     fontMetrics().elidedText(percentName(report_->module, buffer.instruction), Qt::ElideRight,
                                              static_cast<int>(bar.width()) - 6));
  }
  painter.setClipping(false);
}

void MemoryChart::paintMoment(QPainter& painter, size_t moment, const QColor& color, const QString& words) const {
  const double x = (xOf(moment) + xOf(moment + 1)) / 2;
  if (x < kChartMargin || x > width() - kChartMargin) return;
  painter.setPen(QPen(color, 1.5));
  painter.drawLine(QPointF(x, kChartTop), QPointF(x, bars().bottom()));
  const double wide = fontMetrics().horizontalAdvance(words) + 4;
  painter.drawText(QRectF(std::clamp(x - wide / 2, 0.0, std::max(0.0, width() - wide)), 0, wide, kChartTop),
                   Qt::AlignCenter, words);
}

void MemoryChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!report_) return painter.fillRect(rect(), palette().base());
  if (still_.isNull()) {
    still_ = QPixmap(size() * devicePixelRatioF());
    still_.setDevicePixelRatio(devicePixelRatioF());
    still_.fill(palette().color(QPalette::Base));
    QPainter still(&still_);
    still.setFont(font());
    paintCurve(still);
    paintBars(still);
  }
  painter.drawPixmap(0, 0, still_);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  for (size_t buffer : marked_) painter.drawRect(barOf(buffer).adjusted(1, 1, -1, -1));
  if (!moment_ || *moment_ != report_->peakMoment)
    paintMoment(painter, report_->peakMoment, palette().color(QPalette::PlaceholderText),
                moment_ ? QString() : tr("peak %1").arg(bytesWords(report_->peakBytes())));
  if (moment_)
    paintMoment(painter, *moment_, palette().color(QPalette::Text),
                tr("%1%2 at %3")
                    .arg(*moment_ == report_->peakMoment ? tr("peak ") : QString(), bytesWords(report_->live[*moment_]),
                         percentName(report_->module, report_->moments[*moment_])));
}

// --- input

void MemoryChart::resizeEvent(QResizeEvent*) { redraw(); }

void MemoryChart::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) redraw();
  QWidget::changeEvent(event);
}

// A click near the peak means it.
void MemoryChart::mousePressEvent(QMouseEvent* event) {
  constexpr double kNear = 5;
  setFocus();
  if (!report_ || event->button() != Qt::LeftButton) return;
  const QPointF at = event->position();
  if (const auto buffer = bufferAt(at)) emit bufferChosen(*buffer);
  const double peakX = (xOf(report_->peakMoment) + xOf(report_->peakMoment + 1)) / 2;
  emit momentChosen(std::abs(at.x() - peakX) <= kNear ? report_->peakMoment : momentAt(at.x()));
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
  if (report_ && (event->buttons() & Qt::LeftButton) &&
      curve().adjusted(-9999, -kChartTop, 9999, 0).contains(event->position()))
    emit momentChosen(momentAt(event->position().x()));
}

void MemoryChart::wheelEvent(QWheelEvent* event) {
  constexpr double kStep = 1.25, kWheel = 120, kLeast = 4;
  if (!report_) return;
  const auto all = static_cast<double>(report_->moments.size());
  const double share = std::clamp((event->position().x() - kChartMargin) / curve().width(), 0.0, 1.0);
  const double at = first_ + share * shown_;
  shown_ = std::clamp(shown_ * std::pow(kStep, -event->angleDelta().y() / kWheel), std::min(kLeast, all), all);
  first_ = std::clamp(at - share * shown_, 0.0, all - shown_);
  redraw();
  event->accept();
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
  const auto step = [&](int by) {
    const int64_t to = static_cast<int64_t>(moment_.value_or(report_->peakMoment)) + by;
    if (to >= 0 && to < static_cast<int64_t>(report_->moments.size())) emit momentChosen(static_cast<size_t>(to));
  };
  if (!report_) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Left: return step(-1);
    case Qt::Key_Right: return step(1);
    case Qt::Key_Escape: return emit cleared();
    default: return QWidget::keyPressEvent(event);
  }
}

QString MemoryChart::tipAt(QPointF at) const {
  if (const auto number = bufferAt(at)) {
    const MemoryBuffer& buffer = report_->buffers[*number];
    QString out = tr("%1: %2, %3, moments %L4 to %L5")
                      .arg(percentName(report_->module, buffer.instruction), bytesWords(buffer.bytes),
                           toQString(nameOf(buffer.kind)))
                      .arg(buffer.begin)
                      .arg(buffer.end);
    if (buffer.padding > 0) out += tr("\n%1 of it are padding").arg(bytesWords(buffer.padding));
    for (size_t i = 0; i < std::min<size_t>(buffer.later.size(), 5); ++i)
      out += (i == 0 ? tr("\nthen also ") : QStringLiteral(", ")) + percentName(report_->module, buffer.later[i]);
    return out;
  }
  if (!curve().contains(at)) return {};
  const size_t moment = momentAt(at.x());
  return tr("%1 live at %2")
      .arg(bytesWords(report_->live[moment]), percentName(report_->module, report_->moments[moment]));
}

bool MemoryChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), report_ ? asPlainText(tipAt(help->pos())) : QString(), this);
  return true;
}

}  // namespace tessera
