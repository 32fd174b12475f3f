// See warp_picture.h.
#include "editor/panels/compiler/warp_picture.h"

#include <QPainter>
#include <bit>
#include <map>

#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"

namespace tessera {

namespace {

constexpr int64_t kLineBytes = 128, kSectorBytes = 32, kWordBytes = 4;
constexpr int kWords = 32, kCell = 17, kWarpLabelWidth = 84, kHeadHeight = 40, kLineGap = 8, kWarpMargin = 8;
constexpr size_t kMostLines = 32;

int leftOf(int64_t byte) {
  return kWarpLabelWidth + static_cast<int>(byte * kCell / kWordBytes) + static_cast<int>(byte / kSectorBytes) * 4;
}

}  // namespace

WarpPicture::WarpPicture(QWidget* parent) : QWidget(parent) { setAccessibleName(tr("What the warp touches")); }

QColor WarpPicture::colorOfLane(int lane, bool dark) {
  return QColor::fromHsv(lane * 360 / 32, dark ? 150 : 120, dark ? 200 : 235);
}

void WarpPicture::setAccess(std::optional<WarpAccess> access) {
  access_ = std::move(access);
  lines_.clear();
  hidden_ = 0;
  std::map<int64_t, Line> lines;
  for (int lane = 0; access_ && lane < 32; ++lane) {
    if (!(access_->lanes >> lane & 1)) continue;
    for (unsigned b = 0; b < access_->bytes; ++b) {
      const int64_t byte = access_->offsets[static_cast<size_t>(lane)] + b, begin = byte & ~(kLineBytes - 1);
      auto [at, isNew] = lines.try_emplace(begin, Line{begin, {}, 0});
      if (isNew) at->second.lanes.fill(-1);
      int& owner = at->second.lanes[static_cast<size_t>(byte - begin)];
      if (owner < 0) owner = lane;
      at->second.sectors |= 1u << ((byte - begin) / kSectorBytes);
    }
  }
  for (const auto& [begin, line] : lines)
    if (lines_.size() < kMostLines)
      lines_.push_back(line);
    else
      ++hidden_;
  setToolTip(asPlainText(words()));
  updateGeometry();
  resize(sizeHint());
  update();
}

QString WarpPicture::words() const {
  if (!access_) return {};
  const QString what = access_->isShared ? tr("rounds of the banks") : tr("sectors of 32 bytes");
  return tr("%1 lanes %2 %3 bytes each of %4: %5 %6, %7 would do")
      .arg(std::popcount(access_->lanes))
      .arg(access_->isWrite ? tr("write") : tr("read"))
      .arg(access_->bytes)
      .arg(QString::fromStdString(access_->array))
      .arg(access_->units)
      .arg(what)
      .arg(access_->needed);
}

QSize WarpPicture::sizeHint() const {
  const int rows = static_cast<int>(lines_.size()) + (hidden_ ? 1 : 0);
  return {leftOf(kLineBytes) + kWarpMargin, kHeadHeight + kCell + kLineGap + rows * (kCell + kLineGap) + kWarpMargin};
}

void WarpPicture::paintLanes(QPainter& painter) const {
  const bool dark = isDark(palette());
  painter.setPen(colorOf(Ink::Quiet, palette()));
  painter.drawText(QRect(0, kHeadHeight - kCell - 2, kWarpLabelWidth - kLineGap, kCell),
                   Qt::AlignRight | Qt::AlignVCenter, tr("lane"));
  for (int lane = 0; lane < 32; ++lane) {
    const QRect cell(leftOf(lane * kWordBytes), kHeadHeight - kCell - 2, kCell, kCell);
    const bool isActive = access_->lanes >> lane & 1;
    if (isActive) painter.fillRect(cell.adjusted(0, 0, -1, -1), colorOfLane(lane, dark));
    painter.setPen(colorOf(isActive ? Ink::Text : Ink::Quiet, palette()));
    if (isActive && dark) painter.setPen(QColor(0x10, 0x10, 0x10));
    painter.drawText(cell, Qt::AlignCenter, QString::number(lane));
  }
}

// Words that no lane touches in a sector that moves are what is wasted.
void WarpPicture::paintLine(QPainter& painter, const Line& line, int top) const {
  const bool dark = isDark(palette());
  painter.setPen(colorOf(Ink::Quiet, palette()));
  painter.drawText(QRect(0, top, kWarpLabelWidth - kLineGap, kCell), Qt::AlignRight | Qt::AlignVCenter,
                   QStringLiteral("+%1").arg(line.address));
  for (int64_t byte = 0; byte < kLineBytes; ++byte) {
    const int lane = line.lanes[static_cast<size_t>(byte)];
    const bool moves = access_->isShared || line.sectors >> (byte / kSectorBytes) & 1;
    const int x = leftOf(byte),
              next = leftOf(byte) + kCell / static_cast<int>(kWordBytes) + (byte % kWordBytes == 3 ? 1 : 0);
    QColor color = lane >= 0                     ? colorOfLane(lane, dark)
                   : moves && !access_->isShared ? colorOf(Ink::Removed, palette())
                                                 : colorOf(Ink::Alternate, palette());
    if (lane < 0 && moves && !access_->isShared) color.setAlpha(50);
    painter.fillRect(QRect(x, top, next - x, kCell - 1), color);
  }
  for (int word = 0; word < kWords; ++word) {
    const int lane = line.lanes[static_cast<size_t>(word * kWordBytes)];
    if (lane < 0) continue;
    painter.setPen(dark ? QColor(0x10, 0x10, 0x10) : colorOf(Ink::Text, palette()));
    painter.drawText(QRect(leftOf(word * kWordBytes), top, kCell, kCell), Qt::AlignCenter, QString::number(lane));
  }
  for (int sector = 0; sector < kLineBytes / kSectorBytes && !access_->isShared; ++sector) {
    painter.setPen(QPen(colorOf(line.sectors >> sector & 1 ? Ink::Text : Ink::Border, palette())));
    const int begin = leftOf(sector * kSectorBytes);
    painter.drawRect(begin - 1, top - 1, 8 * kCell + 1, kCell + 1);
  }
}

void WarpPicture::paintEvent(QPaintEvent*) {
  if (!access_) return;
  QPainter painter(this);
  QFont font = painter.font();
  painter.setPen(colorOf(Ink::Text, palette()));
  painter.drawText(QRect(kWarpMargin, 0, width() - 2 * kWarpMargin, kHeadHeight - kCell - 4), Qt::AlignVCenter,
                   words());
  font.setPointSizeF(font.pointSizeF() * 0.75);
  painter.setFont(font);
  paintLanes(painter);
  int top = kHeadHeight + kLineGap;
  for (const Line& line : lines_) {
    paintLine(painter, line, top);
    top += kCell + kLineGap;
  }
  painter.setPen(colorOf(Ink::Quiet, palette()));
  if (hidden_)
    painter.drawText(QRect(kWarpLabelWidth, top, width() - kWarpLabelWidth, kCell), Qt::AlignVCenter,
                     tr("… and %L1 lines of 128 bytes more").arg(hidden_));
}

}  // namespace tessera
