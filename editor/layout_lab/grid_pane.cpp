// The logical grid: axes, indices, cells, the walk of memory through them, tile boundaries.
#include "editor/layout_lab/grid_pane.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "editor/canvas/dimension_color.h"
#include "editor/layout_lab/cell_paint.h"

namespace tessera {
namespace {

constexpr int kGridTitle = 34, kAxis = 19, kIndices = 17, kGridMargin = 14;
constexpr int64_t kWalkMost = 256;  // positions up to which the walk of memory is drawn

// A step between labels that are `room` pixels wide at `cell` pixels a cell.
int64_t labelStep(int cell, int room) {
  int64_t step = 1;
  while (step * cell < room) step *= 2;
  return step;
}

}  // namespace

GridPane::GridPane(LabState* state, QWidget* parent) : CellPane(state, parent) {
  setObjectName(QStringLiteral("gridPane"));
  setAccessibleName(tr("Logical grid"));
}

QMargins GridPane::headers() const {
  const int digits = static_cast<int>(std::to_string(std::max<int64_t>(0, state_->rows() - 1)).size());
  const int left =
      state_->rowDimension() >= 0 ? kGridMargin + 20 + digits * fontMetrics().horizontalAdvance('0') + 8 : kGridMargin;
  const int top = kGridTitle + (state_->columnDimension() >= 0 ? kAxis + kIndices : 4);
  return {left, top, kGridMargin, kGridMargin};
}

int GridPane::fittingCell(QSize size) const {
  const QSize room = size.shrunkBy(headers());
  for (int cell = kLargestCell; cell >= kSmallestCell; --cell)
    if (state_->columns() <= room.width() / cell && state_->rows() <= room.height() / cell) return cell;
  return 0;
}

int GridPane::wantedHeight(int width, int cell) const {
  const auto rows = static_cast<int>(std::min<int64_t>(state_->rows(), 1000));
  const bool scrolls = state_->columns() > (width - headers().left() - headers().right()) / cell;
  return headers().top() + rows * cell + kGridMargin + (scrolls ? 20 : 6);
}

void GridPane::arrange() {
  const int fits = fittingCell(size());
  cell_ = zoomed() ? sizeLimit() : std::min(sizeLimit(), fits > 0 ? fits : kUsualCell);
  const QRect room = rect().marginsRemoved(headers());
  const int tall = (room.height() - 16) / static_cast<int>(std::clamp<int64_t>(state_->rows(), 1, 1000));
  if (fits == 0 && !zoomed() && tall >= 16) cell_ = std::min(cell_, tall);  // scroll along one axis only
  place(room, state_->rows(), state_->columns(), 0);
}

std::optional<CellPane::CellAt> GridPane::cellOf(int64_t linear) const {
  if (!state_->model()) return std::nullopt;
  const auto index = state_->model()->gridIndex(linear);
  if (!index || !state_->inSlice(*index)) return std::nullopt;
  const int row = state_->rowDimension(), column = state_->columnDimension();
  return CellAt{row < 0 ? 0 : (*index)[static_cast<size_t>(row)],
                column < 0 ? 0 : (*index)[static_cast<size_t>(column)]};
}

std::optional<int64_t> GridPane::linearAt(CellAt cell) const {
  if (!state_->model() || cell.row >= state_->rows() || cell.column >= state_->columns()) return std::nullopt;
  return state_->model()->linearOf(state_->gridIndex(cell.row, cell.column));
}

void GridPane::stepPage(int direction) {
  const int dimension = state_->rowDimension() - 1;
  const auto chosen = state_->chosen();
  if (dimension < 0 || !chosen) return CellPane::stepPage(direction);
  auto index = state_->model()->gridIndex(*chosen);
  if (!index) return;
  int64_t& at = (*index)[static_cast<size_t>(dimension)];
  at = std::clamp<int64_t>(at + direction, 0, state_->model()->extents()[static_cast<size_t>(dimension)] - 1);
  state_->choose(state_->model()->linearOf(*index));
}

QRectF GridPane::tileRectOf(int64_t linear) const {
  const auto cell = cellOf(linear);
  const LayoutModel* model = state_->model();
  if (!cell || model->tileVolume(0) == 0 || state_->columnDimension() < 0) return {};
  const int64_t across = model->tileSize(state_->columnDimension(), 0);
  const int64_t down = state_->rowDimension() < 0 ? 0 : model->tileSize(state_->rowDimension(), 0);
  const int64_t wide = across > 0 ? across : 1, high = down > 0 ? down : 1;
  const QRectF first = rectAt(cell->row / high * high, cell->column / wide * wide);
  return {first.left(), first.top(), static_cast<double>(wide) * cell_, static_cast<double>(high) * cell_};
}

QString GridPane::title() const {
  const LayoutModel& model = *state_->model();
  QString sizes;
  for (int64_t size : model.shape().dimensions)
    sizes += (sizes.isEmpty() ? QString() : QStringLiteral(" × ")) + QString::fromStdString(grouped(size));
  if (model.rank() == 0) return tr("one element, no dimension");
  if (model.extents() == model.shape().dimensions) return sizes;
  QString padded;
  for (int64_t size : model.extents())
    padded += (padded.isEmpty() ? QString() : QStringLiteral(" × ")) + QString::fromStdString(grouped(size));
  return tr("%1  in  %2").arg(sizes, padded);
}

void GridPane::paintContent(QPainter& painter) {
  if (!state_->model()) return;
  paintTitle(painter, tr("Logical grid"), title());
  if (state_->rows() == 0 || state_->columns() == 0) {
    painter.setPen(colors().subtext);
    painter.drawText(area_.isEmpty() ? rect() : area_, Qt::AlignCenter, tr("no elements"));
    return;
  }
  paintAxes(painter);
  paintIndices(painter);
  painter.setClipRect(area_.adjusted(-1, -1, 1, 1));
  paintCells(painter);
  paintTiles(painter, 1);
  paintTiles(painter, 0);
  paintArrayEdge(painter);
  paintWalk(painter);
}

void GridPane::paintAxes(QPainter& painter) const {
  QFont small = font();
  small.setPixelSize(12);
  painter.setFont(small);
  painter.setPen(colors().subtext);
  const QFontMetrics metrics(small);
  const auto text = [this](int dimension, int room, const QFontMetrics& m) {
    const QString letter = letterOf(state_->dimensions(), static_cast<size_t>(dimension)),
                  end = (letter.isEmpty() ? QString() : QStringLiteral(" ") + letter) + QStringLiteral(" →");
    const QString full = tr("dimension %1").arg(dimension) + end;
    return m.horizontalAdvance(full) <= room ? full : tr("dim %1").arg(dimension) + end;
  };
  const auto ink = [&](int dimension) {
    painter.setPen(state_->dimensions().empty()
                       ? colors().subtext
                       : dimensionColor(state_->dimensions(), static_cast<size_t>(dimension), palette()));
  };
  if (const int d = state_->columnDimension(); d >= 0) {
    const QString label = text(d, std::max(area_.width(), 90), metrics);
    ink(d);
    const int wide = std::max(area_.width(), metrics.horizontalAdvance(label) + 4);
    painter.drawText(QRect(area_.left(), area_.top() - kIndices - kAxis, wide, kAxis), Qt::AlignLeft | Qt::AlignVCenter,
                     label);
  }
  if (const int d = state_->rowDimension(); d >= 0) {
    const QString label = text(d, area_.height(), metrics);
    ink(d);
    const int tall = std::max(area_.height(), metrics.horizontalAdvance(label) + 4);
    painter.save();
    painter.translate(area_.left() - (headers().left() - kGridMargin) + 16, area_.top());
    painter.rotate(90);  // reads downwards, as the index grows
    painter.drawText(QRect(0, 0, tall, 16), Qt::AlignLeft | Qt::AlignVCenter, label);
    painter.restore();
  }
}

void GridPane::paintIndices(QPainter& painter) const {
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  painter.setPen(colors().faint);
  const QFontMetrics metrics(small);
  if (state_->columnDimension() >= 0) {
    const int room = metrics.horizontalAdvance(QString::number(columns_.end())) + 10;
    const int64_t by = labelStep(cell_, room);
    forMultiples(columns_.first(), columns_.end(), by, [&](int64_t c) {
      const QRectF at = rectAt(rows_.first(), c);
      if (at.right() > area_.right() + 2) return;
      painter.drawText(QRectF(at.center().x() - 60, area_.top() - kIndices, 120, kIndices - 2),
                       Qt::AlignHCenter | Qt::AlignVCenter, QString::number(c));
    });
  }
  if (state_->rowDimension() < 0) return;
  const int64_t by = labelStep(cell_, 14);
  forMultiples(rows_.first(), rows_.end(), by, [&](int64_t r) {
    const QRectF at = rectAt(r, columns_.first());
    if (at.bottom() > area_.bottom() + 2) return;
    painter.drawText(QRectF(area_.left() - 128, at.center().y() - 8, 120, 16), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(r));
  });
}

void GridPane::paintCells(QPainter& painter) const {
  const LabColors c = colors();
  CellLooks looks(*state_, c, cell_ >= CellLooks::kSmallestNamed);
  for (int64_t row = rows_.first(); row < rows_.end(); ++row)
    for (int64_t column = columns_.first(); column < columns_.end(); ++column)
      paintCell(painter, rectAt(row, column), looks.of(state_->gridIndex(row, column)), c);
}

// The way that memory takes through the cells, from each position to the next: what "fastest" means.
void GridPane::paintWalk(QPainter& painter) const {
  const LayoutModel& model = *state_->model();
  if (cell_ < 20 || model.positions() > kWalkMost || rows_.scrolls() || columns_.scrolls()) return;
  const LabColors c = colors();
  QColor color = c.text;
  color.setAlphaF(c.dark ? 0.50F : 0.42F);
  painter.setRenderHint(QPainter::Antialiasing);
  std::optional<QPointF> last;
  for (int64_t linear = 0; linear < model.positions(); ++linear) {
    const auto cell = cellOf(linear);
    if (cell && last) {
      const QPointF to = rectAt(cell->row, cell->column).center(), way = to - *last;
      const double length = std::hypot(way.x(), way.y()), keep = cell_ * 0.30;
      const QPointF unit = way / length, from = *last + unit * keep, tip = to - unit * keep;
      const bool far = length > cell_ * 1.5;
      QColor line = color;
      if (far) line.setAlphaF(color.alphaF() * 0.7F);
      painter.setPen(QPen(line, far ? 1.0 : 1.3, far ? Qt::DotLine : Qt::SolidLine, Qt::RoundCap));
      painter.drawLine(from, tip);
      painter.setPen(QPen(line, 1.3, Qt::SolidLine, Qt::RoundCap));
      const QPointF side(-unit.y(), unit.x());
      painter.drawLine(tip, tip - unit * 4.5 + side * 3);
      painter.drawLine(tip, tip - unit * 4.5 - side * 3);
    }
    last = cell ? std::optional(rectAt(cell->row, cell->column).center()) : std::nullopt;
  }
}

void GridPane::paintTiles(QPainter& painter, int level) const {
  const LayoutModel& model = *state_->model();
  if (model.tileVolume(level) == 0 || (level == 1 && cell_ < 8)) return;
  const LabColors c = colors();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(level == 0 ? QPen(c.tileLine, cell_ < 10 ? 1 : 2) : QPen(c.tileLine, 1, Qt::DotLine));
  const auto lines = [&](const CellAxis& axis, int dimension, const auto& draw) {
    const int64_t tile = dimension < 0 ? 0 : model.tileSize(dimension, level);
    if (tile <= 0 || (level == 1 && tile == 1)) return;
    forMultiples(axis.first(), axis.end(), tile, draw);
    if (axis.end() % tile == 0) draw(axis.end());  // the far edge
  };
  lines(columns_, state_->columnDimension(), [&](int64_t at) {
    const double x = rectAt(rows_.first(), at).left();
    painter.drawLine(QPointF(x, area_.top()), QPointF(x, area_.bottom() + 1));
  });
  lines(rows_, state_->rowDimension(), [&](int64_t at) {
    const double y = rectAt(at, columns_.first()).top();
    painter.drawLine(QPointF(area_.left(), y), QPointF(area_.right() + 1, y));
  });
}

// Where the array ends and its padding begins.
void GridPane::paintArrayEdge(QPainter& painter) const {
  const LayoutModel& model = *state_->model();
  if (model.extents() == model.shape().dimensions || state_->columnDimension() < 0) return;
  const auto size = [&](int d) { return d < 0 ? int64_t{1} : model.shape().dimensions[static_cast<size_t>(d)]; };
  for (int d = 0; d < state_->rowDimension(); ++d)
    if (state_->slice()[static_cast<size_t>(d)] >= size(d)) return;  // a slice of nothing but padding
  const auto limit = [](int64_t at, const CellAxis& axis) { return std::clamp(at, axis.first(), axis.end() + 1); };
  const QRectF first = rectAt(limit(0, rows_), limit(0, columns_));
  const QRectF last =
      rectAt(limit(size(state_->rowDimension()), rows_), limit(size(state_->columnDimension()), columns_));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colors().text, cell_ < 10 ? 1.2 : 1.8));
  painter.drawRect(QRectF(first.topLeft(), last.topLeft()));
}

}  // namespace tessera
