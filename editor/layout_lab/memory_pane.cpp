// Linear memory. A row is as long as tells most: everything, whole runs of the most minor dimension, or whole tiles.
#include "editor/layout_lab/memory_pane.h"

#include <QPainter>
#include <algorithm>
#include <bit>

#include "editor/layout_lab/cell_paint.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr int kMemoryTitle = 34, kMemoryMargin = 14, kPlus = 17;
constexpr int kWideLegend = 560;
constexpr int64_t kMorphMost = 512;
// An explanation that the user starts by changing the layout, and no transition: the way of each element is followed by
// eye. Transitions switched off switch it off, too.
constexpr int kMorphMs = 420;
constexpr int kLeastInOneRow = 28;  // one row of such cells is better than rows of larger ones

int belowOf(int cell) { return cell >= 26 ? 17 : 0; }  // room for the position's number

int64_t largestDivisor(int64_t of, int64_t most) {
  for (int64_t d = std::min(of, most); d > 1; --d)
    if (of % d == 0) return d;
  return 1;
}

int64_t powerOfTwoBelow(int64_t n) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, n))));
}

}  // namespace

MemoryPane::MemoryPane(LabState* state, QWidget* parent) : CellPane(state, parent) {
  setObjectName(QStringLiteral("memoryPane"));
  setAccessibleName(tr("Linear memory"));
  morph_.setStartValue(0.0);
  morph_.setEndValue(1.0);
  morph_.setEasingCurve(QEasingCurve::InOutCubic);
  connect(&morph_, &QVariantAnimation::valueChanged, this, [this] { update(); });
  connect(&morph_, &QVariantAnimation::finished, this, [this] { rearrange(); });
  connect(state_, &LabState::modelChanged, this, &MemoryPane::startMorph);
}

void MemoryPane::finishAnimation() {
  morph_.stop();
  rearrange();
}

void MemoryPane::startMorph() {
  if (!state_->model()) {
    last_.reset();
    return;
  }
  const LayoutModel& model = *state_->model();
  const bool same = last_ && last_->shape().dimensions == model.shape().dimensions &&
                    last_->layout() != model.layout() && std::max(last_->positions(), model.positions()) <= kMorphMost;
  from_.clear();
  morph_.stop();
  if (same && isVisible()) {
    from_.assign(static_cast<size_t>(model.positions()), -1);
    for (int64_t linear = 0; linear < model.positions(); ++linear)
      if (const auto index = model.memory().index(linear))
        from_[static_cast<size_t>(linear)] = last_->memory().linearIndex(*index);
    morph_.setDuration(transitionMs(kMorphMs));
    morph_.start();
  }
  last_ = model;
}

QMargins MemoryPane::headers() const {
  const int64_t positions = state_->model() ? state_->model()->positions() : 0;
  const int digits = static_cast<int>(std::to_string(positions).size());
  return {kMemoryMargin + digits * fontMetrics().horizontalAdvance('0') + 40, kMemoryTitle + kPlus, kMemoryMargin,
          kMemoryMargin};
}

int64_t MemoryPane::perRowIn(int width, int cell) const {
  const LayoutModel& model = *state_->model();
  const int64_t fit = std::max(1, width / cell);
  if (model.positions() <= fit) return std::max<int64_t>(1, model.positions());
  const int64_t unit = model.tileVolume(0) > 0 ? model.tileVolume(0) : model.minorRun();
  if (unit <= 1) return powerOfTwoBelow(fit);
  if (unit <= fit) return fit / unit * unit;
  const int64_t part = largestDivisor(unit, fit);
  return part * 3 >= fit ? part : powerOfTwoBelow(fit);
}

int64_t MemoryPane::rowsOf(int64_t perRow) const {
  const int64_t positions = state_->model()->positions();
  return positions == 0 ? 0 : (positions - 1) / perRow + 1;
}

int MemoryPane::fittingCell(QSize size) const {
  if (!state_->model()) return kLargestCell;
  const QSize room = size.shrunkBy(headers());
  for (int cell = kLargestCell; cell >= kLeastInOneRow; --cell)
    if (state_->model()->positions() <= room.width() / cell && room.height() >= cell + belowOf(cell)) return cell;
  for (int cell = kLargestCell; cell >= kSmallestCell; --cell)
    if (rowsOf(perRowIn(room.width(), cell)) <= room.height() / (cell + belowOf(cell))) return cell;
  return 0;
}

int MemoryPane::wantedHeight(int width, int cell) const {
  if (!state_->model()) return 100;
  const int64_t rows = rowsOf(perRowIn(width - headers().left() - headers().right(), cell));
  return headers().top() + static_cast<int>(std::min<int64_t>(rows, 1000)) * (cell + belowOf(cell)) + kMemoryMargin + 6;
}

