// Small graphs only: a drag never waits for inference.
#include "editor/controllers/wire_preview.h"

#include <algorithm>
#include <unordered_set>

#include "core/edit/wiring/wiring.h"
#include "core/ops/inference/unfinished.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr size_t kMaxPreviewedInstructions = 5000, kMaxShownChanges = 60;

std::vector<NodePreview> previewOf(const Module& before, const EditResult& after) {
  std::vector<NodePreview> out;
  std::unordered_set<uint32_t> wrong;
  for (const Diagnostic& d : after.diagnostics.items()) {
    if (d.severity != Severity::Error || d.label == kUnfinished || !before.contains(d.instruction) ||
        out.size() >= kMaxShownChanges)
      continue;
    if (wrong.insert(d.instruction.value).second)
      out.push_back({d.instruction, QString::fromStdString(d.message), true});
  }
  for (InstructionId id : after.changed) {
    if (!before.contains(id) || !after.module.contains(id) || wrong.contains(id.value) ||
        out.size() >= kMaxShownChanges)
      continue;
    if (sameIgnoringLayout(before.shapeOf(id), after.module.shapeOf(id))) continue;
    out.push_back(
        {id, QStringLiteral("→ ") + QString::fromStdString(toString(after.module.shapeOf(id), false)), false});
  }
  return out;
}

}  // namespace

WirePreview::WirePreview(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas) {
  connect(&canvas_, &Canvas::wireHovered, this, &WirePreview::look);
}

// Only where letting go would do it at once.
void WirePreview::look(InstructionId value, InstructionId user, int operand) {
  canvas_.highlights().setPreview({});
  if (!document_.isOpen() || !value.valid() || !user.valid() || operand < 0) return;
  const Module& module = document_.module();
  if (module.instructionCount() > kMaxPreviewedInstructions || value == user || !module.contains(value) ||
      !module.contains(user) || module.at(value).computation != module.at(user).computation)
    return;
  const ConnectionCheck fit = fitOf(module, value, user, operand);
  if (fit.ways.size() != 1) return;
  if (const auto done = apply(module, fit.ways[0].edit)) canvas_.highlights().setPreview(previewOf(module, *done));
}

}  // namespace tessera
