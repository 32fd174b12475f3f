// NumberedEdit: a plain text field with line numbers at its left edge, as the errors below it speak of lines. Used by
// HloEdit.
#pragma once

#include <QPlainTextEdit>

namespace tessera {

class NumberedEdit : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit NumberedEdit(QWidget* parent = nullptr);
  int gutterWidth() const;  // pixels
  // The number that is drawn at a height of the viewport, from 1; 0: none.
  int numberAt(int y) const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void placeGutter();
  void paintGutter(QPainter& painter, const QRect& rect);

  QWidget* gutter_;
};

}  // namespace tessera