void MemoryPane::arrange() {
  if (!state_->model()) return place(rect(), 0, 0, 0);
  const int fits = fittingCell(size());
  cell_ = zoomed() ? sizeLimit() : std::min(sizeLimit(), fits > 0 ? fits : kUsualCell);
  const QRect room = rect().marginsRemoved(headers());
  const int pitch = cell_ + belowOf(cell_);
  perRow_ = perRowIn(room.width(), cell_);
  if (rowsOf(perRow_) > room.height() / pitch) perRow_ = perRowIn(room.width() - 14, cell_);  // beside a scroll bar
  place(room, rowsOf(perRow_), perRow_, belowOf(cell_));
}

std::optional<CellPane::CellAt> MemoryPane::cellOf(int64_t linear) const {
  if (!state_->model() || linear < 0 || linear >= state_->model()->positions()) return std::nullopt;
  return CellAt{linear / perRow_, linear % perRow_};
}

std::optional<int64_t> MemoryPane::linearAt(CellAt cell) const {
  if (!state_->model()) return std::nullopt;
  if (cell.column >= perRow_ || cell.row > (state_->model()->positions() - 1) / perRow_) return std::nullopt;
  const int64_t start = cell.row * perRow_;
  return cell.column < state_->model()->positions() - start ? std::optional(start + cell.column) : std::nullopt;
}

// Left and right walk on through the ends of rows, as memory does.
void MemoryPane::step(int64_t rows, int64_t columns) {
  const auto chosen = state_->chosen();
  if (!state_->model() || state_->model()->positions() == 0) return;
  if (!chosen || (columns != 1 && columns != -1)) return CellPane::step(rows, columns);
  state_->choose(std::clamp<int64_t>(*chosen + columns, 0, state_->model()->positions() - 1));
}

QRectF MemoryPane::tileRectOf(int64_t linear) const {
  const int64_t volume = state_->model()->tileVolume(0);
  if (volume <= 0) return {};
  const int64_t start = linear / volume * volume;
  if (start > state_->model()->positions() - volume) return {};
  const QRectF first = rectAt(start / perRow_, start % perRow_);
  if (start % perRow_ + volume <= perRow_)
    return {first.left(), first.top(), static_cast<double>(volume) * cell_, first.height()};
  if (start % perRow_ != 0 || volume % perRow_ != 0) return {};
  const double rows = static_cast<double>(volume / perRow_);
  return {first.left(), first.top(), static_cast<double>(perRow_) * cell_, rows * rows_.pitch() - below_};
}

QString MemoryPane::title() const {
  const LayoutModel& model = *state_->model();
  return (model.positions() == 1 ? tr("%1 position of %2 = %3 bytes") : tr("%1 positions of %2 = %3 bytes"))
      .arg(QString::fromStdString(grouped(model.positions())), QString::fromStdString(elementSizeText(model)),
           QString::fromStdString(grouped(model.memory().bytes())));
}

void MemoryPane::paintContent(QPainter& painter) {
  if (!state_->model()) return;
  paintTitle(painter, tr("Linear memory"), title(), paintLegend(painter));
  if (state_->model()->positions() == 0) {
    painter.setPen(colors().subtext);
    painter.drawText(rect(), Qt::AlignCenter, tr("no bytes"));
    return;
  }
  paintRowHeaders(painter);
  paintColumnHeaders(painter);
  const int around = animating() ? 22 : 1;  // what travels may leave the rows for a moment
  painter.setClipRect(area_.adjusted(-around, -around, around, around));
  paintNumbers(painter);
  paintCells(painter);
  paintTiles(painter, 1);
  paintTiles(painter, 0);
}

