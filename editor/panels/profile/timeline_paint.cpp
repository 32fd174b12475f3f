// Painting of TimelineView. A lane is a row of colours, copied to each of its lines; only spans that are wide enough
// get words.
#include <QElapsedTimer>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QStaticText>
#include <algorithm>
#include <cmath>

#include "editor/look/round_step.h"
#include "editor/panels/profile/name_color.h"
#include "editor/panels/profile/timeline_view.h"
#include "editor/text/error_label.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr int kWorded = 36;            // a span so wide has room for words
constexpr int kLabelStep = 8;          // widths of words are multiples of it, so that few texts are cut
constexpr size_t kMostLabels = 20000;  // that are kept

}  // namespace

QRgb TimelineView::colorOf(uint32_t name) {
  if (colors_.size() != timeline_->names.size() || dark_ != isDark(palette())) {
    dark_ = isDark(palette());
    colors_.clear();
    for (const TimelineName& each : timeline_->names) colors_.push_back(nameColor(each.text, dark_).rgb());
  }
  return colors_[name];
}

void TimelineView::paintLane(QImage& image, const Row& row, double scale) {
  const int width = image.width(), y = static_cast<int>(std::lround((rowY(row)) * scale));
  const int high = static_cast<int>(std::lround((kLaneHeight - 1) * scale));
  if (y + high < 0 || y >= image.height()) return;
  const double perPixel = static_cast<double>(range_.endNs - range_.beginNs) / width;
  bars_.clear();
  timeline_->tracks[static_cast<size_t>(row.track)].lanes[row.lane].barsIn(range_.beginNs, range_.endNs, perPixel,
                                                                           bars_);
  const auto& spans = timeline_->tracks[static_cast<size_t>(row.track)].lanes[row.lane].spans();
  const QRgb empty = palette().color(QPalette::Base).rgb();
  std::vector<QRgb> line(static_cast<size_t>(width), empty);
  const auto pixel = [&](int64_t ns) { return static_cast<double>(ns - range_.beginNs) / perPixel; };
  for (const TimelineBar& bar : bars_) {
    const int from = std::clamp(static_cast<int>(std::floor(pixel(bar.beginNs))), 0, width - 1);
    const int to = std::clamp(static_cast<int>(std::ceil(pixel(bar.endNs))), from + 1, width);
    QRgb color = colorOf(spans[bar.longest].name);
    const int64_t length = std::max<int64_t>(bar.endNs - bar.beginNs, static_cast<int64_t>(perPixel));
    if (bar.count > 1 && length > 0) {  // as strong as the pixel is busy
      const double share = 0.35 + 0.65 * std::min(1.0, static_cast<double>(bar.busyNs) / static_cast<double>(length));
      const auto mixed = [&](int a, int b) { return static_cast<int>(share * a + (1 - share) * b); };
      color =
          qRgb(mixed(qRed(color), qRed(empty)), mixed(qGreen(color), qGreen(empty)), mixed(qBlue(color), qBlue(empty)));
    }
    std::fill(line.begin() + from, line.begin() + to, color);
    if (to - from > 3) line[static_cast<size_t>(to - 1)] = empty;
  }
  for (int i = std::max(0, y); i < std::min(y + high, image.height()); ++i)
    std::copy(line.begin(), line.end(), reinterpret_cast<QRgb*>(image.scanLine(i)));
}

// Shaping a text takes longer than painting it: what was cut to a width once is kept.
const QStaticText& TimelineView::labelOf(uint32_t name, int width, const QFontMetrics& metrics) {
  const uint64_t key = uint64_t{name} << 16 | static_cast<uint64_t>(std::min(width / kLabelStep, 0xffff));
  if (labels_.size() > kMostLabels) labels_.clear();
  const auto [at, isNew] = labels_.try_emplace(key);
  if (isNew) {
    at->second.setTextFormat(Qt::PlainText);
    at->second.setPerformanceHint(QStaticText::AggressiveCaching);
    at->second.setText(metrics.elidedText(QString::fromStdString(timeline_->names[name].text), Qt::ElideRight,
                                          width / kLabelStep * kLabelStep));
  }
  return at->second;
}

