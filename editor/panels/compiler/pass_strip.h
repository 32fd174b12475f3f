// PassStrip: a cell a pass, as high as what the pass did, scrubbed by mouse, wheel and keys; passes that touched the
// selection have a mark. Used by PassesPanel.
#pragma once

#include <QStringList>
#include <QWidget>
#include <array>
#include <vector>

#include "core/tools/passes/pass_changes.h"
#include "editor/canvas/node_tint.h"

namespace tessera {

NodeTint tintOf(PassMark mark);

class PassStrip : public QWidget {
  Q_OBJECT

 public:
  explicit PassStrip(QWidget* parent = nullptr);

  using Counts = std::array<size_t, kPassMarks>;
  void setMoments(const QStringList& titles);  // none are counted yet
  void setCounts(int moment, const Counts& counts);
  void setUnreadable(int moment);
  void setTouched(std::vector<bool> touched);
  const std::vector<bool>& touched() const { return touched_; }
  void setCurrent(int moment);
  void choose(int moment);  // as a click on its cell
  int current() const { return current_; }
  int count() const { return static_cast<int>(titles_.size()); }
  QRectF cellOf(int moment) const;
  QSize sizeHint() const override { return {400, 54}; }
  QSize minimumSizeHint() const override { return {120, 54}; }

 signals:
  void chosen(int moment);
  void touchWanted(int by);  // Ctrl and an arrow: the next pass, or the one before, that touched the selection

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Known : uint8_t { No, Yes, Unreadable };
  struct Cell {
    Known known = Known::No;
    Counts counts{};
  };
  int momentAt(double x) const;
  void paintCell(QPainter& painter, int moment) const;

  QStringList titles_;
  std::vector<Cell> cells_;
  std::vector<bool> touched_;
  int current_ = 0;
};

}  // namespace tessera
