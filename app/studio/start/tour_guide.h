// TourGuide: plays the commands of the steps of a guided tour, one after the other, each when the one before is done.
// It knows neither window nor script: both are functions. Used by the main window.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "editor/lessons/tour.h"

namespace tessera {

class TourPanel;

class TourGuide : public QObject {
  Q_OBJECT

 public:
  using Player = std::function<Status(const QString& command)>;

  // isBusy: whether the window is still at work on what a command started.
  TourGuide(TourPanel& panel, std::function<bool()> isBusy, QObject* parent);
  // Starts a command without waiting for it. Before it is set, a step that has commands shows a problem.
  void setPlayer(Player player) { player_ = std::move(player); }

  static QString folder();  // of the tours that come with the program; empty: there are none
  void begin(const Tour& tour);
  void end();
  bool isOn() const { return tour_.has_value(); }
  bool isPlaying() const { return !left_.isEmpty(); }
  TourPanel& panel() { return panel_; }

 private:
  void showStep(int step);
  void playNext();

  TourPanel& panel_;
  std::function<bool()> isBusy_;
  Player player_;
  QTimer tick_;
  std::optional<Tour> tour_;
  QStringList left_;  // commands of the step that are still to be played
};

}  // namespace tessera
