// Scrolling, zoom, hover and keys that both panes have.
#include "editor/layout_lab/cell_pane.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/base/checked_math.h"
#include "editor/layout_lab/accessible_cells.h"

namespace tessera {
namespace {

constexpr int64_t kBarSteps = 1'000'000;
constexpr int kBarWidth = 12;

// Some cells further along `count` of them, at most to either end. There may be as many as 64 bits can count.
int64_t moved(int64_t cell, int64_t by, int64_t count) {
  return std::clamp<int64_t>(checkedAdd(cell, by).value_or(by < 0 ? 0 : count - 1), 0, count - 1);
}

}  // namespace

// --- CellAxis

void CellAxis::configure(int64_t count, int pitch, int viewport) {
  count_ = count;
  pitch_ = std::max(1, pitch);
  visible_ = std::max(1, viewport / pitch_);
  setFirst(first_);
}

int64_t CellAxis::maximum() const { return std::max<int64_t>(0, count_ - visible_); }
int64_t CellAxis::end() const { return first_ + std::min(count_ - first_, visible_ + 1); }
void CellAxis::setFirst(int64_t first) { first_ = std::clamp<int64_t>(first, 0, maximum()); }

void CellAxis::reveal(int64_t cell) {
  const int64_t last = first_ + visible_ - 1;
  if (cell >= first_ && cell <= last) return;
  const int64_t away = cell < first_ ? first_ - cell : cell - last;
  if (away > visible_ / 2)
    setFirst(cell - visible_ / 2);  // far: with its surroundings
  else
    setFirst(cell < first_ ? cell : first_ + away);
}

int CellAxis::barMaximum() const { return static_cast<int>(std::min(maximum(), kBarSteps)); }

int CellAxis::barValue() const {
  if (maximum() <= kBarSteps) return static_cast<int>(first_);
  return static_cast<int>(std::lround(static_cast<double>(first_) / static_cast<double>(maximum()) * kBarSteps));
}

void CellAxis::setBarValue(int value) {
  if (maximum() <= kBarSteps) return setFirst(value);
  if (value == barValue()) return;  // a rounded value must not move what is shown
  setFirst(value >= kBarSteps ? maximum() : maximum() / kBarSteps * value);
}

// --- CellPane

CellPane::CellPane(LabState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      vertical_(new QScrollBar(Qt::Vertical, this)),
      horizontal_(new QScrollBar(Qt::Horizontal, this)) {
  makeCellsAccessible();
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(80, 60);
  for (QScrollBar* bar : {vertical_, horizontal_}) {
    bar->hide();
    bar->setFocusPolicy(Qt::NoFocus);
    connect(bar, &QScrollBar::valueChanged, this, [this, bar](int value) {
      (bar == vertical_ ? rows_ : columns_).setBarValue(value);
      refresh();
      emit scrolled();
    });
  }
  connect(state_, &LabState::modelChanged, this, [this] {
    zoomCell_ = 0;
    rows_.setFirst(0);
    columns_.setFirst(0);
  });
  connect(state_, &LabState::sliceChanged, this, &CellPane::refresh);
  connect(state_, &LabState::currentChanged, this, [this] { notifyChosenCell(*this); });
}

void CellPane::setCellLimit(int cell) { limit_ = std::clamp(cell, kSmallestCell, kLargestCell); }

void CellPane::rearrange() {
  arrange();
  syncBars();
  refresh();
}

void CellPane::refresh() {
  cache_ = {};
  update();
}

// Puts the cells into `available` (headers excluded): in the middle when they fit, else with scroll bars.
void CellPane::place(QRect available, int64_t rows, int64_t columns, int below) {
  below_ = below;
  const int pitch = cell_ + below_;
  const auto over = [](int64_t count, int size, int room) { return count > room / std::max(1, size); };
  bool down = over(rows, pitch, available.height()), across = over(columns, cell_, available.width());
  if (down && !across) across = over(columns, cell_, available.width() - kBarWidth);
  if (across && !down) down = over(rows, pitch, available.height() - kBarWidth);
  if (down) available.setRight(available.right() - kBarWidth - 2);
  if (across) available.setBottom(available.bottom() - kBarWidth - 2);
  rows_.configure(rows, pitch, available.height());
  columns_.configure(columns, cell_, available.width());
  const int width = across ? available.width() : static_cast<int>(columns * cell_);
  const int height = down ? available.height() : static_cast<int>(rows * pitch);
  area_ = QRect(available.topLeft(), QSize(width, height));
  if (!across) area_.moveLeft(available.left() + (available.width() - width) / 2);
  if (!down) area_.moveTop(available.top() + (available.height() - height) / 2);
}

void CellPane::syncBars() {
  vertical_->setVisible(rows_.scrolls());
  horizontal_->setVisible(columns_.scrolls());
  vertical_->setGeometry(area_.right() + 3, area_.top(), kBarWidth, area_.height());
  horizontal_->setGeometry(area_.left(), area_.bottom() + 3, area_.width(), kBarWidth);
  const auto sync = [](QScrollBar* bar, const CellAxis& axis) {
    const QSignalBlocker quiet(bar);
    bar->setRange(0, axis.barMaximum());
    bar->setPageStep(static_cast<int>(axis.visible()));
    bar->setValue(axis.barValue());
  };
  sync(vertical_, rows_);
  sync(horizontal_, columns_);
}

QRectF CellPane::rectAt(int64_t row, int64_t column) const {
  const double dx = static_cast<double>(column - columns_.first()), dy = static_cast<double>(row - rows_.first());
  return {area_.left() + dx * cell_, area_.top() + dy * rows_.pitch(), static_cast<double>(cell_),
          static_cast<double>(cell_)};
}

std::optional<QRectF> CellPane::rectOf(int64_t linear) const {
  const auto cell = cellOf(linear);
  return cell ? std::optional(rectAt(cell->row, cell->column)) : std::nullopt;
}

bool CellPane::shows(int64_t linear) const {
  const auto rect = rectOf(linear);
  return rect && area_.adjusted(-1, -1, 1, 1).contains(rect->center().toPoint());
}

void CellPane::reveal(int64_t linear) {
  const auto cell = cellOf(linear);
  if (!cell || shows(linear)) return;
  rows_.reveal(cell->row);
  columns_.reveal(cell->column);
  syncBars();
  refresh();
  emit scrolled();
}

std::optional<CellPane::CellAt> CellPane::hit(QPointF at) const {
  if (!QRectF(area_).contains(at)) return std::nullopt;
  const CellAt cell{rows_.first() + static_cast<int64_t>((at.y() - area_.top()) / rows_.pitch()),
                    columns_.first() + static_cast<int64_t>((at.x() - area_.left()) / cell_)};
  return cell.row < rows_.count() && cell.column < columns_.count() ? std::optional(cell) : std::nullopt;
}

void CellPane::paintTitle(QPainter& painter, const QString& title, const QString& detail, int reserved) const {
  const LabColors c = colors();
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(c.text);
  painter.drawText(QPointF(14, 22), title);
  const double after = 14 + QFontMetricsF(bold).horizontalAdvance(title) + 12;
  painter.setFont(font());
  painter.setPen(c.subtext);
  const int room = std::max(0, width() - static_cast<int>(after) - 12 - reserved);
  const QString elided = fontMetrics().elidedText(detail, Qt::ElideRight, room);
  painter.drawText(QPointF(after, 22), elided);
}

void CellPane::paintEvent(QPaintEvent*) {
  const double ratio = devicePixelRatioF();
  if (animating()) cache_ = {};
  if (cache_.isNull()) {
    cache_ = QPixmap(size() * ratio);
    cache_.setDevicePixelRatio(ratio);
    cache_.fill(Qt::transparent);
    QPainter painter(&cache_);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors().page);
    painter.drawRoundedRect(QRectF(rect()), 8, 8);
    paintContent(painter);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, cache_);
  const LabColors c = colors();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hasFocus() ? c.accent : c.line, hasFocus() ? 1.5 : 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 8, 8);
}

