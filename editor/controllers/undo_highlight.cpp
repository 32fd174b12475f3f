// Two graphs of a history share what is the same, so that comparing them is quick.
#include "editor/controllers/undo_highlight.h"

#include <algorithm>
#include <set>

#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr int kGlowMs = 1200;
constexpr size_t kMaxGlowing = 40, kMaxCompared = 200000;

bool isSame(const Instruction& a, const Instruction& b) {
  if (&a == &b) return true;  // in a part that both graphs share
  return a.opcode == b.opcode && a.name == b.name && std::ranges::equal(a.operands, b.operands) &&
         (a.shape == b.shape || *a.shape == *b.shape) && a.literal == b.literal && a.attributes == b.attributes &&
         a.computation == b.computation;
}

struct EditChange {
  std::vector<InstructionId> instructions;
  ComputationId home;  // of what is gone, where nothing else changed
};

// What the edit changed, first of the computation that is shown, which stays where something did.
EditChange changeBetween(const Module& before, const Module& after, ComputationId shown) {
  EditChange out;
  if (std::max(before.instructionCount(), after.instructionCount()) > kMaxCompared)
    return out;  // comparing takes too long
  std::vector<ComputationId> all(after.order().begin(), after.order().end());
  std::ranges::stable_partition(all, [&](ComputationId each) { return each == shown; });
  for (ComputationId computation : all) {
    for (InstructionId id : after.at(computation).instructions)
      if (out.instructions.size() < kMaxGlowing && (!before.contains(id) || !isSame(before.at(id), after.at(id))))
        out.instructions.push_back(id);
    const bool fewer = before.contains(computation) &&
                       before.at(computation).instructions.size() > after.at(computation).instructions.size();
    if (fewer && !out.home.valid()) out.home = computation;
  }
  if (!out.instructions.empty()) out.home = after.at(out.instructions.front()).computation;
  return out;
}

// Of a step that arranged: instructions that stand or are muted otherwise.
EditChange changeBetween(const Project& before, const Project& after, const Module& module) {
  EditChange out;
  const ProjectPage none;
  for (const Project* project : {&after, &before})
    for (const ProjectPage& each : project->pages) {
      const auto computation = module.findComputation(each.computation);
      const ProjectPage *was = before.find(each.computation), *is = after.find(each.computation);
      const ProjectPage &a = was ? *was : none, &b = is ? *is : none;
      if (!computation || out.home.valid()) continue;
      std::set<std::string> names;
      // A first move notes the places of all boxes: those that both know tell what moved.
      for (const auto& [name, at] : b.instructions)
        if (const auto old = a.instructions.find(name);
            old != a.instructions.end() && !(old->second.x == at.x && old->second.y == at.y))
          names.insert(name);
      std::ranges::set_symmetric_difference(a.muted, b.muted, std::inserter(names, names.end()));
      if (names.empty()) continue;
      out.home = *computation;
      for (InstructionId id : module.at(*computation).instructions)
        if (out.instructions.size() < kMaxGlowing && names.contains(std::string(module.at(id).name)))
          out.instructions.push_back(id);
    }
  return out;
}

}  // namespace

UndoHighlight::UndoHighlight(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas) {
  end_.setSingleShot(true);
  end_.setInterval(kGlowMs);
  connect(&end_, &QTimer::timeout, this, [this] {
    if (!canvas_.wires().isCarrying()) canvas_.highlights().setPreview({});
  });
  connect(&document_, &Document::stepped, this, &UndoHighlight::show);
  // After the window has shown the scene.
  connect(&document_.view(), &SceneView::changed, this, &UndoHighlight::goThere, Qt::QueuedConnection);
  connect(&document_, &Document::opened, this, [this] { leads_ = false; });
}

void UndoHighlight::show(const HistoryStep& step) {
  if (canvas_.wires().isCarrying()) return;
  EditChange change = changeBetween(step.before, document_.module(), document_.view().computation());
  if (!change.home.valid()) change = changeBetween(step.arranged, document_.project(), document_.module());
  const QString title = (step.undone ? tr("undone: %1") : tr("redone: %1")).arg(step.title);
  std::vector<NodePreview> glow;
  for (InstructionId id : change.instructions) glow.push_back({id, glow.empty() ? title : QString(), false});
  canvas_.highlights().setPreview(std::move(glow));
  end_.start();
  places_ = std::move(change.instructions);
  home_ = change.home;
  leads_ = home_.valid();
}

// By itself or as a field, not within a closed group or behind what calls it.
bool UndoHighlight::isDrawn(InstructionId id) const {
  const int32_t box = document_.view().scene().view->boxOf(id);
  if (box < 0) return false;
  const ViewNode& node = document_.view().scene().view->nodes[static_cast<size_t>(box)];
  return node.instruction == id || node.owner >= 0 ||
         document_.module().at(id).computation == document_.view().computation();
}

void UndoHighlight::goThere() {
  if (!leads_ || !document_.isOpen() || !document_.module().contains(home_)) return;
  std::erase_if(places_, [&](InstructionId id) { return !document_.module().contains(id); });
  const bool seen = document_.view().computation() == home_ ||
                    std::ranges::any_of(places_, [&](InstructionId id) { return isDrawn(id); });
  if (!seen) return document_.view().showComputation(home_);  // the next scene leads on
  leads_ = false;
  std::vector<QRectF> boxes;
  for (InstructionId id : places_)
    if (const QRectF box = canvas_.boxOf(id); !box.isEmpty()) boxes.push_back(box);
  canvas_.viewport().glideTo(boxes);
  end_.start();  // the glow is to be seen there
}

}  // namespace tessera
