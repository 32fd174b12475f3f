// Cells: fill by logical place, name in the middle, padding hatched.
#include "editor/layout_lab/cell_paint.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr double kSmallestText = 15;  // cells below this size have none

void paintText(QPainter& painter, const QRectF& rect, const QString& text, const QColor& color, double most) {
  if (text.isEmpty() || rect.width() < kSmallestText) return;
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

CellLook lookOf(const LabState& state, int64_t linear, const LabColors& colors) {
  const LayoutModel& model = *state.model();
  const auto gridIndex = model.gridIndex(linear);
  if (gridIndex) return lookOf(state, *gridIndex, colors);
  return {model.kindOf(linear, gridIndex), {}, QString::fromStdString(model.paddingText()), false};
}

CellLook lookOf(const LabState& state, std::span<const int64_t> gridIndex, const LabColors& colors) {
  const LayoutModel& model = *state.model();
  CellLook look;
  look.kind = model.kindAt(gridIndex);
  if (look.kind != CellKind::Element) {
    look.text = QString::fromStdString(model.paddingText());
    return look;
  }
  const auto at = [&](int d) { return d < 0 ? int64_t{0} : gridIndex[static_cast<size_t>(d)]; };
  const auto size = [&](int d) { return d < 0 ? int64_t{1} : model.shape().dimensions[static_cast<size_t>(d)]; };
  const int row = state.rowDimension(), column = state.columnDimension();
  look.fill = colors.element(at(row), size(row), at(column), size(column));
  look.faded = !state.inSlice(gridIndex);
  if (look.faded) look.fill = blend(look.fill, colors.page, colors.dark ? 0.55 : 0.6);
  look.text = QString::fromStdString(model.elementName(gridIndex));
  return look;
}

void paintHatch(QPainter& painter, const QRectF& rect, CellKind kind, const LabColors& colors) {
  const QColor color = kind == CellKind::PaddedDimension ? colors.paddingHatch : colors.tileHatch;
  painter.setPen(Qt::NoPen);
  painter.setBrush(blend(colors.page, color, 0.10));
  painter.drawRect(rect);
  QColor lines = color;
  lines.setAlphaF(colors.dark ? 0.62F : 0.55F);
  const auto style = kind == CellKind::PaddedDimension ? Qt::BDiagPattern
                     : kind == CellKind::TilePadding   ? Qt::FDiagPattern
                                                       : Qt::DiagCrossPattern;
  painter.setBrush(QBrush(lines, style));
  painter.drawRect(rect);
}

void paintCell(QPainter& painter, const QRectF& rect, const CellLook& look, const LabColors& colors) {
  const QRectF inner = inset(rect);
  painter.setRenderHint(QPainter::Antialiasing, inner.width() >= 10);
  if (look.kind != CellKind::Element) {
    paintHatch(painter, inner, look.kind, colors);
    if (look.text.isEmpty() || rect.width() < kSmallestText) return;
    const double plate = std::min(20.0, inner.width() * 0.56);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.page);
    painter.drawEllipse(inner.center(), plate / 2, plate / 2);
    paintText(painter, inner, look.text, colors.subtext, 17);
    return;
  }
  painter.setPen(inner.width() >= 14 ? QPen(blend(look.fill, colors.text, look.faded ? 0.12 : 0.28), 1) : QPen(Qt::NoPen));
  painter.setBrush(look.fill);
  const double radius = radiusOf(rect);
  if (radius > 0) painter.drawRoundedRect(inner, radius, radius);
  else painter.drawRect(inner);
  QColor text = colors.textOn(look.fill);
  if (look.faded) text = blend(text, look.fill, 0.35);
  paintText(painter, inner, look.text, text, 21);
}

}  // namespace tessera
