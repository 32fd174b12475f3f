// HloTextView: a virtual view over an HloText. Only the visible lines are looked at and painted, so a 15 MB module
// scrolls like a small one; long literals are folded until their line is double-clicked. A click says which instruction
// was meant.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <unordered_set>
#include <vector>

#include "core/picture/picture.h"
#include "editor/text/hlo_text.h"

namespace tessera {

class HloTextView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit HloTextView(QWidget* parent = nullptr);

  void setText(std::shared_ptr<const HloText> text);
  const std::shared_ptr<const HloText>& text() const { return text_; }
  void setTheme(Theme theme);
  // Marks the lines of the selection; reveal: scrolls to the first one when none is visible.
  void setSelection(const std::vector<InstructionId>& selection, bool reveal);
  // The next line that holds the words becomes current; false when there is none.
  bool find(const QString& words, bool backwards);

  int firstVisibleLine() const;
  int visibleLines() const;
  int lineHeight() const { return lineHeight_; }  // pixels

 signals:
  void instructionClicked(tessera::InstructionId id, bool extend);
  void findWanted();
  void editWanted();  // of the computation that is shown

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void updateScrollBars();
  void scrollToLine(int line);
  int lineAt(QPointF position) const;
  int gutterWidth() const;
  QString shownLine(int line) const;
  void paintLine(QPainter& painter, int line, int y) const;
  void step(int direction);
  void copySelection() const;

  std::shared_ptr<const HloText> text_;
  Theme theme_ = Theme::Light;
  std::unordered_set<int> selected_;  // lines
  std::unordered_set<int> unfolded_;  // lines
  int current_ = 0;                   // line found last or clicked
  int lineHeight_ = 16;
  qreal charWidth_ = 8;
};

}  // namespace tessera
