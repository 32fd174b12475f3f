// Painting; colours are those of the canvas' heat, lines the palette's highlight with rotated hues.
#include "editor/values/value_plot.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "editor/canvas/render.h"
#include "editor/look/value_color.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kPlotMargin = 8, kBars = 40, kMaxPlotLines = 12, kMaxImageSide = 4096;
constexpr int64_t kMaxPoints = 4000;

}  // namespace

ValuePlot::ValuePlot(Form form, QWidget* parent) : QWidget(parent), form_(form) {}

bool ValuePlot::inColors() const {
  const auto& sizes = slice_.value().shape().dimensions;
  const size_t rank = sizes.size();
  return rank >= 3 && (sizes[rank - 1] == 3 || sizes[rank - 1] == 4) && sizes[rank - 2] > 4 && sizes[rank - 3] > 4;
}

void ValuePlot::show(const ValueSlice& slice, const ValueSummary& summary) {
  slice_ = slice;
  summary_ = summary;
  image_ = QImage();
  counts_.clear();
  if (!slice_.isArray() || slice_.value().elementCount() == 0) return update();
  if (form_ == Form::Image) makeImage();
  if (form_ == Form::Histogram) counts_ = countsOf(slice_.value(), summary_, kBars);
  update();
}

// In colours the last index that was chosen is ignored: it is the picture's row.
void ValuePlot::makeImage() {
  const bool dark = palette().color(QPalette::Base).lightness() < 128;
  const Theme theme = dark ? Theme::Dark : Theme::Light;
  const double span = summary_.most - summary_.least;
  const auto part = [&](double v) { return span > 0 ? (v - summary_.least) / span : 0.5; };
  const auto& sizes = slice_.value().shape().dimensions;
  const bool colors = inColors();
  const int64_t high = colors ? sizes[sizes.size() - 3] : slice_.rows(),
                wide = colors ? sizes[sizes.size() - 2] : slice_.columns();
  const int rows = static_cast<int>(std::min<int64_t>(high, kMaxImageSide)),
            columns = static_cast<int>(std::min<int64_t>(wide, kMaxImageSide));
  std::vector<int64_t> indices = slice_.indices();
  ValueSlice plane = slice_;
  image_ = QImage(columns, rows, QImage::Format_RGB32);
  for (int r = 0; r < rows; ++r) {
    if (colors) {
      indices.back() = r;
      plane.setIndices(indices);
    }
    for (int c = 0; c < columns; ++c) {
      const double value = colors ? plane.number(c, 0) : plane.number(r, c);
      QColor color = std::isfinite(value) ? valueColor(value, summary_.least, summary_.most, theme)
                                          : toQColor(ColorRole::Error, theme);
      if (colors && std::isfinite(value)) {
        const auto level = [&](int64_t k) {
          return static_cast<int>(255 * std::clamp(part(plane.number(c, k)), 0.0, 1.0));
        };
        color = QColor(level(0), level(1), level(2));
      }
      image_.setPixelColor(c, r, color);
    }
  }
}

QRectF ValuePlot::area() const {
  QRectF all = QRectF(rect()).adjusted(kPlotMargin, kPlotMargin, -kPlotMargin, -kPlotMargin);
  if (form_ != Form::Image) return all.adjusted(56, 0, 0, -fontMetrics().height() - 2);
  if (image_.isNull()) return all;
  const QSizeF size = QSizeF(image_.size()).scaled(all.size(), Qt::KeepAspectRatio);
  return {all.left(), all.top(), size.width(), size.height()};
}

void ValuePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (!slice_.isArray() || slice_.value().elementCount() == 0) return;
  if (form_ == Form::Image) painter.drawImage(area(), image_);
  painter.setRenderHint(QPainter::Antialiasing);
  if (form_ == Form::Lines) paintLines(painter);
  if (form_ == Form::Histogram) paintHistogram(painter);
}

void ValuePlot::paintAxis(QPainter& painter, double low, double high, const QString& left, const QString& right) {
  const QRectF plot = area();
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(plot);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  const double line = fontMetrics().height();
  const auto label = [&](double y, double value) {
    painter.drawText(QRectF(0, y, plot.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(value, 'g', 4));
  };
  label(plot.top() - 3, high);
  label(plot.bottom() - line + 3, low);
  painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), line), Qt::AlignLeft, left);
  painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), line), Qt::AlignRight, right);
}

