// Cells: fill by logical place, name in the middle, padding hatched.
#include "editor/layout_lab/cell_paint.h"

#include <algorithm>

namespace tessera {
namespace {

void paintText(QPainter& painter, const QRectF& rect, const QString& text, const QColor& color, double most) {
  if (text.isEmpty() || rect.width() + 4 < CellLooks::kSmallestNamed) return;
  QFont font = painter.font();
  const double share = text.size() == 1 ? 0.44 : 0.34;
  double size = std::min(most, rect.width() * share);
  font.setPixelSize(std::max(7, static_cast<int>(size)));
  const double wide = QFontMetricsF(font).horizontalAdvance(text);
  if (wide > rect.width() - 3) {
    size *= (rect.width() - 3) / wide;
    if (size < 7.5) return;
    font.setPixelSize(static_cast<int>(size));
  }
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(rect, Qt::AlignCenter, text);
}

QRectF inset(const QRectF& rect) {
  const double gap = rect.width() >= 24 ? 1.5 : rect.width() >= 10 ? 0.75 : rect.width() >= 7 ? 0.5 : 0;
  return rect.adjusted(gap, gap, -gap, -gap);
}

double radiusOf(const QRectF& rect) { return rect.width() >= 24 ? 5 : rect.width() >= 14 ? 2.5 : 0; }

}  // namespace

CellLooks::CellLooks(const LabState& state, const LabColors& colors, bool named)
    : state_(state),
      colors_(colors),
      named_(named),
      padding_(named ? QString::fromStdString(state.model()->paddingText()) : QString()),
      fills_(static_cast<size_t>(LabColors::kCycle * LabColors::kCycle)) {}

CellLook CellLooks::at(int64_t linear) {
  const auto gridIndex = state_.model()->gridIndex(linear);
  if (gridIndex) return of(*gridIndex);
  return {state_.model()->kindOf(linear, gridIndex), {}, padding_, false};
}

CellLook CellLooks::of(std::span<const int64_t> gridIndex) {
  CellLook look;
  look.kind = state_.model()->kindAt(gridIndex);
  if (look.kind != CellKind::Element) {
    look.text = padding_;
    return look;
  }
  look.fill = fill(gridIndex);
  look.faded = !state_.inSlice(gridIndex);
  if (look.faded) look.fill = blend(look.fill, colors_.page, colors_.dark ? 0.55 : 0.6);
  if (named_) look.text = QString::fromStdString(state_.model()->elementName(gridIndex));
  return look;
}

QColor CellLooks::fill(std::span<const int64_t> gridIndex) {
  const auto at = [&](int d) { return d < 0 ? int64_t{0} : gridIndex[static_cast<size_t>(d)]; };
  const auto size = [&](int d) {
    return d < 0 ? int64_t{1} : state_.model()->shape().dimensions[static_cast<size_t>(d)];
  };
  const int row = state_.rowDimension(), column = state_.columnDimension();
  QColor& out =
      fills_[static_cast<size_t>(at(row) % LabColors::kCycle * LabColors::kCycle + at(column) % LabColors::kCycle)];
  if (!out.isValid()) out = colors_.element(at(row), size(row), at(column), size(column));
  return out;
}

void paintHatch(QPainter& painter, const QRectF& rect, CellKind kind, const LabColors& colors) {
  const QColor color = kind == CellKind::PaddedDimension ? colors.paddingHatch : colors.tileHatch;
  painter.fillRect(rect, blend(colors.page, color, 0.10));
  QColor lines = color;
  lines.setAlphaF(colors.dark ? 0.62F : 0.55F);
  const auto style = kind == CellKind::PaddedDimension ? Qt::BDiagPattern
                     : kind == CellKind::TilePadding   ? Qt::FDiagPattern
                                                       : Qt::DiagCrossPattern;
  painter.fillRect(rect, QBrush(lines, style));
}

void paintCell(QPainter& painter, const QRectF& rect, const CellLook& look, const LabColors& colors) {
  const QRectF inner = inset(rect);
  painter.setRenderHint(QPainter::Antialiasing, inner.width() >= 10);
  if (look.kind != CellKind::Element) {
    paintHatch(painter, inner, look.kind, colors);
    if (look.text.isEmpty() || rect.width() < CellLooks::kSmallestNamed) return;
    const double plate = std::min(20.0, inner.width() * 0.56);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.page);
    painter.drawEllipse(inner.center(), plate / 2, plate / 2);
    paintText(painter, inner, look.text, colors.subtext, 17);
    return;
  }
  if (inner.width() < 10) return painter.fillRect(inner, look.fill);
  painter.setPen(inner.width() >= 14 ? QPen(blend(look.fill, colors.text, look.faded ? 0.12 : 0.28), 1)
                                     : QPen(Qt::NoPen));
  painter.setBrush(look.fill);
  const double radius = radiusOf(rect);
  if (radius > 0)
    painter.drawRoundedRect(inner, radius, radius);
  else
    painter.drawRect(inner);
  QColor text = colors.textOn(look.fill);
  if (look.faded) text = blend(text, look.fill, 0.35);
  paintText(painter, inner, look.text, text, 21);
}

}  // namespace tessera
