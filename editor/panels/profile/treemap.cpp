// Squarified rows (Bruls, Huizing, van Wijk): each row of boxes is as long as keeps them closest to squares.
#include "editor/panels/profile/treemap.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/picture/picture.h"
#include "editor/canvas/dimension_color.h"
#include "editor/canvas/render.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kCellTitle = 17, kCellInset = 2;
constexpr double kLeastTitledCell = 40, kLeastNestedCell = 34, kLeastCellSide = 2;  // pixels
constexpr double kAloneInScope = 0.985;  // of a scope's weight: it says nothing beside the one that it holds

const QString kScopeStep = QStringLiteral(" › ");

// The largest ratio of sides in a row of these areas along `side`.
double worstRatio(double smallest, double largest, double sum, double side) {
  const double square = side * side, area = sum * sum;
  return std::max(square * largest / area, area / (square * smallest));
}

// Places of `weights` (large ones first) in a rectangle.
std::vector<QRectF> squarify(const std::vector<double>& weights, QRectF rect) {
  std::vector<QRectF> out;
  double left = 0;
  for (double w : weights) left += w;
  for (size_t begin = 0; begin < weights.size();) {
    const double side = std::min(rect.width(), rect.height());
    const double scale = left > 0 ? rect.width() * rect.height() / left : 0;
    size_t end = begin + 1;
    double sum = weights[begin];
    const auto ratio = [&](size_t last, double row) {
      return worstRatio(weights[last] * scale, weights[begin] * scale, row * scale, std::max(side, 1e-9));
    };
    while (end < weights.size() && ratio(end, sum + weights[end]) <= ratio(end - 1, sum)) sum += weights[end++];
    const double depth = left > 0 ? (rect.width() >= rect.height() ? rect.width() : rect.height()) * sum / left : 0;
    double along = 0;
    for (size_t k = begin; k < end; ++k) {
      const double length = sum > 0 ? side * weights[k] / sum : 0;
      out.push_back(rect.width() >= rect.height() ? QRectF(rect.left(), rect.top() + along, depth, length)
                                                  : QRectF(rect.left() + along, rect.top(), length, depth));
      along += length;
    }
    rect.width() >= rect.height() ? rect.setLeft(rect.left() + depth) : rect.setTop(rect.top() + depth);
    left -= sum;
    begin = end;
  }
  return out;
}

// Down through scopes that hold hardly more than one other: the innermost of them.
const CostScope* lastOfChain(const CostScope* scope, QString& title) {
  while (!scope->children.empty() && scope->children[0].weight >= kAloneInScope * scope->weight) {
    scope = &scope->children[0];
    title += (title.isEmpty() ? QString() : kScopeStep) + QString::fromStdString(scope->name);
  }
  return scope;
}

}  // namespace

Treemap::Treemap(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Where the cost is, by scope"));
}

QSize Treemap::sizeHint() const { return {380, 240}; }

void Treemap::setScopes(const CostScope* root, bool measured) {
  root_ = root;
  measured_ = measured;
  zoom_.clear();
  zoomPaths_.clear();
  current_ = -1;
  layOut();
  emit zoomed();
}

QString Treemap::zoomedPath() const { return zoomPaths_.isEmpty() ? QString() : zoomPaths_.back(); }

// --- places

void Treemap::layOut() {
  cells_.clear();
  current_ = -1;
  if (const CostScope* shown = shownRoot(); shown && shown->weight > 0) {
    QString title;
    shown = lastOfChain(shown, title);
    const QString path = zoomedPath() + (zoomedPath().isEmpty() || title.isEmpty() ? QString() : kScopeStep) + title;
    placeChildren(*shown, path, -1, QRectF(rect()).adjusted(0, 0, -1, -1));
  }
  update();
}

