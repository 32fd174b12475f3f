// A scroll area as high as what it holds where there is room, and that scrolls where there is not: what grows in it never
// makes its window grow. Before it stands any widget; after it the layout of a panel.
#pragma once

#include <QScrollArea>

namespace tessera {

class FittingArea : public QScrollArea {
  Q_OBJECT

 public:
  FittingArea(QWidget* content, QWidget* parent);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace tessera
