// Dragging chips. The order changes while a chip passes over its neighbours, so that the memory pane follows; Escape
// puts the old order back.
#include "editor/layout_lab/dimension_chips.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "editor/layout_lab/lab_colors.h"
#include "editor/preferences/preferences.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kChipHeight = 40, kChipGap = 8, kMost = 176, kSlideMs = 140;

}  // namespace

DimensionChips::DimensionChips(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setCaptions({tr("↑ most minor, fastest"), tr("most major ↑"), tr("↑ most minor"), tr("minor_to_major"),
               tr("minor_to_major: drag the dimensions into another order.\n"
                  "Keys: ← → choose a dimension, Ctrl+← Ctrl+→ move it.")});
  slide_.setStartValue(0.0);
  slide_.setEndValue(1.0);
  slide_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&slide_, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
}

void DimensionChips::setCaptions(Captions captions) {
  captions_ = std::move(captions);
  setAccessibleName(captions_.accessibleName);
  setToolTip(asPlainText(captions_.toolTip));
  update();
}

void DimensionChips::setChips(std::vector<Chip> order) {
  const auto sorted = [](const std::vector<Chip>& chips) {
    std::vector<int64_t> out;
    for (const Chip& chip : chips) out.push_back(chip.dimension);
    std::ranges::sort(out);
    return out;
  };
  if (sorted(order) != sorted(chips_)) {
    pressed_ = dragging_ = false;
    active_ = 0;
    from_.clear();
  }
  chips_ = std::move(order);
  hover_ = -1;
  update();
}

std::vector<int64_t> DimensionChips::order() const {
  std::vector<int64_t> out;
  for (const Chip& chip : chips_) out.push_back(chip.dimension);
  return out;
}

double DimensionChips::slotWidth() const {
  const auto count = static_cast<double>(std::max<size_t>(1, chips_.size()));
  return std::clamp((width() - 2 - kChipGap * (count - 1)) / count, 22.0, static_cast<double>(kMost));
}

QRectF DimensionChips::slotRect(size_t slot) const {
  return {1 + static_cast<double>(slot) * (slotWidth() + kChipGap), 1, slotWidth(), kChipHeight};
}

QRectF DimensionChips::shownRect(size_t slot) const {
  QRectF rect = slotRect(slot);
  if (dragging_ && static_cast<int>(slot) == active_) {
    rect.moveLeft(std::clamp(pointer_.x() - grabbed_.x(), 0.0, std::max(0.0, width() - rect.width())));
    return rect.translated(0, 1);
  }
  if (slide_.state() == QAbstractAnimation::Running && slot < from_.size())
    rect.moveLeft(from_[slot] + (rect.left() - from_[slot]) * slide_.currentValue().toDouble());
  return rect;
}

QRect DimensionChips::chipRect(int64_t dimension) const {
  for (size_t slot = 0; slot < chips_.size(); ++slot)
    if (chips_[slot].dimension == dimension) return slotRect(slot).toRect();
  return {};
}

int DimensionChips::slotAt(QPointF at) const {
  for (size_t slot = 0; slot < chips_.size(); ++slot)
    if (slotRect(slot).contains(at)) return static_cast<int>(slot);
  return -1;
}

void DimensionChips::move(size_t from, size_t to) {
  if (from == to) return;
  from_.assign(chips_.size(), 0);
  for (size_t slot = 0; slot < chips_.size(); ++slot) from_[slot] = shownRect(slot).left();
  const auto shift = [&](auto& v) {
    const auto moved = v[from];
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(from));
    v.insert(v.begin() + static_cast<std::ptrdiff_t>(to), moved);
  };
  shift(chips_);
  shift(from_);
  active_ = static_cast<int>(to);
  slide_.stop();
  slide_.setDuration(transitionMs(kSlideMs));
  slide_.start();
  update();
  emit orderChanged(order());
}

void DimensionChips::mousePressEvent(QMouseEvent* event) {
  const int slot = slotAt(event->position());
  if (event->button() != Qt::LeftButton || slot < 0) return;
  active_ = slot;
  pressed_ = true;
  before_ = order();
  pressedAt_ = pointer_ = event->position();
  grabbed_ = event->position() - slotRect(static_cast<size_t>(slot)).topLeft();
  update();
}

void DimensionChips::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->position();
  if (!pressed_) {
    const int slot = slotAt(pointer_);
    if (slot != hover_) update();
    hover_ = slot;
    setCursor(slot >= 0 && chips_.size() > 1 ? Qt::OpenHandCursor : Qt::ArrowCursor);
    return;
  }
  if (!dragging_ && (pointer_ - pressedAt_).manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  setCursor(Qt::ClosedHandCursor);
  const double at = (pointer_.x() - grabbed_.x()) / (slotWidth() + kChipGap);
  const auto slot = std::clamp<long>(std::lround(at), 0, static_cast<long>(chips_.size()) - 1);
  move(static_cast<size_t>(active_), static_cast<size_t>(slot));
  update();
}