// Costs of a scope's own, beside its children, are a box of its own name.
void Treemap::placeChildren(const CostScope& scope, const QString& path, int32_t parent, QRectF rect) {
  std::vector<std::pair<double, const CostScope*>> parts;  // null: the scope's own
  double own = scope.weight;
  for (const CostScope& child : scope.children) {
    if (child.weight > 0) parts.push_back({child.weight, &child});
    own -= child.weight;
  }
  if (own > (1 - kAloneInScope) * scope.weight) parts.push_back({own, nullptr});
  sortWith(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<double> weights;
  for (const auto& [weight, part] : parts) weights.push_back(weight);
  const std::vector<QRectF> places = squarify(weights, rect);
  for (size_t k = 0; k < parts.size(); ++k) {
    if (places[k].width() < kLeastCellSide || places[k].height() < kLeastCellSide) continue;
    if (const CostScope* part = parts[k].second)
      place(*part, path, parent, places[k]);
    else
      cells_.push_back({places[k], &scope, parts[k].first, parent, true, tr("itself"), path});
  }
}

void Treemap::place(const CostScope& scope, const QString& path, int32_t parent, QRectF rect) {
  QString title = QString::fromStdString(scope.name);
  const CostScope* shown = lastOfChain(&scope, title);
  const bool nests = !shown->children.empty() && rect.width() >= kLeastTitledCell && rect.height() >= kLeastNestedCell;
  const auto number = static_cast<int32_t>(cells_.size());
  const QString own = path.isEmpty() ? title : path + kScopeStep + title;
  cells_.push_back({rect, shown, scope.weight, parent, !nests, title, own});
  if (nests) placeChildren(*shown, own, number, rect.adjusted(kCellInset, kCellTitle, -kCellInset, -kCellInset));
}

int Treemap::cellAt(QPointF at) const {
  for (size_t k = cells_.size(); k-- > 0;)
    if (cells_[k].rect.contains(at)) return static_cast<int>(k);
  return -1;
}

// --- painting

QString Treemap::shareText(double weight) const {
  return QString::fromStdString(percentText(root_->weight > 0 ? weight / root_->weight : 0));
}

void Treemap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (cells_.empty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect(), Qt::AlignCenter, root_ ? tr("nothing costs anything") : QString());
    return;
  }
  for (const Cell& cell : cells_) paintCell(painter, cell);
  if (current_ < 0) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.drawRect(cells_[static_cast<size_t>(current_)].rect.adjusted(1, 1, -1, -1));
}

// Leaves are as hot as their share of the hottest one, frames are plain.
void Treemap::paintCell(QPainter& painter, const Cell& cell) const {
  const Theme theme = themeOf(palette());
  const double share = root_->weight > 0 ? cell.weight / root_->weight : 0;
  const double heat = std::clamp(1 + std::log10(std::max(share, 1e-4)) / 3, 0.0, 0.95);  // a thousandth is cold
  painter.setPen(toQColor(ColorRole::GroupBorder, theme));
  painter.setBrush(cell.leaf ? toQColor(heatRole(heat), theme) : toQColor(ColorRole::GroupFill, theme));
  painter.drawRect(cell.rect);
  if (cell.rect.width() < kLeastTitledCell || cell.rect.height() < kCellTitle) return;
  painter.setPen(toQColor(cell.leaf ? ColorRole::NodeText : ColorRole::GroupText, theme));
  const QFontMetrics metrics(painter.font());
  const QRectF line = cell.rect.adjusted(4, 1, -3, 0);
  const QString percent = shareText(cell.weight);
  const bool both = metrics.horizontalAdvance(cell.title + percent) + 8 < line.width();
  const bool below = cell.leaf && cell.rect.height() > 2 * kCellTitle;
  const QString title = metrics.elidedText(cell.title, Qt::ElideMiddle, static_cast<int>(line.width()));
  painter.drawText(QRectF(line.left(), line.top(), line.width(), kCellTitle), Qt::AlignVCenter | Qt::AlignLeft, title);
  if (!both && !below) return;
  const QRectF second(line.left(), line.top() + (below ? kCellTitle - 2 : 0), line.width(), kCellTitle);
  if (metrics.horizontalAdvance(percent) < line.width())
    painter.drawText(second, Qt::AlignVCenter | (below ? Qt::AlignLeft : Qt::AlignRight), percent);
}

