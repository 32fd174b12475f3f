// See watch_chart.h. A pixel shows the minimum and maximum of its steps.
#include "editor/panels/run/watch_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "editor/panels/profile/name_color.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kWatchLeft = 75, kWatchRight = 12, kWatchTop = 8, kWatchBottom = 29;
constexpr double kWatchEdge = 5;  // between the lines and their frame

QColor lineColor(const QString& name, bool dark) {
  const QColor color = nameColor(name.toStdString(), dark);
  return dark ? color.lighter(150) : color.darker(150);
}

}  // namespace

WatchChart::WatchChart(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setMinimumSize(220, 120);
}

void WatchChart::setSeries(WatchSeries series, QStringList names) {
  series_ = std::move(series);
  names_ = std::move(names);
  steps_ = 0;
  for (const auto& line : series_) steps_ = std::max(steps_, static_cast<int>(line.size()));
  pointed_ = -1;
  scale();
}

void WatchChart::setStatistic(WatchStatistic statistic) {
  statistic_ = statistic;
  scale();
}

void WatchChart::setLogarithmic(bool on) {
  logarithmic_ = on;
  scale();
}

void WatchChart::setSelected(int line) {
  selected_ = line;
  update();
}

double WatchChart::numberOf(const ValueStats& stats) const {
  switch (statistic_) {
    case WatchStatistic::Mean: return stats.mean;
    case WatchStatistic::Range: return stats.most;
    case WatchStatistic::Deviation: return stats.deviation;
    case WatchStatistic::Largest: return std::max(std::abs(stats.least), std::abs(stats.most));
    case WatchStatistic::Specials: return static_cast<double>(stats.nans + stats.infinities);
  }
  return 0;
}

void WatchChart::scale() {
  bool any = false;
  const auto add = [&](double number) {
    if (logarithmic_ && number <= 0) return;
    if (!any) least_ = most_ = number;
    any = true;
    least_ = std::min(least_, number);
    most_ = std::max(most_, number);
  };
  for (const auto& line : series_)
    for (const ValueStats& stats : line) {
      add(numberOf(stats));
      if (statistic_ == WatchStatistic::Range) add(stats.least);
    }
  if (!any) least_ = logarithmic_ ? 0.1 : 0, most_ = 1;
  if (least_ == most_) {
    const double room = logarithmic_ ? most_ / 2 : std::max(1e-6, std::abs(most_) * 0.1);
    least_ -= room, most_ += room;
  }
  update();
}

QRectF WatchChart::plot() const {
  return {kWatchLeft, kWatchTop, std::max(1.0, width() - kWatchLeft - kWatchRight),
          std::max(1.0, height() - kWatchTop - kWatchBottom)};
}

double WatchChart::yOf(double number) const {
  const double at = logarithmic_ ? std::log(std::max(number, least_) / least_) / std::log(most_ / least_)
                                 : (number - least_) / (most_ - least_);
  return plot().bottom() - std::clamp(at, 0.0, 1.0) * plot().height();
}

double WatchChart::xOf(int step) const {
  return plot().left() + (steps_ > 1 ? plot().width() * step / (steps_ - 1) : plot().width() / 2);
}

int WatchChart::stepAt(double x) const {
  if (steps_ == 0 || x < plot().left() - 4 || x > plot().right() + 4) return -1;
  return std::clamp(static_cast<int>(std::lround((x - plot().left()) * (steps_ - 1) / plot().width())), 0, steps_ - 1);
}

QPointF WatchChart::placeOf(int line, int step) const {
  return {xOf(step), yOf(numberOf(series_[static_cast<size_t>(line)][static_cast<size_t>(step)]))};
}

QString WatchChart::wordsAt(QPoint at) const {
  const int step = stepAt(at.x());
  if (step < 0) return {};
  QStringList out{tr("step %L1").arg(step + 1)};
  for (size_t i = 0; i < series_.size(); ++i) {
    if (static_cast<size_t>(step) >= series_[i].size()) continue;
    const ValueStats& stats = series_[i][static_cast<size_t>(step)];
    QString words = tr("%1: mean %2, %3 to %4")
                        .arg(names_.value(static_cast<qsizetype>(i)))
                        .arg(stats.mean, 0, 'g', 5)
                        .arg(stats.least, 0, 'g', 4)
                        .arg(stats.most, 0, 'g', 4);
    if (stats.nans + stats.infinities > 0) words += tr(", %L1 NaN, %L2 infinite").arg(stats.nans).arg(stats.infinities);
    out << words;
  }
  return out.join(QLatin1Char('\n'));
}

