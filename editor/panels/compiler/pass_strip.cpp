// Heights are logarithms of counts: one changed instruction is seen beside a thousand.
#include "editor/panels/compiler/pass_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "editor/canvas/dimension_color.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kMargin = 6, kMarkHeight = 7;

double heightOf(size_t count) {
  return count == 0 ? 0 : std::min(1.0, 0.15 + std::log10(static_cast<double>(count)) / 3);
}

}  // namespace

NodeTint tintOf(PassMark mark) {
  switch (mark) {
    case PassMark::Added: return NodeTint::Added;
    case PassMark::Removed: return NodeTint::Removed;
    case PassMark::Fused: return NodeTint::Fused;
    case PassMark::Relaid: return NodeTint::Relaid;
    default: return NodeTint::Changed;
  }
}

PassStrip::PassStrip(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Passes"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void PassStrip::setMoments(const QStringList& titles) {
  titles_ = titles;
  cells_.assign(static_cast<size_t>(titles.size()), {});
  touched_.clear();
  setCurrent(0);
}

void PassStrip::setCounts(int moment, const Counts& counts) {
  cells_[static_cast<size_t>(moment)] = {Known::Yes, counts};
  update();
}

void PassStrip::setUnreadable(int moment) {
  cells_[static_cast<size_t>(moment)] = {Known::Unreadable, {}};
  update();
}

void PassStrip::setTouched(std::vector<bool> touched) {
  touched_ = std::move(touched);
  update();
}

void PassStrip::setCurrent(int moment) {
  current_ = moment;
  if (moment >= 0 && moment < count()) setAccessibleDescription(titles_[moment]);
  update();
}

QRectF PassStrip::cellOf(int moment) const {
  const double each = (width() - 2 * kMargin) / std::max(1, count());
  return {kMargin + moment * each, kMarkHeight, each, height() - kMarkHeight - 3};
}

int PassStrip::momentAt(double x) const {
  const double each = (width() - 2 * kMargin) / std::max(1, count());
  return std::clamp(static_cast<int>(std::floor((x - kMargin) / each)), 0, std::max(0, count() - 1));
}

void PassStrip::choose(int moment) {
  if (count() == 0) return;
  moment = std::clamp(moment, 0, count() - 1);
  if (moment == current_) return;
  setCurrent(moment);
  emit chosen(moment);
}

void PassStrip::paintCell(QPainter& painter, int moment) const {
  const Theme theme = themeOf(palette());
  const Cell& cell = cells_[static_cast<size_t>(moment)];
  const QRectF box = cellOf(moment);
  const double gap = box.width() > 6 ? 1 : 0;
  const QRectF inner = box.adjusted(gap, 0, -gap, 0);
  painter.fillRect(inner, palette().color(QPalette::AlternateBase));
  if (cell.known == Known::Unreadable)
    painter.fillRect(inner, QBrush(colorOf(NodeTint::Removed, theme), Qt::BDiagPattern));
  const size_t sum = std::accumulate(cell.counts.begin(), cell.counts.end(), size_t{0});
  double bottom = inner.bottom();
  for (size_t i = 0; i < kPassMarks && sum > 0; ++i) {
    const double part = inner.height() * heightOf(sum) * static_cast<double>(cell.counts[i]) / static_cast<double>(sum);
    painter.fillRect(QRectF(inner.left(), bottom - part, inner.width(), part),
                     colorOf(tintOf(static_cast<PassMark>(i)), theme));
    bottom -= part;
  }
  const auto at = static_cast<size_t>(moment);
  if (at < touched_.size() && touched_[at]) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    const double middle = box.center().x();
    painter.drawPolygon(QPolygonF{{middle - 4, 0.0}, {middle + 4, 0.0}, {middle, kMarkHeight - 1}});
  }
}

void PassStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (int moment = 0; moment < count(); ++moment) paintCell(painter, moment);
  if (count() == 0) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::WindowText), 2));
  painter.drawRect(cellOf(current_).adjusted(0, 0, 0, 0));
}

void PassStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(momentAt(event->position().x()));
}

void PassStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) choose(momentAt(event->position().x()));
}

void PassStrip::wheelEvent(QWheelEvent* event) {
  if (const int turned = event->angleDelta().y()) choose(current_ + (turned < 0 ? 1 : -1));
  event->accept();
}

void PassStrip::keyPressEvent(QKeyEvent* event) {
  const bool touch = event->modifiers() & Qt::ControlModifier;
  switch (event->key()) {
    case Qt::Key_Left: return touch ? emit touchWanted(-1) : choose(current_ - 1);
    case Qt::Key_Right: return touch ? emit touchWanted(1) : choose(current_ + 1);
    case Qt::Key_PageUp: return choose(current_ - 5);
    case Qt::Key_PageDown: return choose(current_ + 5);
    case Qt::Key_Home: return choose(0);
    case Qt::Key_End: return choose(count() - 1);
    default: QWidget::keyPressEvent(event);
  }
}

bool PassStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || count() == 0) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), asPlainText(titles_[momentAt(help->pos().x())]), this);
  return true;
}

}  // namespace tessera