int MemoryPane::paintLegend(QPainter& painter) const {
  const LayoutModel& model = *state_->model();
  const auto& padded = model.layout().paddedDimensions;
  const bool tileWaste = !model.layout().tiles.empty() && model.memory().wasteBytes() > 0;
  const LabColors c = colors();
  QFont small = font();
  small.setPixelSize(12);
  painter.setFont(small);
  double right = width() - 14.0;
  const auto entry = [&](const QString& text, const auto& swatch) {
    right -= QFontMetricsF(small).horizontalAdvance(text);
    painter.setPen(c.subtext);
    painter.drawText(QPointF(right, 22), text);
    right -= 24;
    swatch(QRectF(right, 11, 18, 13));
    right -= 16;
  };
  const auto hatch = [&](CellKind kind) { return [&, kind](const QRectF& at) { paintHatch(painter, at, kind, c); }; };
  if (model.layout().tailPaddingAlignment > 1) entry(tr("unused tail"), hatch(CellKind::TailPadding));
  if (tileWaste) entry(tr("unused tile space"), hatch(CellKind::TilePadding));
  if (!padded.empty() && padded != model.shape().dimensions) entry(tr("padding"), hatch(CellKind::PaddedDimension));
  if (model.tileVolume(0) > 0 && width() > kWideLegend)
    entry(tr("tile"), [&](const QRectF& at) {
      painter.setPen(QPen(c.tileLine, 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(at);
    });
  return static_cast<int>(width() - 14 - right);
}

void MemoryPane::paintRowHeaders(QPainter& painter) const {
  const LabColors c = colors();
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  int64_t by = 1;
  while (by * rows_.pitch() < 15) by *= 2;
  const bool bytes = rows_.pitch() >= 30;
  forMultiples(rows_.first(), rows_.end(), by, [&](int64_t r) {
    const QRectF at = rectAt(r, 0);
    if (at.top() + cell_ > area_.bottom() + 4) return;
    const double middle = at.top() + cell_ / 2.0;
    const auto line = [&](double y, const QString& text) {
      painter.drawText(QRectF(0, y, area_.left() - 8, 15), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setPen(c.subtext);
    line(bytes ? middle - 15 : middle - 7.5, QString::number(r * perRow_));
    if (!bytes) return;
    painter.setPen(c.faint);
    line(middle, tr("byte %1").arg(state_->model()->memory().byteOffset(r * perRow_)));
  });
}

void MemoryPane::paintColumnHeaders(QPainter& painter) const {
  if (rowsOf(perRow_) < 2) return;
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  painter.setPen(colors().faint);
  const int room = QFontMetrics(small).horizontalAdvance(QStringLiteral("+%1").arg(perRow_)) + 8;
  int64_t by = 1;
  while (by * cell_ < room) by *= 2;
  forMultiples(columns_.first(), columns_.end(), by, [&](int64_t c) {
    const QRectF at = rectAt(rows_.first(), c);
    if (at.right() > area_.right() + 2) return;
    painter.drawText(QRectF(at.center().x() - 40, area_.top() - kPlus, 80, kPlus - 2), Qt::AlignCenter,
                     QStringLiteral("+%1").arg(c));
  });
}

QRectF MemoryPane::morphed(int64_t linear, const QRectF& to) const {
  const int64_t from = linear < static_cast<int64_t>(from_.size()) ? from_[static_cast<size_t>(linear)] : -1;
  if (from < 0) return to;
  const QRectF old = rectAt(from / perRow_, from % perRow_);
  const double t = morph_.currentValue().toDouble();
  const double lift = 4 * t * (1 - t) * std::min(18.0, std::abs(to.x() - old.x()) * 0.2) * (to.x() > old.x() ? -1 : 1);
  return to.translated((old.topLeft() - to.topLeft()) * (1 - t)).translated(0, lift);
}

void MemoryPane::paintCells(QPainter& painter) const {
  const LabColors c = colors();
  const bool moving = animating() && !from_.empty();
  CellLooks looks(*state_, c, cell_ >= CellLooks::kSmallestNamed);
  for (int pass = moving ? 0 : 1; pass < 2; ++pass)  // what travels is painted last
    for (int64_t row = rows_.first(); row < rows_.end(); ++row)
      for (int64_t column = columns_.first(); column < columns_.end(); ++column) {
        const auto linear = linearAt({row, column});
        if (!linear) break;
        const CellLook look = looks.at(*linear);
        if (moving && (look.kind == CellKind::Element) != (pass == 1)) continue;
        const QRectF to = rectAt(row, column);
        paintCell(painter, moving ? morphed(*linear, to) : to, look, c);
      }
}

void MemoryPane::paintNumbers(QPainter& painter) const {
  if (below_ == 0) return;
  QFont small = font();
  small.setPixelSize(10);
  if (QFontMetrics(small).horizontalAdvance(QString::number(state_->model()->positions())) > cell_ - 2) return;
  painter.setFont(small);
  painter.setPen(colors().faint);
  for (int64_t row = rows_.first(); row < rows_.end(); ++row)
    for (int64_t column = columns_.first(); column < columns_.end(); ++column) {
      const auto linear = linearAt({row, column});
      if (!linear) break;
      const QRectF at = rectAt(row, column);
      painter.drawText(QRectF(at.left() - 4, at.bottom(), at.width() + 8, 13), Qt::AlignCenter,
                       QString::number(*linear));
    }
}

// Boundaries between tiles: through a row where tiles are shorter than rows, else as steps between rows.
void MemoryPane::paintTiles(QPainter& painter, int level) const {
  const int64_t volume = state_->model()->tileVolume(level);
  if (volume <= 1 || (level == 1 && (cell_ < 8 || volume >= perRow_))) return;
  const LabColors c = colors();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(level == 0 ? QPen(c.tileLine, 2) : QPen(c.tileLine, 1, Qt::DotLine));
  const int64_t begin = rows_.first() * perRow_;
  const int64_t positions = state_->model()->positions();
  const int64_t end = rows_.end() > (positions - 1) / perRow_ ? positions : rows_.end() * perRow_;
  forMultiples(begin, end, volume, [&](int64_t at) {
    const QRectF cell = rectAt(at / perRow_, at % perRow_);
    painter.drawLine(cell.topLeft(), QPointF(cell.left(), cell.bottom()));
    if (level == 1 || volume < perRow_) return;
    const double gap = below_ / 2.0;
    painter.drawLine(QPointF(cell.left(), cell.top() - gap), QPointF(area_.right() + 1, cell.top() - gap));
    if (at % perRow_ != 0)
      painter.drawLine(QPointF(area_.left(), cell.bottom() + gap), QPointF(cell.left(), cell.bottom() + gap));
  });
}

}  // namespace tessera
