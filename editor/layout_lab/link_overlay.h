// LinkOverlay: above both panes, the line between an element's logical place and its position in memory.
#pragma once

#include <QPainterPath>
#include <QVariantAnimation>
#include <QWidget>
#include <optional>

#include "editor/layout_lab/lab_colors.h"

namespace tessera {

class CellPane;
class LabState;

class LinkOverlay : public QWidget {
  Q_OBJECT

 public:
  LinkOverlay(LabState* state, const CellPane* grid, const CellPane* memory, QWidget* parent);
  void finishAnimation();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Ends {
    std::optional<QRectF> grid, memory;  // in overlay pixels
  };
  void retarget();
  Ends target() const;
  Ends shown() const;
  QRectF inOverlay(const CellPane* pane, const QRectF& rect) const;
  QRectF clipped(const CellPane* pane, const QRectF& rect) const;
  void paintTile(QPainter& painter, const CellPane* pane, const LabColors& colors) const;
  void paintMark(QPainter& painter, const QRectF& rect, const LabColors& colors) const;
  QPainterPath route(const QRectF& grid, const QRectF& memory) const;
  void paintLine(QPainter& painter, const Ends& ends, const LabColors& colors) const;
  void paintBubble(QPainter& painter, const QRectF& cell, const QString& text, bool grid,
                   const LabColors& colors) const;

  LabState* state_;
  const CellPane* grid_;
  const CellPane* memory_;
  Ends from_;
  QVariantAnimation glide_;  // the ends move to the next cell
};

}  // namespace tessera
