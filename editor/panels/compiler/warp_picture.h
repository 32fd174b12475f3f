// WarpPicture: one access of a warp to memory: its 32 lanes in their colours above, the memory below in lines of 128
// bytes, and in it the words that each lane touches. Of global memory the sectors of 32 bytes that move are framed; of
// shared memory a column is a bank.
#pragma once

#include <QWidget>
#include <optional>

#include "backends/backend.h"

namespace tessera {

class WarpPicture : public QWidget {
  Q_OBJECT

 public:
  explicit WarpPicture(QWidget* parent = nullptr);
  void setAccess(std::optional<WarpAccess> access);  // none: nothing is shown
  QString words() const;                             // what the picture says, for those who do not see it
  QSize sizeHint() const override;

  static QColor colorOfLane(int lane, bool dark);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Line {
    int64_t address;             // a multiple of 128
    std::array<int, 128> lanes;  // by byte; -1: none
    uint32_t sectors = 0;        // that are touched, a bit each
  };
  void paintLanes(QPainter& painter) const;
  void paintLine(QPainter& painter, const Line& line, int top) const;

  std::optional<WarpAccess> access_;
  std::vector<Line> lines_;
  size_t hidden_ = 0;  // lines for which there is no room
};

}  // namespace tessera