void TimelineView::paintLabels(QPainter& painter, const Row& row) {
  const double perPixel = static_cast<double>(range_.endNs - range_.beginNs) / contentWidth();
  bars_.clear();
  const TimelineLane& lane = timeline_->tracks[static_cast<size_t>(row.track)].lanes[row.lane];
  const auto wide = static_cast<int64_t>(perPixel * kWorded);
  lane.barsIn(range_.beginNs, range_.endNs, perPixel * kWorded, bars_);
  painter.setPen(isDark(palette()) ? Qt::white : Qt::black);
  const QFontMetrics metrics = painter.fontMetrics();
  const double top = rowY(row) + (kLaneHeight - 1 - metrics.height()) / 2.0;
  for (const TimelineBar& bar : bars_) {
    if (bar.count != 1 || bar.endNs - bar.beginNs < wide) continue;
    const double left = std::max<double>(kLabelWidth, xOf(bar.beginNs)),
                 right = std::min<double>(viewport()->width(), xOf(bar.endNs));
    if (right - left < kWorded / 2) continue;
    painter.drawStaticText(QPointF(left + 3, top),
                           labelOf(lane.spans()[bar.first].name, static_cast<int>(right - left) - 5, metrics));
  }
}

void TimelineView::paintTitles(QPainter& painter) {
  painter.fillRect(QRect(0, 0, kLabelWidth, viewport()->height()), palette().window());
  for (const Row& row : rows_) {
    const QRect box(6, rowY(row), row.track < 0 ? viewport()->width() : kLabelWidth - 10,
                    row.track < 0 ? kProcessHeight : kLaneHeight);
    if (row.title.isEmpty() || box.bottom() < kRulerHeight || box.top() > viewport()->height()) continue;
    QFont font = painter.font();
    font.setBold(row.track < 0);
    painter.setFont(font);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(row.track < 0 ? box : box.adjusted(8, 0, 0, 0), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(row.title, Qt::ElideMiddle, box.width() - 8));
    font.setBold(false);
    painter.setFont(font);
  }
}

// Marks of round times since `beginNs`.
void TimelineView::paintTicks(QPainter& painter, int64_t beginNs, int64_t endNs, const QString& before) {
  const double perPixel = static_cast<double>(range_.endNs - range_.beginNs) / contentWidth();
  const double step = roundStep(std::max(1.0, perPixel * 110));
  const auto sinceBegin = [&](int64_t ns) { return static_cast<double>(ns - beginNs); };
  const double last = sinceBegin(std::min(endNs, range_.endNs));
  for (double at = std::ceil(std::max(0.0, sinceBegin(range_.beginNs)) / step) * step; at <= last; at += step) {
    const double x = xOf(beginNs + static_cast<int64_t>(at));
    painter.drawLine(QPointF(x, kRulerHeight - 5), QPointF(x, kRulerHeight));
    painter.drawText(QPointF(x + 3, kRulerHeight - 7), before + durationWords(at));
  }
}

// From a pause that is drawn short on, times count from its end.
void TimelineView::paintRuler(QPainter& painter) {
  painter.fillRect(QRect(0, 0, viewport()->width(), kRulerHeight), palette().window());
  painter.setPen(palette().color(QPalette::WindowText));
  int64_t begin = timeline_->beginNs();
  QString before;
  for (const TimelineBreak& each : timeline_->breaks()) {
    paintTicks(painter, begin, each.beginNs, before);
    begin = each.endNs;
    before = QStringLiteral("+");
  }
  paintTicks(painter, begin, INT64_MAX, before);
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawLine(0, kRulerHeight, viewport()->width(), kRulerHeight);
  painter.drawLine(kLabelWidth - 1, 0, kLabelWidth - 1, viewport()->height());
}

// Hatched, with how long they were.
void TimelineView::paintBreaks(QPainter& painter) {
  painter.setPen(palette().color(QPalette::WindowText));
  for (const TimelineBreak& each : timeline_->breaks()) {
    const double left = xOf(each.beginNs), right = xOf(each.endNs);
    if (right < kLabelWidth || left > viewport()->width()) continue;
    painter.fillRect(QRectF(left, 0, right - left, viewport()->height()),
                     QBrush(palette().color(QPalette::Mid), Qt::BDiagPattern));
    const QString words = durationWords(static_cast<double>(each.realNs));
    const double width = painter.fontMetrics().horizontalAdvance(words) + 8;
    const QRectF plate((left + right - width) / 2, kRulerHeight + 1, width, kLaneHeight);
    painter.fillRect(plate, palette().base());
    painter.drawText(plate, Qt::AlignCenter, words);
  }
}

