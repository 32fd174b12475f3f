// ChoiceList: a few lines at the pointer, one of which is taken: placements of a broadcast, repairs of a wire. Arrows
// highlight, Enter or a click takes, Esc or leaving it cancels.
#pragma once

#include <QStringList>

#include "editor/panels/popups/popup_frame.h"

class QLabel;
class QListWidget;

namespace tessera {

class ChoiceList : public PopupFrame {
  Q_OBJECT

 public:
  explicit ChoiceList(QWidget* parent);

  // Near a point of the parent, wholly inside it; the first line is highlighted.
  void openAt(QPoint at, const QString& heading, const QStringList& lines);
  QListWidget* list() const { return list_; }
  QString heading() const;

 signals:
  void highlighted(int line);
  void chosen(int line);
  void cancelled();

 protected:
  void accept() override;
  void dismissed() override { emit cancelled(); }

 private:
  QLabel* heading_;
  QListWidget* list_;
};

}  // namespace tessera
