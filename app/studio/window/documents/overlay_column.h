// OverlayColumn: bars over the upper edge of a canvas, one below the other. They come and go without moving or resizing
// what is below them. Used by DocumentPane.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace tessera {

class OverlayColumn : public QWidget {
 public:
  explicit OverlayColumn(QWidget& below);
  void add(QWidget& bar);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QVBoxLayout* layout_;
};

}  // namespace tessera
