// ChoiceList: a few lines at the pointer, one of which is taken: placements of a broadcast, repairs of a wire. Arrows
// highlight, Enter or a click takes, Esc or leaving it cancels.
#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QListWidget;

namespace tessera {

class ChoiceList : public QFrame {
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
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void leave();

  QLabel* heading_;
  QListWidget* list_;
};

}  // namespace tessera
