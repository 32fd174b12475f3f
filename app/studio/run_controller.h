// Running: what of values happens over the canvas: numbers that are dragged, the value viewer, the bars that play and
// that choose a call. Before: Document and Canvas; after: MainWindow, which only makes it.
#pragma once

#include <QObject>

#include "core/base/ids.h"

namespace tessera {

class CallBar;
class Canvas;
class Document;
class PlayBar;
class Player;
struct Panels;

class RunController : public QObject {
  Q_OBJECT

 public:
  RunController(Document& document, Canvas& canvas, Panels& panels, QObject* parent);
  Player& player() { return *player_; }
  PlayBar& playBar() { return *playBar_; }
  CallBar& callBar() { return *callBar_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void scrub(InstructionId id, double pixels, bool first);
  void placeBars();

  Document& document_;
  Canvas& canvas_;
  Panels& panels_;
  Player* player_;
  PlayBar* playBar_;
  CallBar* callBar_;
  double scrubbedFrom_ = 0;
};

}  // namespace tessera
