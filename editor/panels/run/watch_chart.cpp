// See watch_chart.h. A pixel shows the minimum and maximum of its steps.
#include "editor/panels/run/watch_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "editor/look/qt_colors.h"
#include "editor/look/round_step.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kWatchLeft = 75, kWatchRight = 12, kWatchTop = 8, kWatchBottom = 29;
constexpr double kWatchEdge = 5;  // between the lines and their frame
constexpr double kWatchMark = 4;  // height of the mark of a step with NaN or infinite elements

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

// Neighbouring hues are as far apart as any number of lines allows.
QColor WatchChart::colorOf(int line) const {
  constexpr int kFirstHue = 215, kGoldenAngle = 137;
  const int hue = (kFirstHue + line * kGoldenAngle) % 360;
  return isDark(palette()) ? QColor::fromHsv(hue, 130, 240) : QColor::fromHsv(hue, 220, 165);
}

double WatchChart::numberOf(const ValueStats& stats) const {
  if (stats.finite == 0 && statistic_ != WatchStatistic::Specials) return std::numeric_limits<double>::quiet_NaN();
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
    if (std::isnan(number) || (logarithmic_ && number <= 0)) return;
    if (!any) least_ = most_ = number;
    any = true;
    least_ = std::min(least_, number);
    most_ = std::max(most_, number);
  };
  for (const auto& line : series_)
    for (const ValueStats& stats : line) {
      add(numberOf(stats));
      if (statistic_ == WatchStatistic::Range && stats.finite > 0) add(stats.least);
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
    const QString name = names_.value(static_cast<qsizetype>(i));
    QString words = stats.finite == 0 ? tr("%1: no finite element").arg(name)
                                      : tr("%1: mean %2, %3 to %4")
                                            .arg(name)
                                            .arg(stats.mean, 0, 'g', 5)
                                            .arg(stats.least, 0, 'g', 4)
                                            .arg(stats.most, 0, 'g', 4);
    if (stats.hasSpecials()) words += tr(", %L1 NaN, %L2 infinite").arg(stats.nans).arg(stats.infinities);
    out << words;
  }
  return out.join(QLatin1Char('\n'));
}

// --- painting

std::vector<WatchChart::Column> WatchChart::columnsOf(const std::vector<ValueStats>& line) const {
  const auto count = static_cast<int64_t>(line.size());
  const int64_t columns = std::min(count, static_cast<int64_t>(plot().width()));
  std::vector<Column> out;
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t from = column * count / columns, to = (column + 1) * count / columns;
    Column each{.x = xOf(static_cast<int>(from))};
    for (int64_t step = from; step < to; ++step) {
      const ValueStats& stats = line[static_cast<size_t>(step)];
      each.hasSpecials |= stats.hasSpecials();
      const double high = numberOf(stats), low = statistic_ == WatchStatistic::Range ? stats.least : high;
      if (std::isnan(high)) continue;
      each.low = each.hasNumber ? std::min(each.low, low) : low;
      each.high = each.hasNumber ? std::max(each.high, high) : high;
      each.hasNumber = true;
    }
    out.push_back(each);
  }
  return out;
}

void WatchChart::paintNumbersUp(QPainter& painter) const {
  const QRectF area = plot();
  const int high = painter.fontMetrics().height();
  const int rows = std::clamp(static_cast<int>(area.height()) / (3 * high), 1, 6);
  std::vector<double> numbers;
  if (logarithmic_) {
    for (int i = 0; i <= rows; ++i) numbers.push_back(least_ * std::pow(most_ / least_, static_cast<double>(i) / rows));
  } else {
    const double step = roundStep((most_ - least_) / rows);
    for (double number = std::ceil(least_ / step) * step; number <= most_; number += step)
      numbers.push_back(std::abs(number) < step / 2 ? 0 : number);
  }
  for (const double number : numbers) {
    painter.setPen(palette().color(QPalette::Midlight));
    painter.drawLine(QPointF(area.left() - kWatchEdge, yOf(number)), QPointF(area.right() + kWatchEdge, yOf(number)));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(0, yOf(number) - high / 2.0, kWatchLeft - kWatchEdge - 6, high),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(number, 'g', 4));
  }
}

void WatchChart::paintStepsAcross(QPainter& painter) const {
  if (steps_ == 0) return;
  const double top = plot().bottom() + kWatchEdge + 2;
  const int high = painter.fontMetrics().height();
  constexpr int kTicks = 4, kWide = 120;
  int before = 0;
  for (int i = 0; i <= kTicks; ++i) {
    const int step = static_cast<int>(int64_t{i} * (steps_ - 1) / kTicks) + 1;
    if (step == before) continue;
    before = step;
    const auto side = i == 0 ? Qt::AlignLeft : i == kTicks ? Qt::AlignRight : Qt::AlignHCenter;
    const double x = xOf(step - 1), left = i == 0 ? x : i == kTicks ? x - kWide : x - kWide / 2.0;
    painter.drawText(QRectF(left, top, kWide, high), side, i == 0 ? tr("step %L1").arg(step) : tr("%L1").arg(step));
  }
}

void WatchChart::paintAxes(QPainter& painter) const {
  const QRectF frame = plot().adjusted(-kWatchEdge, -kWatchEdge, kWatchEdge, kWatchEdge);
  painter.fillRect(frame, palette().base());
  paintNumbersUp(painter);
  paintStepsAcross(painter);
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(frame);
}

// Pieces between gaps: of Range the band between least and most, else from pixel to pixel.
void WatchChart::paintSeries(QPainter& painter, int line) const {
  const std::vector<Column> columns = columnsOf(series_[static_cast<size_t>(line)]);
  const bool isBand = statistic_ == WatchStatistic::Range;
  const QPen pen(colorOf(line), selected_ == line ? 3 : 1.4);
  QColor inside = colorOf(line);
  inside.setAlpha(70);
  QPolygonF upper, lower;
  const auto paintPiece = [&] {
    painter.setPen(pen);
    painter.setBrush(isBand ? inside : colorOf(line));
    if (isBand)
      painter.drawPolygon(upper + QPolygonF(QList<QPointF>(lower.crbegin(), lower.crend())));
    else if (upper.size() == 1)
      painter.drawEllipse(upper[0], 2, 2);
    else
      painter.drawPolyline(upper);
    upper.clear(), lower.clear();
  };
  for (const Column& column : columns) {
    if (!column.hasNumber) {
      if (!upper.isEmpty()) paintPiece();
      continue;
    }
    if (isBand) lower << QPointF(column.x, yOf(column.low));
    if (!isBand && column.low != column.high) upper << QPointF(column.x, yOf(column.low));
    upper << QPointF(column.x, yOf(column.high));
  }
  if (!upper.isEmpty()) paintPiece();
  paintSpecials(painter, columns);
}

void WatchChart::paintSpecials(QPainter& painter, const std::vector<Column>& columns) const {
  painter.setPen(QPen(tessera::colorOf(Ink::Error, palette()), 1.4));
  const double top = plot().top() - kWatchEdge;
  for (const Column& column : columns)
    if (column.hasSpecials) painter.drawLine(QPointF(column.x, top), QPointF(column.x, top + kWatchMark));
}

void WatchChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintAxes(painter);
  for (size_t line = 0; line < series_.size(); ++line) paintSeries(painter, static_cast<int>(line));
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
