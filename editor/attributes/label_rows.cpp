// Painting and dragging are shared; a row's chips change places only within it.
#include "editor/attributes/label_rows.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "core/hlo/module.h"
#include "core/ops/inference/infer_checks.h"
#include "editor/canvas/dimension_color.h"

namespace tessera {
namespace {

constexpr double kSmallestPart = 0.7;  // of the usual size of letters
constexpr double kName = 48, kHigh = 28, kLetterGap = 4, kWidestLetter = 66;

QString sizeOf(const Module& module, const Instruction& instruction, int operand, size_t dimension) {
  const Shape* shape = operand < 0 ? instruction.shape
                       : static_cast<size_t>(operand) < instruction.operands.size() &&
                               module.contains(instruction.operands[static_cast<size_t>(operand)])
                           ? &module.shapeOf(instruction.operands[static_cast<size_t>(operand)])
                           : nullptr;
  return shape && shape->isArray() && dimension < shape->dimensions.size()
             ? QString::number(shape->dimensions[dimension])
             : QStringLiteral("?");
}

bool holds(const std::vector<int64_t>& list, int64_t number) { return std::ranges::find(list, number) != list.end(); }

}  // namespace

void ChipRows::setRows(std::vector<Row> rows) {
  rows_ = std::move(rows);
  updateGeometry();
  update();
}

std::optional<DimensionHue> ChipRows::dimensionAt(InstructionId id, size_t dimension) const {
  const auto all = dimensionsOf(id);
  return dimension < all.size() ? std::optional(all[dimension]) : std::nullopt;
}

QSize ChipRows::sizeHint() const {
  return {240, static_cast<int>(static_cast<double>(rows_.size()) * (kHigh + kLetterGap) + kLetterGap)};
}

QRectF ChipRows::chip(int row, int place) const {
  size_t most = 1;
  for (const Row& each : rows_) most = std::max(most, each.chips.size());
  const double wide = std::min((width() - kName) / static_cast<double>(most) - kLetterGap, kWidestLetter);
  return {kName + place * (wide + kLetterGap), kLetterGap + row * (kHigh + kLetterGap), wide, kHigh};
}

// Rather smaller than cut.
QFont ChipRows::fitting(const QString& words, double room) const {
  QFont out = font();
  if (const double wide = fontMetrics().horizontalAdvance(words); wide > room)
    out.setPointSizeF(std::max(out.pointSizeF() * room / wide, out.pointSizeF() * kSmallestPart));
  return out;
}

bool ChipRows::chipAt(QPointF at, int& row, int& place) const {
  for (int r = 0; r < static_cast<int>(rows_.size()); ++r)
    for (int p = 0; p < static_cast<int>(rows_[static_cast<size_t>(r)].chips.size()); ++p)
      if (chip(r, p).adjusted(-3, -3, 3, 3).contains(at)) return row = r, place = p, true;
  return false;
}

void ChipRows::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor accent = palette().color(QPalette::Highlight);
  for (int r = 0; r < static_cast<int>(rows_.size()); ++r) {
    const Row& row = rows_[static_cast<size_t>(r)];
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRectF(0, chip(r, 0).top(), kName - 4, kHigh), Qt::AlignVCenter | Qt::AlignLeft, row.name);
    for (int p = 0; p < static_cast<int>(row.chips.size()); ++p) {
      const Chip& each = row.chips[static_cast<size_t>(p)];
      const bool held = r == heldRow_ && p == heldPlace_;
      const QRectF at = held ? chip(r, p).translated(at_.x() - pressed_.x(), 0) : chip(r, p);
      QColor fill = each.marked || held ? accent : palette().color(QPalette::Button);
      if (each.marked || held) fill.setAlpha(80);
      painter.setPen(QPen(each.marked || held ? accent : palette().color(QPalette::Mid), 1.3));
      painter.setBrush(fill);
      painter.drawRoundedRect(at, 5, 5);
      painter.setPen(palette().color(QPalette::Text));
      const QString letter =
          each.dimension ? QStringLiteral(" ") + QString::fromStdString(each.dimension->letter) : QString();
      const QString words = each.size.isEmpty() ? each.label : each.label + letter + QStringLiteral(" ") + each.size;
      painter.setFont(fitting(words, at.width() - 2));
      painter.drawText(at, Qt::AlignCenter, words);
      painter.setFont(font());
      if (!each.dimension) continue;
      painter.setPen(QPen(dimensionColor(each.dimension->hue, palette()), 3));
      painter.drawLine(at.bottomLeft() + QPointF(8, -2), at.bottomRight() + QPointF(-8, -2));
    }
  }
}

void ChipRows::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !chipAt(event->position(), heldRow_, heldPlace_)) return;
  pressed_ = at_ = event->position();
}

