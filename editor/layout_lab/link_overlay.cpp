// The hover link: marks, line, labels.
#include "editor/layout_lab/link_overlay.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "editor/layout_lab/cell_paint.h"
#include "editor/layout_lab/cell_pane.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr int kGlideMs = 130;

QRectF between(const QRectF& a, const QRectF& b, double t) {
  return {a.topLeft() + (b.topLeft() - a.topLeft()) * t, a.size() + (b.size() - a.size()) * t};
}

// A small cell gets a mark that can be seen.
QRectF markOf(const QRectF& cell) {
  const double more = std::max(1.0, (12 - cell.width()) / 2);
  return cell.adjusted(-more, -more, more, more);
}

QString indexText(const std::vector<int64_t>& index) {
  QString out = QStringLiteral("(");
  for (size_t d = 0; d < index.size(); ++d) out += (d ? QStringLiteral(", ") : QString()) + QString::number(index[d]);
  return out + QStringLiteral(")");
}

}  // namespace

LinkOverlay::LinkOverlay(LabState* state, const CellPane* grid, const CellPane* memory, QWidget* parent)
    : QWidget(parent), state_(state), grid_(grid), memory_(memory) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  glide_.setStartValue(0.0);
  glide_.setEndValue(1.0);
  connect(&glide_, &QVariantAnimation::valueChanged, this, [this] { update(); });
  glide_.setEasingCurve(QEasingCurve::OutCubic);
  connect(state_, &LabState::currentChanged, this, &LinkOverlay::retarget);
  for (const CellPane* pane : {grid, memory}) connect(pane, &CellPane::scrolled, this, qOverload<>(&QWidget::update));
}

void LinkOverlay::finishAnimation() {
  glide_.stop();
  glide_.setCurrentTime(glide_.duration());
  from_ = {};
  update();
}

void LinkOverlay::retarget() {
  from_ = shown();
  if (state_->current() && isVisible()) {
    glide_.stop();
    glide_.setDuration(transitionMs(kGlideMs));
    glide_.start();
  } else {
    finishAnimation();
  }
  if (!state_->current()) from_ = {};
  update();
}

QRectF LinkOverlay::inOverlay(const CellPane* pane, const QRectF& rect) const {
  return rect.translated(pane->geometry().topLeft() - geometry().topLeft());
}

// A cell that is scrolled away is shown at the edge that it lies behind.
QRectF LinkOverlay::clipped(const CellPane* pane, const QRectF& rect) const {
  const QRectF area = pane->area();
  const QPointF center(std::clamp(rect.center().x(), area.left(), std::max(area.left(), area.right())),
                       std::clamp(rect.center().y(), area.top(), std::max(area.top(), area.bottom())));
  if (center == rect.center()) return inOverlay(pane, rect);
  return inOverlay(pane, QRectF(center - QPointF(2, 2), QSizeF(4, 4)));
}

LinkOverlay::Ends LinkOverlay::target() const {
  Ends out;
  if (!state_->current() || !state_->model()) return out;
  if (const auto rect = grid_->rectOf(*state_->current())) out.grid = clipped(grid_, *rect);
  if (const auto rect = memory_->rectOf(*state_->current())) out.memory = clipped(memory_, *rect);
  return out;
}

LinkOverlay::Ends LinkOverlay::shown() const {
  Ends to = target();
  const double t = glide_.state() == QAbstractAnimation::Running ? glide_.currentValue().toDouble() : 1;
  if (from_.grid && to.grid) to.grid = between(*from_.grid, *to.grid, t);
  if (from_.memory && to.memory) to.memory = between(*from_.memory, *to.memory, t);
  return to;
}

