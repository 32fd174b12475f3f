// Two graphs of a history share what is the same, so that comparing them is quick.
#include "app/studio/step_glow.h"

#include <algorithm>

#include "editor/canvas/canvas.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr int kGlowMs = 1200;
constexpr size_t kMostGlowing = 40, kMostCompared = 5000;

bool isSame(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.name == b.name && std::ranges::equal(a.operands, b.operands) && *a.shape == *b.shape && a.literal == b.literal &&
         a.attributes == b.attributes && a.computation == b.computation;
}

// What a person changed, not what followed from it: operands, attributes, values and names before shapes alone.
std::vector<InstructionId> changedBetween(const Module& before, const Module& after) {
  std::vector<InstructionId> out;
  if (after.instructionCount() > kMostCompared) return out;  // the hand waits for nothing
  for (ComputationId computation : after.order())
    for (InstructionId id : after.at(computation).instructions)
      if (out.size() < kMostGlowing && (!before.contains(id) || !isSame(before.at(id), after.at(id)))) out.push_back(id);
  return out;
}

}  // namespace

StepGlow::StepGlow(Document& document, Canvas& canvas, QObject* parent) : QObject(parent), document_(document), canvas_(canvas) {
  end_.setSingleShot(true);
  end_.setInterval(kGlowMs);
  connect(&end_, &QTimer::timeout, this, [this] {
    if (!canvas_.carriesWire()) canvas_.setForesight({});
  });
}

void StepGlow::undo() {
  if (!document_.canUndo()) return;
  const Module before = document_.module();
  const QString title = tr("undone: %1").arg(document_.undoTitle());
  document_.undo();
  show(before, title);
}

void StepGlow::redo() {
  if (!document_.canRedo()) return;
  const Module before = document_.module();
  const QString title = tr("again: %1").arg(document_.redoTitle());
  document_.redo();
  show(before, title);
}

void StepGlow::show(const Module& before, const QString& title) {
  if (canvas_.carriesWire()) return;
  std::vector<Foreseen> glow;
  for (InstructionId id : changedBetween(before, document_.module())) glow.push_back({id, glow.empty() ? title : QString(), false});
  canvas_.setForesight(std::move(glow));
  end_.start();
}

QStringList StepGlow::glowing() const {
  QStringList out;
  for (const Foreseen& each : canvas_.foresight())
    if (document_.module().contains(each.instruction)) out << QString::fromStdString(std::string(document_.module().at(each.instruction).name));
  return out;
}

}  // namespace tessera
