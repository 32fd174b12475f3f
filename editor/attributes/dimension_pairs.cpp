// Four attributes change at once, as one edit.
#include "editor/attributes/dimension_pairs.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "core/hlo/module.h"
#include "core/ops/inference/infer_checks.h"
#include "editor/canvas/dimension_color.h"

namespace tessera {
namespace {

constexpr double kPairHeight = 30, kLabel = 34, kPairGap = 8, kTop = 6, kBetween = 46;

}  // namespace

DimensionPairs::DimensionPairs(QWidget* parent) : AttributePicture(parent) {
  setAccessibleName(tr("Dimensions of the dot"));
  setToolTip(
      tr("Drag a dimension onto one of the other operand: they are contracted; with Shift: a batch; away: free"));
}

void DimensionPairs::show(const Module& module, InstructionId id) {
  if (heldOperand_ >= 0) return;
  id_ = id;
  const Instruction& instruction = module.at(id);
  bool known = instruction.operands.size() == 2;
  for (size_t k = 0; known && k < 2; ++k) {
    known = module.contains(instruction.operands[k]) && module.shapeOf(instruction.operands[k]).isArray();
    if (known) sizes_[k] = module.shapeOf(instruction.operands[k]).dimensions;
    if (known) dimensions_[k] = dimensionsOf(instruction.operands[k]);
  }
  setVisible(known);
  pairs_.clear();
  const auto add = [&](Attr left, Attr right, bool batch) {
    const auto &l = instruction.attributes->ints(left), &r = instruction.attributes->ints(right);
    for (size_t i = 0; i < l.size() && i < r.size(); ++i) pairs_.push_back({l[i], r[i], batch});
  };
  add(Attr::lhs_batch_dims, Attr::rhs_batch_dims, true);
  add(Attr::lhs_contracting_dims, Attr::rhs_contracting_dims, false);
  update();
}

QRectF DimensionPairs::chip(int operand, int dimension) const {
  const auto count = static_cast<double>(std::max<size_t>({sizes_[0].size(), sizes_[1].size(), 1}));
  const double wide = std::min((width() - kLabel - kPairGap) / count - kPairGap, 80.0);
  return {kLabel + dimension * (wide + kPairGap), kTop + operand * (kPairHeight + kBetween), wide, kPairHeight};
}

int DimensionPairs::pairOf(int operand, int dimension) const {
  const auto found =
      std::ranges::find_if(pairs_, [&](const Pair& pair) { return (operand ? pair.right : pair.left) == dimension; });
  return found == pairs_.end() ? -1 : static_cast<int>(found - pairs_.begin());
}

bool DimensionPairs::chipAt(QPointF at, int& operand, int& dimension) const {
  for (int o = 0; o < 2; ++o)
    for (int d = 0; d < static_cast<int>(sizes_[o].size()); ++d)
      if (chip(o, d).adjusted(-3, -6, 3, 6).contains(at)) return operand = o, dimension = d, true;
  return false;
}

void DimensionPairs::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLines(painter);
  for (int operand = 0; operand < 2; ++operand) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRectF(0, chip(operand, 0).top(), kLabel - 4, kPairHeight), Qt::AlignVCenter | Qt::AlignLeft,
                     operand ? tr("rhs") : tr("lhs"));
    for (int d = 0; d < static_cast<int>(sizes_[operand].size()); ++d) paintChip(painter, operand, d);
  }
  if (heldOperand_ >= 0) {
    painter.setPen(penOf(shift_));
    painter.drawLine(chip(heldOperand_, heldDimension_).center(), at_);
  }
  const auto count = [&](bool isBatch) {
    return std::ranges::count_if(pairs_, [&](const Pair& pair) { return pair.batch == isBatch; });
  };
  painter.setPen(palette().color(QPalette::PlaceholderText));
  const QString words = tr("%1 contracted (solid) · %2 batch (dashed)").arg(count(false)).arg(count(true));
  const bool fits = painter.fontMetrics().horizontalAdvance(words) <= width();
  painter.drawText(QRectF(0, chip(1, 0).bottom() + 4, width(), 20), Qt::AlignLeft,
                   fits ? words : tr("%1 contracted · %2 batch").arg(count(false)).arg(count(true)));
}

QPen DimensionPairs::penOf(bool isBatch) const {
  return QPen(palette().color(isBatch ? QPalette::Link : QPalette::Highlight), 2.4,
              isBatch ? Qt::DashLine : Qt::SolidLine);
}

