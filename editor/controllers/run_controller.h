// RunController: values over the canvas: numbers that are dragged, and the bars that play and that choose a call. Used
// by the main window.
#pragma once

#include <QObject>
#include <optional>

#include "core/base/ids.h"
#include "editor/document/gesture.h"

namespace tessera {

class ArgumentSources;
class CallBar;
class Canvas;
class Document;
class PlayBar;
class Player;

class RunController : public QObject {
  Q_OBJECT

 public:
  RunController(Document& document, Canvas& canvas, QObject* parent);
  Player& player() { return *player_; }
  PlayBar& playBar() { return *playBar_; }
  CallBar& callBar() { return *callBar_; }
  ArgumentSources& arguments() { return *arguments_; }
  void keepFreeBelow(int pixels);  // for other widgets over the canvas

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void scrub(InstructionId id, double pixels, bool first);
  void leaveRoom();
  void placeBars();

  Document& document_;
  Canvas& canvas_;
  Player* player_;
  PlayBar* playBar_;
  CallBar* callBar_;
  ArgumentSources* arguments_;
  int below_ = 0;                       // pixels
  Gesture gesture_;                     // along a number
  std::optional<double> scrubbedFrom_;  // none: what the drag began on had no number
};

}  // namespace tessera