void TimelineView::paintOutlines(QPainter& painter) {
  constexpr int kMost = 4000;
  int painted = 0;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  for (uint32_t name : marked_) {
    size_t count = 0;
    const SpanPlace* places = timeline_->placesOf(name, count);
    const SpanPlace* at = std::lower_bound(places, places + count, range_.beginNs,
                                           [&](const SpanPlace& p, int64_t ns) { return timeline_->at(p).endNs < ns; });
    double lastX = -1;
    for (; at != places + count && timeline_->at(*at).beginNs <= range_.endNs && painted < kMost; ++at) {
      const double x = xOf(timeline_->at(*at).endNs);
      if (x - lastX < 1) continue;  // the same pixel
      lastX = x;
      painter.drawRect(boxOf(*at).adjusted(1, 1, -1, -1));
      ++painted;
    }
  }
  if (!selected_) return;
  painter.setPen(QPen(palette().color(QPalette::Text), 2));
  painter.drawRect(boxOf(*selected_).adjusted(0, 0, 0, 0));
}

void TimelineView::paintFlows(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.setBrush(palette().color(QPalette::Highlight));
  for (const TimelineFlow& flow : arrows_) {
    const QRectF from = boxOf(flow.from), to = boxOf(flow.to);
    const bool forth = timeline_->at(flow.to).beginNs >= timeline_->at(flow.from).endNs;
    const QPointF a(forth ? from.right() : from.left(), from.center().y()), b(to.left(), to.center().y());
    const double bend = std::clamp(std::abs(b.x() - a.x()) / 2, 12.0, 120.0);
    QPainterPath path(a);
    path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
    painter.strokePath(path, painter.pen());
    painter.drawPolygon(QPolygonF{b, b + QPointF(-7, -4), b + QPointF(-7, 4)});
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineView::paintStretch(QPainter& painter) {
  const QColor color = palette().color(QPalette::Highlight);
  if (stretch_) {
    QColor veil = color;
    veil.setAlpha(50);
    const double left = xOf(stretch_->beginNs), right = xOf(stretch_->endNs);
    painter.fillRect(QRectF(left, kRulerHeight, right - left, viewport()->height() - kRulerHeight), veil);
    painter.setPen(color);
    painter.drawLine(QPointF(left, 0), QPointF(left, viewport()->height()));
    painter.drawLine(QPointF(right, 0), QPointF(right, viewport()->height()));
    painter.drawText(QPointF(left + 3, kRulerHeight - 7 + 20),
                     durationWords(static_cast<double>(timeline_->realNs(stretch_->beginNs, stretch_->endNs))));
  }
  painter.setPen(QPen(palette().color(QPalette::Text), 1, Qt::DashLine));
  for (int64_t mark : marks_) painter.drawLine(QPointF(xOf(mark), 0), QPointF(xOf(mark), viewport()->height()));
  if (marks_.size() == 2) {
    const double middle = (xOf(marks_[0]) + xOf(marks_[1])) / 2;
    const QString text = measured();
    const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 4;
    const QRectF plate(std::clamp(middle, kLabelWidth + half, viewport()->width() - half) - half, 1, 2 * half,
                       kRulerHeight - 3);
    painter.fillRect(plate, palette().base());
    painter.drawText(plate, Qt::AlignCenter, text);
  }
}

void TimelineView::paintEvent(QPaintEvent*) {
  QElapsedTimer timer;
  timer.start();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), palette().base());
  if (timeline_ && !rows_.empty()) {
    const double scale = viewport()->devicePixelRatioF();
    QImage image(static_cast<int>(contentWidth() * scale), static_cast<int>(viewport()->height() * scale),
                 QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(palette().color(QPalette::Base));
    for (const Row& row : rows_)
      if (row.track >= 0) paintLane(image, row, scale);
    painter.drawImage(QPointF(kLabelWidth, 0), image);
    painter.setClipRect(QRect(kLabelWidth, kRulerHeight, contentWidth(), viewport()->height() - kRulerHeight));
    for (const Row& row : rows_)
      if (row.track >= 0 && rowY(row) > kRulerHeight - kLaneHeight && rowY(row) < viewport()->height())
        paintLabels(painter, row);
    paintBreaks(painter);
    paintOutlines(painter);
    paintFlows(painter);
    painter.setClipping(false);
    paintTitles(painter);
    paintRuler(painter);
    painter.setClipRect(QRect(kLabelWidth, 0, contentWidth(), viewport()->height()));
    paintStretch(painter);
  }
  lastPaintMs_ = static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

}  // namespace tessera