void LinkOverlay::paintEvent(QPaintEvent*) {
  if (!state_->current() || !state_->model()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const LabColors c = LabColors::of(palette());
  const Ends ends = shown();
  paintTile(painter, grid_, c);
  paintTile(painter, memory_, c);
  if (ends.grid) paintMark(painter, *ends.grid, c);
  if (ends.memory) paintMark(painter, *ends.memory, c);
  if (ends.grid && ends.memory) paintLine(painter, ends, c);
  const int64_t linear = *state_->current();
  const auto index = state_->model()->gridIndex(linear);
  if (ends.grid && index) paintBubble(painter, *ends.grid, indexText(*index), true, c);
  if (ends.memory)
    paintBubble(painter, *ends.memory,
                tr("linear %1 · byte %2").arg(linear).arg(state_->model()->memory().byteOffset(linear)), false, c);
}

void LinkOverlay::paintTile(QPainter& painter, const CellPane* pane, const LabColors& colors) const {
  const QRectF tile = pane->tileRectOf(*state_->current());
  if (tile.isEmpty()) return;
  painter.save();
  painter.setClipRect(inOverlay(pane, QRectF(pane->area()).adjusted(-2, -2, 3, 3)));
  QColor fill = colors.accent;
  fill.setAlphaF(0.07F);
  QColor edge = colors.accent;
  edge.setAlphaF(0.6F);
  painter.setPen(QPen(edge, 1.5));
  painter.setBrush(fill);
  painter.drawRect(inOverlay(pane, tile));
  painter.restore();
}

void LinkOverlay::paintMark(QPainter& painter, const QRectF& rect, const LabColors& colors) const {
  const QRectF mark = markOf(rect);
  QColor halo = colors.accent;
  halo.setAlphaF(0.28F);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, 7));
  painter.drawRoundedRect(mark, 5, 5);
  painter.setPen(QPen(colors.accent, 2.5));
  painter.drawRoundedRect(mark, 5, 5);
}

// The line leaves and arrives along the gaps between cells, so that it covers none of them.
QPainterPath LinkOverlay::route(const QRectF& a, const QRectF& b) const {
  const QRectF gridArea = inOverlay(grid_, grid_->area()), memoryArea = inOverlay(memory_, memory_->area());
  const bool stacked = memory_->geometry().top() >= grid_->geometry().bottom();
  const QPointF to(b.left(), b.top() - (b.width() >= 20 ? 1 : 0));
  QPainterPath path;
  if (stacked) {
    path.moveTo(a.left(), a.bottom());
    const QPointF leave(a.left(), std::max(a.bottom(), gridArea.bottom() + 4));
    const QPointF arrive(to.x(), std::min(to.y(), memoryArea.top() - 20));
    const double reach = std::max(16.0, (arrive.y() - leave.y()) * 0.55);
    path.lineTo(leave);
    path.cubicTo(leave + QPointF(0, reach), arrive - QPointF(0, reach), arrive);
  } else {
    path.moveTo(a.right(), a.top());
    const QPointF leave(std::max(a.right(), gridArea.right() + 6), a.top());
    const QPointF arrive(std::min(to.x(), memoryArea.left() - 56), to.y());
    const double reach = std::max(16.0, (arrive.x() - leave.x()) * 0.55);
    path.lineTo(leave);
    path.cubicTo(leave + QPointF(reach, 0), arrive - QPointF(reach, 0), arrive);
  }
  path.lineTo(to);
  return path;
}

void LinkOverlay::paintLine(QPainter& painter, const Ends& ends, const LabColors& colors) const {
  const QPainterPath path = route(*ends.grid, *ends.memory);
  const QPointF from = path.pointAtPercent(0), to = path.pointAtPercent(1);
  QColor halo = colors.page;
  halo.setAlphaF(0.7F);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, 4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
  painter.setPen(QPen(colors.accent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.accent);
  painter.drawEllipse(from, 3.5, 3.5);
  painter.drawEllipse(to, 3.5, 3.5);
}

// The grid's label lies on its column numbers; memory's below its cell, over the position's number.
void LinkOverlay::paintBubble(QPainter& painter, const QRectF& cell, const QString& text, bool grid,
                              const LabColors& colors) const {
  QFont small = font();
  small.setPixelSize(11);
  small.setBold(true);
  painter.setFont(small);
  const QSizeF size(QFontMetricsF(small).horizontalAdvance(text) + 14, 17);
  const QRectF mark = markOf(cell);
  const double header = inOverlay(grid_, grid_->area()).top() - size.height() - 2;
  QRectF box(QPointF(mark.center().x() - size.width() / 2, grid ? header : mark.bottom() + 1), size);
  if (box.bottom() > height() - 2) box.moveBottom(mark.top() - 8);
  box.moveLeft(std::clamp(box.left(), 4.0, std::max(4.0, width() - size.width() - 4)));
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.accent);
  painter.drawRoundedRect(box, 5, 5);
  painter.setPen(colors.accentText);
  painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace tessera
