// Player: feeds outputs back to inputs, step by step or at a rate, so that a simulation or a training step can be
// watched. The feedback is the document's own, else what the module declares: its aliases, or results that are named
// next_W for the input W, as those of a training step. Without either, it can be requested: the first input of an
// output's shape.
// Uses Document's live values; used by PlayBar.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>

#include "core/hlo/module.h"

namespace tessera {

class Document;

// Argument leaf -> output leaf: what the module declares, and inputs that can get the first output of just their shape.
std::map<int64_t, int64_t> declaredFeedback(const Module& module);
std::map<int64_t, int64_t> possibleFeedback(const Module& module);
std::vector<Shape> outputShapes(const Module& module);  // leaves of the entry's root, tokens skipped

// Those of the document that fit the shapes as they are now, else those that the module declares.
std::map<int64_t, int64_t> feedbackOf(const Document& document);

class Player : public QObject {
  Q_OBJECT

 public:
  explicit Player(Document& document, QObject* parent = nullptr);

  std::map<int64_t, int64_t> feedback() const;
  // Asked for, or no longer: what is possible becomes the document's own feedback.
  bool canFeedBack() const;
  void setFeedsBack(bool on);
  bool feedsBack() const { return !feedback().empty(); }
  void feedBack(int64_t argument, int64_t output);  // an output of -1: the input keeps its value
  bool canPlay() const;
  bool isPlaying() const { return timer_.isActive(); }
  int64_t steps() const { return steps_; }
  int rate() const { return rate_; }  // steps a second at most
  void setRate(int stepsASecond);

  void play();
  void pause();
  void step();
  void reset();  // to the values that the settings say

 signals:
  void changed();

 private:
  struct OfGraph {
    uint64_t revision = ~uint64_t{0};
    std::map<int64_t, int64_t> declared;
    bool possible = false;
  };
  const OfGraph& ofGraph() const;
  void take();

  Document& document_;
  QTimer timer_;
  int rate_ = 8;
  int64_t steps_ = 0;
  mutable OfGraph ofGraph_;
  bool waiting_ = false;  // for the values of the step that was begun
};

}  // namespace tessera