void DimensionChips::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  if (dragging_) {
    from_.assign(chips_.size(), 0);
    for (size_t slot = 0; slot < chips_.size(); ++slot) from_[slot] = shownRect(slot).left();
    slide_.stop();
    slide_.setDuration(transitionMs(kSlideMs));
    slide_.start();
  }
  pressed_ = dragging_ = false;
  setCursor(slotAt(event->position()) >= 0 ? Qt::OpenHandCursor : Qt::ArrowCursor);
  update();
  if (order() != before_) emit orderCommitted(order());
}

// Back to the order in which the drag began.
void DimensionChips::restore() {
  pressed_ = dragging_ = false;
  std::vector<Chip> chips;
  for (int64_t d : before_) chips.push_back(*std::ranges::find(chips_, d, &Chip::dimension));
  const bool changed = order() != before_;
  chips_ = std::move(chips);
  update();
  if (changed) emit orderChanged(order());
}

void DimensionChips::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(chips_.size());
  const int way = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (event->key() == Qt::Key_Escape && pressed_) return restore();
  if (way == 0 || count == 0) return QWidget::keyPressEvent(event);
  const int to = std::clamp(active_ + way, 0, count - 1);
  if (!(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier | Qt::AltModifier))) {
    active_ = to;
    return update();
  }
  if (to == active_) return;
  move(static_cast<size_t>(active_), static_cast<size_t>(to));
  emit orderCommitted(order());
}

void DimensionChips::leaveEvent(QEvent*) {
  hover_ = -1;
  update();
}

void DimensionChips::paintChip(QPainter& painter, size_t slot, bool lifted) const {
  const LabColors c = LabColors::of(palette());
  const QRectF rect = shownRect(slot).adjusted(0.5, 0.5, -0.5, -0.5);
  const bool active = hasFocus() && static_cast<int>(slot) == active_;
  if (lifted) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, c.dark ? 110 : 45));
    painter.drawRoundedRect(rect.translated(0, 3), 8, 8);
  }
  const bool lit = lifted || static_cast<int>(slot) == hover_;
  painter.setBrush(blend(c.page, c.accent, lifted ? 0.30 : lit ? 0.20 : 0.11));
  painter.setPen(QPen(lifted || active ? c.accent : blend(c.page, c.accent, 0.55), active ? 2 : 1.2));
  painter.drawRoundedRect(rect, 8, 8);
  const Chip& chip = chips_[slot];
  QFont bold = font();
  bold.setPixelSize(13);
  bold.setBold(true);
  QFont small = font();
  small.setPixelSize(11);
  const QString full = tr("dimension %1").arg(chip.dimension);
  const auto fits = [&](const QFont& f, const QString& text) {
    return QFontMetricsF(f).horizontalAdvance(text) <= rect.width() - 14;
  };
  painter.setFont(bold);
  painter.setPen(chip.color.isValid() ? chip.color : c.text);
  painter.drawText(rect.adjusted(2, 4, -2, -20), Qt::AlignCenter,
                   fits(bold, full)                               ? full
                   : fits(bold, tr("dim %1").arg(chip.dimension)) ? tr("dim %1").arg(chip.dimension)
                                                                  : QString::number(chip.dimension));
  painter.setFont(small);
  painter.setPen(chip.color.isValid() ? chip.color : c.subtext);
  painter.drawText(rect.adjusted(2, 20, -2, -4), Qt::AlignCenter,
                   fits(small, chip.detail) ? chip.detail
                                            : QFontMetrics(small).elidedText(chip.shortDetail, Qt::ElideRight,
                                                                             static_cast<int>(rect.width()) - 8));
}

void DimensionChips::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const LabColors c = LabColors::of(palette());
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  painter.setPen(c.subtext);
  if (chips_.empty()) {
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, tr("rank 0: one element, no dimension to order"));
    return;
  }
  const double right = slotRect(chips_.size() - 1).right();
  const QRectF line(2, kChipHeight + 3, std::max(right, 200.0), 17);
  if (right > 190) {
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, captions_.first);
    if (chips_.size() > 1 && right > 270)
      painter.drawText(line.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, captions_.last);
  } else {
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, captions_.shortFirst);
  }
  for (size_t slot = 0; slot < chips_.size(); ++slot)
    if (!dragging_ || static_cast<int>(slot) != active_) paintChip(painter, slot, false);
  if (dragging_) paintChip(painter, static_cast<size_t>(active_), true);
}

}  // namespace tessera
