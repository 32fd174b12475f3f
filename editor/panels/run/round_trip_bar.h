// RoundTripBar: over the canvas of a part that was taken out of another graph: check it against what it was, put it
// back, drop it. Uses RoundTrip; placed by a DocumentPane.
#pragma once

#include "editor/look/underlined_bar.h"

class QLabel;
class QPushButton;

namespace tessera {

class RoundTrip;

class RoundTripBar : public UnderlinedBar {
  Q_OBJECT

 public:
  RoundTripBar(RoundTrip& trip, QWidget* parent);
  QString words() const;
  QPushButton* checkButton() const { return check_; }
  QPushButton* putBackButton() const { return putBack_; }
  QPushButton* dropButton() const { return drop_; }

 signals:
  void putBackDone();
  void dropWanted();

 private:
  void say();
  void putBack();

  RoundTrip& trip_;
  QLabel* words_;
  QPushButton *check_, *putBack_, *drop_;
};

}  // namespace tessera
