// NodeMeasures: what the colours of a document's nodes say: a measure of core/analysis, its scale, what is faded. The
// overlay is made by a worker, anew after edits and runs. Also the measured times held against a device, which panels
// share. Used by SceneView, the legend and the panels of profile and roofline.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>

#include "core/analysis/measure.h"

namespace tessera {

class Background;
class Document;

class NodeMeasures : public QObject {
  Q_OBJECT

 public:
  NodeMeasures(Document& document, Background& background);

  Measure measure() const { return choice_.measure; }
  void choose(Measure measure);
  bool isAvailable(Measure measure) const;
  bool isLinear() const { return choice_.linear; }
  void setLinear(bool linear);
  // What is colder on the scale (0 … 1) is faded; 0: nothing.
  double threshold() const { return choice_.threshold; }
  void setThreshold(double heat);
  bool showsCriticalPath() const { return choice_.criticalPath; }
  void showCriticalPath(bool shown);
  // Of the computation that is shown; empty: it is not shown, or nothing was measured.
  const CriticalPath& criticalPath() const { return state_.path; }

  // Null: there is none, or it is being made.
  const std::shared_ptr<const Overlay>& overlay() const { return state_.overlay; }
  // Why there is no overlay of a measure that the graph alone gives; empty: it is there, or being made.
  const QString& problem() const { return state_.problem; }
  // Self times, whatever measure is shown; null: nothing was measured.
  const std::shared_ptr<const Overlay>& selfTimes() const { return state_.selfTimes; }
  // Of the run or the opened profile, held against the device; null: none.
  const std::shared_ptr<const OpTimes>& times() const { return state_.times; }
  // What they are held against; null: not measured yet, or none is chosen for another program's profile.
  const std::shared_ptr<const DevicePeaks>& device() const { return state_.device; }
  void chooseDevice(
      std::shared_ptr<const DevicePeaks> device);  // null: this machine, for runs on it; else the recorded one

  // The times as they are now are what later ones are compared with; `name` says what they are of.
  void keepTimes(const QString& name);
  void compareWith(std::shared_ptr<const Overlay> selfTimes, const QString& name);  // null: with nothing
  const QString& keptName() const { return state_.keptName; }
  // An overlay that a panel made, of a measure that is given; null: it has none any more.
  void give(Measure measure, std::shared_ptr<const Overlay> overlay);

  // The next hottest instruction (or the one before, by < 0) after the one that was gone to last; invalid: there is
  // none.
  InstructionId nextHottest(int by);

  // --- for Document
  void begin();          // another file
  void moduleChanged();  // another graph
  void timesChanged();   // of another run, or none
  void sceneChanged();   // what is faded depends on the boxes that are shown

 signals:
  void changed();    // the overlay, or how it is shown
  void timesHeld();  // times() or device()

 private:
  void hold();
  void remake();
  void install(std::shared_ptr<const Overlay> overlay);
  void showLight();
  MeasuredTimes measured() const;

  struct Choice {  // kept from file to file
    Measure measure = Measure::SelfTime;
    bool linear = false, criticalPath = false;
    double threshold = 0;
  };
  struct State {  // of one file
    std::shared_ptr<MeasureMaker> maker;
    std::shared_ptr<const Overlay> overlay, selfTimes, totalTimes, baseline;
    std::shared_ptr<const OpTimes> times;
    std::shared_ptr<const DevicePeaks> device, chosen;
    QString keptName, problem;
    std::map<Measure, std::shared_ptr<const Overlay>> given;
    std::vector<InstructionId> hottest;
    size_t walked = 0;  // of hottest; 0: nowhere yet
    CriticalPath path;
    bool lights = false;
  };
  Document& document_;
  Background& background_;
  Choice choice_;
  State state_;
  uint64_t holds_ = 0, overlays_ = 0;  // that were asked for
};

}  // namespace tessera
