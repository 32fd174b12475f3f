// TourGuide: plays the commands of a tour's steps in the window, one after the other, each when the one before is done.
// Used by the main window.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <optional>

#include "editor/lessons/tour.h"

namespace tessera {

class MainWindow;
class TourPanel;

class TourGuide : public QObject {
  Q_OBJECT

 public:
  TourGuide(MainWindow& window, TourPanel& panel);

  static QString folder();  // of the tours that come with the program; empty: there are none
  void begin(const Tour& tour);
  void end();
  bool isOn() const { return tour_.has_value(); }
  bool isPlaying() const { return !left_.isEmpty(); }
  TourPanel& panel() { return panel_; }

 private:
  void showStep(int step);
  void playNext();

  MainWindow& window_;
  TourPanel& panel_;
  QTimer tick_;
  std::optional<Tour> tour_;
  QStringList left_;  // commands of the step that are still to be played
};

}  // namespace tessera