// --- painting

void WatchChart::paintAxes(QPainter& painter) const {
  const QRectF area = plot();
  const QRectF frame = area.adjusted(-kWatchEdge, -kWatchEdge, kWatchEdge, kWatchEdge);
  painter.fillRect(frame, palette().base());
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(frame);
  painter.setPen(palette().color(QPalette::Text));
  const int high = painter.fontMetrics().height();
  constexpr int kTicks = 4;
  for (int i = 0; i <= kTicks; ++i) {
    const double share = static_cast<double>(i) / kTicks;
    const double number = logarithmic_ ? least_ * std::pow(most_ / least_, share) : least_ + (most_ - least_) * share;
    painter.drawText(QRectF(0, yOf(number) - high / 2.0, kWatchLeft - kWatchEdge - 6, high),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(number, 'g', 4));
    if (steps_ == 0) continue;
    const int step = static_cast<int>(share * (steps_ - 1));
    const auto side = i == 0 ? Qt::AlignLeft : i == kTicks ? Qt::AlignRight : Qt::AlignHCenter;
    const double x = xOf(step);
    const double left = i == 0 ? x : i == kTicks ? x - 80 : x - 40;
    painter.drawText(QRectF(left, frame.bottom() + 2, 80, high), side, QString::number(step + 1));
  }
}

void WatchChart::paintBand(QPainter& painter, size_t line) const {
  QPolygonF band;
  const auto& stats = series_[line];
  for (size_t i = 0; i < stats.size(); ++i) band << QPointF(xOf(static_cast<int>(i)), yOf(stats[i].most));
  for (size_t i = stats.size(); i-- > 0;) band << QPointF(xOf(static_cast<int>(i)), yOf(stats[i].least));
  QColor color = lineColor(names_.value(static_cast<qsizetype>(line)), isDark(palette()));
  color.setAlpha(70);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(band);
}

void WatchChart::paintLine(QPainter& painter, size_t line) const {
  const auto& stats = series_[line];
  QPolygonF path;
  const int columns = std::max(1, static_cast<int>(plot().width()));
  const auto count = static_cast<int>(stats.size());
  for (int column = 0; column < std::min(columns, count); ++column) {
    const int from = count > columns ? static_cast<int>(int64_t{column} * count / columns) : column;
    const int to = count > columns ? static_cast<int>(int64_t{column + 1} * count / columns) : column + 1;
    double low = numberOf(stats[static_cast<size_t>(from)]), high = low;
    for (int i = from; i < to; ++i) {
      low = std::min(low, numberOf(stats[static_cast<size_t>(i)]));
      high = std::max(high, numberOf(stats[static_cast<size_t>(i)]));
    }
    path << QPointF(xOf(from), yOf(low));
    if (high != low) path << QPointF(xOf(from), yOf(high));
  }
  const bool isSelected = selected_ == static_cast<int>(line);
  painter.setPen(QPen(lineColor(names_.value(static_cast<qsizetype>(line)), isDark(palette())), isSelected ? 3 : 1.4));
  if (path.size() == 1)
    painter.drawEllipse(path[0], 2, 2);
  else
    painter.drawPolyline(path);
}

void WatchChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintAxes(painter);
  for (size_t line = 0; line < series_.size(); ++line) {
    if (series_[line].empty()) continue;
    if (statistic_ == WatchStatistic::Range)
      paintBand(painter, line);
    else
      paintLine(painter, line);
  }
  if (pointed_ < 0) return;
  painter.setPen(QPen(palette().color(QPalette::Text), 1, Qt::DotLine));
  painter.drawLine(QPointF(xOf(pointed_), plot().top()), QPointF(xOf(pointed_), plot().bottom()));
}

// --- input

void WatchChart::mousePressEvent(QMouseEvent* event) {
  const int step = stepAt(event->position().x());
  int best = -1;
  double nearest = 12;
  for (size_t line = 0; line < series_.size() && step >= 0; ++line) {
    if (static_cast<size_t>(step) >= series_[line].size()) continue;
    const double away = std::abs(placeOf(static_cast<int>(line), step).y() - event->position().y());
    if (away < nearest) nearest = away, best = static_cast<int>(line);
  }
  if (best >= 0) emit chosen(best);
}

void WatchChart::mouseMoveEvent(QMouseEvent* event) {
  pointed_ = stepAt(event->position().x());
  setToolTip(asPlainText(wordsAt(event->pos())));
  update();
}

}  // namespace tessera