void CellPane::resizeEvent(QResizeEvent*) { rearrange(); }

void CellPane::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rearrange();
  QWidget::changeEvent(event);
}

void CellPane::showPointed(QPointF at) {
  const auto cell = hit(at);
  state_->hover(cell ? linearAt(*cell) : std::nullopt);
}

void CellPane::mouseMoveEvent(QMouseEvent* event) { showPointed(event->position()); }
void CellPane::leaveEvent(QEvent*) { state_->hover(std::nullopt); }

void CellPane::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton) return;
  const auto cell = hit(event->position());
  state_->choose(cell ? linearAt(*cell) : std::nullopt);
}

void CellPane::zoomTo(int cell) {
  zoomCell_ = std::clamp(cell, kSmallestCell, kLargestCell);
  rearrange();
  if (state_->current()) reveal(*state_->current());
  emit scrolled();
}

void CellPane::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  if (event->modifiers() & Qt::ControlModifier) {
    const int wanted = static_cast<int>(std::lround(cell_ * std::pow(1.15, turn.y() / 120.0)));
    zoomTo(wanted == cell_ ? cell_ + (turn.y() > 0 ? 1 : -1) : wanted);
    return;
  }
  const bool across = (event->modifiers() & Qt::ShiftModifier) || !rows_.scrolls() || turn.x() != 0;
  CellAxis& axis = across ? columns_ : rows_;
  const int delta = turn.x() != 0 ? turn.x() : turn.y();
  const int64_t cells = std::max<int64_t>(1, 66 / axis.pitch()) * -delta / 120;
  axis.setFirst(moved(axis.first(), cells, axis.count()));
  syncBars();
  refresh();
  showPointed(event->position());
  emit scrolled();
}

void CellPane::step(int64_t rows, int64_t columns) {
  const auto chosen = state_->chosen();
  auto at = chosen ? cellOf(*chosen) : std::nullopt;
  if (rows_.count() == 0 || columns_.count() == 0) return;
  if (!at) {
    state_->choose(linearAt({rows_.first(), columns_.first()}));
  } else {
    at->row = moved(at->row, rows, rows_.count());
    at->column = moved(at->column, columns, columns_.count());
    if (const auto linear = linearAt(*at)) state_->choose(linear);
  }
}

void CellPane::stepPage(int direction) { step(direction * rows_.visible(), 0); }

void CellPane::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: return step(0, -1);
    case Qt::Key_Right: return step(0, 1);
    case Qt::Key_Up: return step(-1, 0);
    case Qt::Key_Down: return step(1, 0);
    case Qt::Key_Home: return step(0, -columns_.count());
    case Qt::Key_End: return step(0, columns_.count());
    case Qt::Key_PageUp: return stepPage(-1);
    case Qt::Key_PageDown: return stepPage(1);
    case Qt::Key_Escape: return state_->choose(std::nullopt);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomTo(cell_ + 2);
    case Qt::Key_Minus: return zoomTo(cell_ - 2);
    case Qt::Key_0: zoomCell_ = 0; return rearrange();
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace tessera