// A vector is one line; a matrix a line a row.
void ValuePlot::paintLines(QPainter& painter) {
  const bool vector = slice_.columns() == 1;
  const int64_t lines = vector ? 1 : std::min<int64_t>(slice_.rows(), kMaxPlotLines),
                length = vector ? slice_.rows() : slice_.columns();
  const double low = summary_.least, high = summary_.most > low ? summary_.most : low + 1;
  paintAxis(painter, low, high, QStringLiteral("0"), QString::number(length - 1));
  const QRectF plot = area().adjusted(1, 2, -1, -2);
  painter.setClipRect(plot.adjusted(-1, -2, 1, 2));
  const QColor first = palette().color(QPalette::Highlight);
  const int64_t step = std::max<int64_t>(1, length / kMaxPoints);
  for (int64_t line = 0; line < lines; ++line) {
    QPainterPath path;
    bool down = false;
    for (int64_t i = 0; i < length; i += step) {
      const double value = vector ? slice_.number(i, 0) : slice_.number(line, i);
      if (!std::isfinite(value)) {
        down = false;
        continue;
      }
      const QPointF at(
          plot.left() + plot.width() * static_cast<double>(i) / static_cast<double>(std::max<int64_t>(length - 1, 1)),
          plot.bottom() - plot.height() * (value - low) / (high - low));
      if (down)
        path.lineTo(at);
      else
        path.moveTo(at);
      down = true;
    }
    QColor color = first;
    color.setHsv((first.hue() + static_cast<int>(line * 360 / std::max<int64_t>(lines, 1))) % 360, first.saturation(),
                 first.value());
    painter.setPen(QPen(color, 1.5));
    painter.drawPath(path);
  }
}

void ValuePlot::paintHistogram(QPainter& painter) {
  const int64_t highest = std::max<int64_t>(*std::ranges::max_element(counts_), 1);
  paintAxis(painter, 0, static_cast<double>(highest), QString::number(summary_.least, 'g', 4),
            QString::number(summary_.most, 'g', 4));
  const QRectF plot = area();
  const double wide = plot.width() / kBars;
  for (int i = 0; i < kBars; ++i) {
    const double high =
        (plot.height() - 2) * static_cast<double>(counts_[static_cast<size_t>(i)]) / static_cast<double>(highest);
    painter.fillRect(QRectF(plot.left() + i * wide + 0.5, plot.bottom() - high, wide - 1, high),
                     palette().color(QPalette::Highlight));
  }
}

QString ValuePlot::wordsAt(QPoint at) const {
  const QRectF plot = area();
  if (!plot.contains(at) || !slice_.isArray() || slice_.value().elementCount() == 0) return {};
  const double x = (at.x() - plot.left()) / plot.width(), y = (at.y() - plot.top()) / plot.height();
  if (form_ == Form::Histogram) {
    const int bar = std::clamp(static_cast<int>(x * kBars), 0, kBars - 1);
    const double each = (summary_.most - summary_.least) / kBars;
    return tr("%L1 elements in %2 … %3")
        .arg(counts_[static_cast<size_t>(bar)])
        .arg(summary_.least + bar * each, 0, 'g', 4)
        .arg(summary_.least + (bar + 1) * each, 0, 'g', 4);
  }
  if (inColors() && form_ == Form::Image) return {};
  int64_t row = static_cast<int64_t>(y * static_cast<double>(slice_.rows())),
          column = static_cast<int64_t>(x * static_cast<double>(slice_.columns()));
  if (form_ == Form::Lines) {
    if (slice_.columns() != 1) return {};
    row = std::llround(x * static_cast<double>(slice_.rows() - 1));
    column = 0;
  }
  row = std::clamp<int64_t>(row, 0, slice_.rows() - 1);
  column = std::clamp<int64_t>(column, 0, slice_.columns() - 1);
  return slice_.columns() == 1 ? tr("[%1] = %2").arg(row).arg(slice_.text(row, column))
                               : tr("[%1, %2] = %3").arg(row).arg(column).arg(slice_.text(row, column));
}

bool ValuePlot::event(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) show(ValueSlice(slice_), summary_);
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), asPlainText(wordsAt(help->pos())), this);
  return true;
}

}  // namespace tessera