void DimensionPairs::paintLines(QPainter& painter) const {
  for (const Pair& pair : pairs_) {
    if (pair.left >= static_cast<int64_t>(sizes_[0].size()) || pair.right >= static_cast<int64_t>(sizes_[1].size()))
      continue;
    const QRectF above = chip(0, static_cast<int>(pair.left)), below = chip(1, static_cast<int>(pair.right));
    painter.setPen(penOf(pair.batch));
    painter.drawLine(QPointF(above.center().x(), above.bottom()), QPointF(below.center().x(), below.top()));
  }
}

// "2: k 50257", as much of it as a narrow panel has room for: the size before the letter before the number.
QString DimensionPairs::textOf(int operand, int dimension, const QFontMetrics& metrics) const {
  const auto at = static_cast<size_t>(dimension);
  const QString letter = letterOf(dimensions_[operand], at), size = QString::number(sizes_[operand][at]);
  const QString named = letter.isEmpty() ? size : letter + QLatin1Char(' ') + size;
  const int room = static_cast<int>(chip(operand, dimension).width()) - 4;
  for (const QString& text : {QStringLiteral("%1: %2").arg(dimension).arg(named), named, size})
    if (metrics.horizontalAdvance(text) <= room) return text;
  return metrics.elidedText(size, Qt::ElideRight, room);
}

// The ground says how it is paired; a stroke at the lower edge has the colour of the dimension then.
void DimensionPairs::paintChip(QPainter& painter, int operand, int dimension) const {
  const int pair = pairOf(operand, dimension);
  const bool paired = pair >= 0;
  const QColor color = paired ? penOf(pairs_[static_cast<size_t>(pair)].batch).color() : palette().color(QPalette::Mid);
  QColor fill = paired ? color : palette().color(QPalette::Button);
  if (paired) fill.setAlpha(70);
  const QRectF box = chip(operand, dimension);
  painter.setPen(QPen(color, 1.4));
  painter.setBrush(fill);
  painter.drawRoundedRect(box, 5, 5);
  const auto at = static_cast<size_t>(dimension);
  const auto& dimensions = dimensions_[operand];
  const QString letter = letterOf(dimensions, at);
  painter.setPen(paired ? palette().color(QPalette::Text) : dimensionColor(dimensions, at, palette()));
  painter.drawText(box, Qt::AlignCenter, textOf(operand, dimension, painter.fontMetrics()));
  if (!paired || at >= dimensions.size()) return;
  painter.setPen(QPen(dimensionColor(dimensions, at, palette()), 3));
  painter.drawLine(box.bottomLeft() + QPointF(8, -2), box.bottomRight() + QPointF(-8, -2));
}

void DimensionPairs::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !chipAt(event->position(), heldOperand_, heldDimension_)) return;
  at_ = event->position();
  shift_ = event->modifiers() & Qt::ShiftModifier;
  update();
}

void DimensionPairs::mouseMoveEvent(QMouseEvent* event) {
  at_ = event->position();
  shift_ = event->modifiers() & Qt::ShiftModifier;
  if (heldOperand_ >= 0) update();
}

void DimensionPairs::mouseReleaseEvent(QMouseEvent* event) {
  if (heldOperand_ < 0) return;
  const int from = std::exchange(heldOperand_, -1), dimension = heldDimension_;
  int operand = -1, other = -1;
  update();
  const bool onChip = chipAt(event->position(), operand, other);
  if (onChip && operand == from) return;  // its own row: nothing is meant
  if (const int old = pairOf(from, dimension); old >= 0)
    pairs_.erase(pairs_.begin() + old);
  else if (!onChip)
    return;
  if (onChip) {
    if (const int old = pairOf(operand, other); old >= 0) pairs_.erase(pairs_.begin() + old);
    pairs_.push_back({from ? other : dimension, from ? dimension : other,
                      static_cast<bool>(event->modifiers() & Qt::ShiftModifier)});
  }
  commit();
}

void DimensionPairs::commit() {
  std::vector<int64_t> lists[4];  // left and right of batches, then of contractions
  for (const Pair& pair : pairs_) {
    lists[pair.batch ? 0 : 2].push_back(pair.left);
    lists[pair.batch ? 1 : 3].push_back(pair.right);
  }
  Edit edit{"Dimensions of the dot", {}};
  constexpr Attr kNames[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims, Attr::lhs_contracting_dims,
                             Attr::rhs_contracting_dims};
  for (int k = 0; k < 4; ++k)
    edit.actions.push_back(SetAttribute{id_, kNames[k], lists[k].empty() && k < 2 ? std::string() : listOf(lists[k])});
  emit edited(std::move(edit), false);
}

}  // namespace tessera
