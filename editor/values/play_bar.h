// PlayBar: play, step, reset, steps a second, and which output feeds which input. Visible where there is something to
// play. Uses Player; placed by RunController.
#pragma once

#include <QFrame>

class QLabel;
class QSpinBox;
class QToolButton;

namespace tessera {

class Document;
class Player;

class PlayBar : public QFrame {
  Q_OBJECT

 public:
  PlayBar(Document& document, Player& player, QWidget* parent);
  QToolButton* playButton() const { return play_; }
  QToolButton* stepButton() const { return step_; }
  QToolButton* resetButton() const { return reset_; }
  QSpinBox* rate() const { return rate_; }
  QString words() const;

 signals:
  void resized();

 private:
  void show();
  void fillFeedback();

  Document& document_;
  Player& player_;
  QToolButton *play_, *step_, *reset_, *feedback_;
  QSpinBox* rate_;
  QLabel* steps_;
};

}  // namespace tessera