QString Treemap::tipOf(const Cell& cell) const {
  const CostScope& scope = *cell.scope;
  const QString numbers = tr("%1 flops, %2 read and written")
                              .arg(QString::fromStdString(amountText(scope.cost.flops)),
                                   QString::fromStdString(bytesText(scope.cost.bytesAccessed)));
  const QString share = measured_ ? tr("%1 of the time, %2 measured")
                                        .arg(shareText(cell.weight), QString::fromStdString(durationText(cell.weight)))
                                  : tr("%1 of the cost (estimated)").arg(shareText(cell.weight));
  return cell.path + QLatin1Char('\n') + share + QLatin1Char('\n') + numbers;
}

// --- pointer and keys

void Treemap::setCurrent(int cell) {
  if (std::exchange(current_, cell) != cell) update();
}

void Treemap::mouseMoveEvent(QMouseEvent* event) { setCurrent(cellAt(event->position())); }
void Treemap::leaveEvent(QEvent*) {
  if (!hasFocus()) setCurrent(-1);
}
void Treemap::resizeEvent(QResizeEvent*) { layOut(); }

void Treemap::mousePressEvent(QMouseEvent* event) {
  const int cell = cellAt(event->position());
  if (event->button() != Qt::LeftButton || cell < 0) return;
  setCurrent(cell);
  if (const InstructionId id = cells_[static_cast<size_t>(cell)].scope->instruction; id.valid()) emit chosen(id);
}

void Treemap::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) zoomInto(cellAt(event->position()));
}

// Into the frame that holds a leaf.
void Treemap::zoomInto(int cell) {
  if (cell >= 0 && cells_[static_cast<size_t>(cell)].scope->children.empty())
    cell = cells_[static_cast<size_t>(cell)].parent;
  if (cell < 0 || cells_[static_cast<size_t>(cell)].scope == shownRoot()) return;
  zoom_.push_back(cells_[static_cast<size_t>(cell)].scope);
  zoomPaths_.push_back(cells_[static_cast<size_t>(cell)].path);
  layOut();
  emit zoomed();
}

void Treemap::zoomOut() {
  if (zoom_.empty()) return;
  zoom_.pop_back();
  zoomPaths_.pop_back();
  layOut();
  emit zoomed();
}

void Treemap::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (current_ < 0 && !cells_.empty()) setCurrent(0);
}

// To the nearest leaf in a direction.
void Treemap::step(int key) {
  if (current_ < 0) return setCurrent(cells_.empty() ? -1 : 0);
  const QPointF from = cells_[static_cast<size_t>(current_)].rect.center();
  double nearest = std::numeric_limits<double>::max();
  int next = current_;
  for (size_t k = 0; k < cells_.size(); ++k) {
    if (!cells_[k].leaf || static_cast<int>(k) == current_) continue;
    const QPointF by = cells_[k].rect.center() - from;
    const double forward = key == Qt::Key_Left    ? -by.x()
                           : key == Qt::Key_Right ? by.x()
                           : key == Qt::Key_Up    ? -by.y()
                                                  : by.y();
    const double aside = key == Qt::Key_Left || key == Qt::Key_Right ? by.y() : by.x();
    const double distance = forward + 2 * std::abs(aside);
    if (forward > 1 && distance < nearest) nearest = distance, next = static_cast<int>(k);
  }
  setCurrent(next);
}

void Treemap::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return step(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (event->modifiers() & Qt::ShiftModifier) return zoomInto(current_);
      if (current_ >= 0 && cells_[static_cast<size_t>(current_)].scope->instruction.valid())
        emit chosen(cells_[static_cast<size_t>(current_)].scope->instruction);
      return;
    case Qt::Key_Backspace: return zoomOut();
    default: QWidget::keyPressEvent(event);
  }
}

bool Treemap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const int cell = cellAt(help.pos());
  if (cell >= 0)
    QToolTip::showText(help.globalPos(), asPlainText(tipOf(cells_[static_cast<size_t>(cell)])), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace tessera
