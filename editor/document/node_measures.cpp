// See node_measures.h. Of several overlays that are asked for only the last one is shown.
#include "editor/document/node_measures.h"

#include <algorithm>
#include <utility>

#include "editor/document/background.h"
#include "editor/document/document.h"
#include "editor/document/machine_peaks.h"
#include "editor/document/priorities.h"

namespace tessera {

NodeMeasures::NodeMeasures(Document& document, Background& background) : document_(document), background_(background) {
  connect(&MachinePeaks::ofThisMachine(), &MachinePeaks::ready, this, [this] {
    if (!state_.chosen) hold();
  });
}

// --- choices

void NodeMeasures::choose(Measure measure) {
  if (infoOf(measure).need == MeasureNeed::Peaks && document_.run().isOwnRun()) MachinePeaks::ofThisMachine().measure();
  if (choice_.measure == measure) return;
  choice_.measure = measure;
  remake();
}

bool NodeMeasures::isAvailable(Measure measure) const {
  if (!document_.isOpen() || document_.isPlainGraph()) return false;
  const MeasureNeed need = infoOf(measure).need;
  if (need == MeasureNeed::Given) return state_.given.contains(measure);
  // The peaks of this machine come when they are asked for.
  const bool held = state_.device != nullptr || document_.run().isOwnRun();
  return tessera::isAvailable(measure, {.times = document_.run().times(), .baseline = state_.baseline}, held);
}

void NodeMeasures::setLinear(bool linear) {
  if (std::exchange(choice_.linear, linear) != linear) remake();
}

void NodeMeasures::setThreshold(double heat) {
  choice_.threshold = std::clamp(heat, 0.0, 1.0);
  showLight();
  emit changed();
}

void NodeMeasures::showCriticalPath(bool shown) {
  choice_.criticalPath = shown;
  showLight();
  emit changed();
}

void NodeMeasures::chooseDevice(std::shared_ptr<const DevicePeaks> device) {
  state_.chosen = std::move(device);
  hold();
}

void NodeMeasures::keepTimes(const QString& name) { compareWith(state_.selfTimes, name); }

void NodeMeasures::compareWith(std::shared_ptr<const Overlay> selfTimes, const QString& name) {
  state_.baseline = std::move(selfTimes);
  state_.keptName = state_.baseline ? name : QString();
  if (choice_.measure == Measure::Difference)
    remake();
  else
    emit changed();
}

void NodeMeasures::give(Measure measure, std::shared_ptr<const Overlay> overlay) {
  if (overlay)
    state_.given[measure] = std::move(overlay);
  else
    state_.given.erase(measure);
  if (choice_.measure == measure)
    remake();
  else
    emit changed();
}

// --- what they are made of

MeasuredTimes NodeMeasures::measured() const {
  const auto& outcome = document_.run().outcome();
  return {state_.times, outcome ? outcome->runMs * 1e6 : 0, state_.baseline, state_.keptName.toStdString()};
}

void NodeMeasures::begin() {
  const auto chosen = state_.chosen;
  background_.dispose(std::exchange(state_, State{.chosen = chosen}));
  moduleChanged();
}

// Whoever replaces the graph has it arranged anew: what was shown is of the one before.
void NodeMeasures::moduleChanged() {
  background_.dispose(std::exchange(state_.overlay, nullptr));
  state_.maker = document_.isOpen() && !document_.isPlainGraph()
                     ? std::make_shared<MeasureMaker>(std::make_shared<const Module>(document_.module()))
                     : nullptr;
  state_.given.clear();
  timesChanged();
}

void NodeMeasures::timesChanged() {
  background_.dispose(std::exchange(state_.times, nullptr));
  background_.dispose(std::exchange(state_.selfTimes, nullptr));
  background_.dispose(std::exchange(state_.totalTimes, nullptr));
  emit timesHeld();
  hold();
}

// Holds the times against the device, and makes the self times.
void NodeMeasures::hold() {
  const ProgramRun& run = document_.run();
  state_.device = state_.chosen    ? state_.chosen
                  : run.isOwnRun() ? MachinePeaks::ofThisMachine().peaks()
                                   : run.recordedDevice();
  if (!run.times()) {
    ++holds_;
    emit timesHeld();
    return remake();
  }
  background_.startForFile(kReading,
                           [this, times = run.times(), device = state_.device, version = ++holds_,
                            module = std::make_shared<const Module>(document_.module())]() -> Background::Answer {
                             auto held = std::make_shared<OpTimes>(*times);
                             if (device) holdAgainst(*held, *device);
                             auto self = std::make_shared<const Overlay>(selfTimesOf(*held, *module));
                             auto total = std::make_shared<const Overlay>(totalTimesOf(*held, *module));
                             return [this, held, self, total, version] {
                               if (version != holds_) return;
                               background_.dispose(std::exchange(state_.times, held));
                               background_.dispose(std::exchange(state_.selfTimes, self));
                               background_.dispose(std::exchange(state_.totalTimes, total));
                               emit timesHeld();
                               remake();
                             };
                           });
  // Whoever looks at a profile goes from measure to measure.
  if (state_.maker)
    background_.startForFile(kRunning, [maker = state_.maker]() -> Background::Answer {
      maker->prepare();
      return [] {};
    });
}

void NodeMeasures::remake() {
  ++overlays_;
  state_.problem.clear();
  if (!state_.maker) return install(nullptr);
  const Measure measure = choice_.measure;
  const MeasureNeed need = infoOf(measure).need;
  if (const auto given = state_.given.find(measure); need == MeasureNeed::Given)
    return install(given == state_.given.end() ? nullptr : given->second);
  if (!tessera::isAvailable(measure, measured(), state_.device != nullptr)) return install(nullptr);
  background_.startForFile(kArrangement,
                           [this, maker = state_.maker, measure, times = measured(), linear = choice_.linear,
                            version = overlays_]() -> Background::Answer {
                             auto made = std::make_shared<Result<Overlay>>(maker->make(measure, times));
                             if (*made && linear) (*made)->linear = true;
                             return [this, made, version] {
                               if (version != overlays_) return;
                               if (!*made) state_.problem = QString::fromStdString(made->error().toString());
                               const bool colours = *made && !(*made)->entries.empty();
                               install(colours ? std::make_shared<const Overlay>(**std::move(made)) : nullptr);
                             };
                           });
}

void NodeMeasures::install(std::shared_ptr<const Overlay> overlay) {
  const bool none = !overlay && !state_.overlay && !document_.view().scene().overlay;
  background_.dispose(std::exchange(state_.overlay, std::move(overlay)));
  state_.hottest.clear();
  state_.walked = 0;
  if (none) return emit changed();
  emit changed();
  document_.view().overlayChanged();
}

// --- the hottest

InstructionId NodeMeasures::nextHottest(int by) {
  if (!state_.overlay) return {};
  if (state_.hottest.empty()) state_.hottest = hottestFirst(*state_.overlay, document_.module());
  if (state_.hottest.empty()) return {};
  const size_t count = state_.hottest.size();
  state_.walked = by > 0 ? state_.walked % count + 1 : (state_.walked + count - 2) % count + 1;
  return state_.hottest[state_.walked - 1];
}

// What is lit: the boxes above the threshold, or the critical path.
void NodeMeasures::sceneChanged() { showLight(); }

void NodeMeasures::showLight() {
  const Scene& scene = document_.view().scene();
  state_.path = {};
  const bool path = choice_.criticalPath && state_.totalTimes && document_.module().contains(scene.computation);
  if (path) state_.path = criticalPathOf(document_.module(), scene.computation, *state_.totalTimes);
  const bool fades = choice_.threshold > 0 && scene.overlay && scene.view && document_.view().showsOverlay();
  if (!path && !fades) {
    if (std::exchange(state_.lights, false)) document_.view().light(std::nullopt);
    return;
  }
  std::vector<InstructionId> lit = state_.path.instructions;
  if (fades && !path) {
    const std::vector<Overlay::Entry> boxes = boxEntries(*scene.view, *scene.overlay);
    const auto add = [&](InstructionId id) {
      const int32_t box = scene.view->boxOf(id);
      if (box >= 0 && scene.overlay->heatOf(scene.overlay->numberOf(boxes[at(box)])) >= choice_.threshold)
        lit.push_back(id);
    };
    for (const auto& [id, entry] : scene.overlay->entries) add(id);
    for (const Overlay::Whole& whole : scene.overlay->wholes) add(whole.instruction);
  }
  state_.lights = true;
  document_.view().light(std::move(lit));
}

}  // namespace tessera