void ChipRows::mouseMoveEvent(QMouseEvent* event) {
  if (heldRow_ < 0) return;
  at_ = event->position();
  update();
}

void ChipRows::mouseReleaseEvent(QMouseEvent* event) {
  if (heldRow_ < 0) return;
  const int row = std::exchange(heldRow_, -1), from = heldPlace_;
  int onRow = -1, to = -1;
  update();
  if (!chipAt(event->position(), onRow, to) || onRow != row) return;
  if (to == from)
    clicked(row, from);
  else
    dropped(row, from, to);
}

// --- convolution

LabelRows::LabelRows(QWidget* parent) : ChipRows(parent) {
  setAccessibleName(tr("Dimensions of the convolution"));
  setToolTip(
      tr("Drag a label onto another of its row: they change places. b batch, f feature, i and o in and out, digits "
         "space"));
}

void LabelRows::show(const Module& module, InstructionId id) {
  id_ = id;
  const Instruction& instruction = module.at(id);
  const auto* dims = instruction.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  labels_.clear();
  if (dims) {
    QString text = QString::fromStdString(dims->text);
    labels_ = text.replace(QStringLiteral("->"), QStringLiteral("_")).split(QLatin1Char('_'));
  }
  setVisible(labels_.size() == 3);
  if (labels_.size() != 3) return setRows({});
  const QString names[] = {tr("input"), tr("kernel"), tr("output")};
  std::vector<Row> rows;
  for (int r = 0; r < 3; ++r) {
    Row row{names[r], {}};
    for (qsizetype p = 0; p < labels_[r].size(); ++p)
      row.chips.push_back({QString(labels_[r][p]), sizeOf(module, instruction, r < 2 ? r : -1, static_cast<size_t>(p)),
                           labels_[r][p].isDigit(),
                           r == 2 ? dimensionAt(id, static_cast<size_t>(p))
                           : static_cast<size_t>(r) < instruction.operands.size()
                               ? dimensionAt(instruction.operands[static_cast<size_t>(r)], static_cast<size_t>(p))
                               : std::nullopt});
    rows.push_back(std::move(row));
  }
  setRows(std::move(rows));
}

void LabelRows::dropped(int row, int from, int to) {
  QString labels = labels_[row];
  std::swap(labels[from], labels[to]);
  labels_[row] = labels;
  emitText(id_, Attr::dim_labels,
           (labels_[0] + QLatin1Char('_') + labels_[1] + QStringLiteral("->") + labels_[2]).toStdString(), false);
}

// --- gather

GatherRows::GatherRows(QWidget* parent) : ChipRows(parent) {
  setAccessibleName(tr("Dimensions of the gather"));
  setToolTip(
      tr("Result: click what runs over a slice. Operand: click what is collapsed. Index: drag into the order of the "
         "start indices"));
}

void GatherRows::show(const Module& module, InstructionId id) {
  id_ = id;
  const Instruction& instruction = module.at(id);
  offsets_ = instruction.attributes->ints(Attr::offset_dims);
  collapsed_ = instruction.attributes->ints(Attr::collapsed_slice_dims);
  starts_ = instruction.attributes->ints(Attr::start_index_map);
  const bool known =
      !instruction.operands.empty() && module.contains(instruction.operands[0]) && instruction.shape->isArray();
  setVisible(known);
  if (!known) return setRows({});
  Row result{tr("result"), {}}, operand{tr("operand"), {}}, index{tr("index"), {}};
  for (size_t d = 0; d < instruction.shape->dimensions.size(); ++d)
    result.chips.push_back({QString::number(d), sizeOf(module, instruction, -1, d),
                            holds(offsets_, static_cast<int64_t>(d)), dimensionAt(id, d)});
  for (size_t d = 0; d < module.shapeOf(instruction.operands[0]).dimensions.size(); ++d)
    operand.chips.push_back({QString::number(d), sizeOf(module, instruction, 0, d),
                             holds(collapsed_, static_cast<int64_t>(d)), dimensionAt(instruction.operands[0], d)});
  for (int64_t d : starts_) index.chips.push_back({QString::number(d), {}, false});
  setRows({std::move(result), std::move(operand), std::move(index)});
}

void GatherRows::clicked(int row, int place) {
  if (row > 1) return;
  std::vector<int64_t>& list = row ? collapsed_ : offsets_;
  if (holds(list, place))
    std::erase(list, place);
  else
    list.push_back(place);
  std::ranges::sort(list);
  emitText(id_, row ? Attr::collapsed_slice_dims : Attr::offset_dims, listOf(list), false);
}

void GatherRows::dropped(int row, int from, int to) {
  if (row != 2) return;
  std::swap(starts_[static_cast<size_t>(from)], starts_[static_cast<size_t>(to)]);
  emitText(id_, Attr::start_index_map, listOf(starts_), false);
}

}  // namespace tessera
