// Entries of training: the gradient of what is selected, and a whole step of descent. Both are of what a selection
// means (core/edit/structure/differentiating.h); where it means nothing the edit refuses and says why.
#include "core/edit/palette/palette_training.h"

#include <fmt/format.h>

#include "core/edit/palette/palette_draft.h"
#include "core/edit/structure/differentiating.h"

namespace tessera {
namespace {

constexpr std::string_view kGradient = "gradient", kStep = "training step";

PaletteForm formOf(std::string_view title, std::string summary, std::string words) {
  PaletteEntry entry;
  entry.title = entry.form = title;
  entry.category = "Training";
  entry.summary = std::move(summary);
  return {std::move(entry), std::move(words)};
}

// parameter - rate * gradient, for each.
Edit step(Draft d, const AddGradient& meant) {
  d.edit.actions.push_back(meant);
  d.added = static_cast<uint32_t>(meant.withRespectTo.size());
  const std::string rate = d.entry.literal.empty() ? "0.1" : d.entry.literal;
  std::vector<InstructionId> results;
  for (uint32_t k = 0; k < meant.withRespectTo.size(); ++k) {
    const Instruction& old = d.module.at(meant.withRespectTo[k]);
    const Shape shape = withoutLayout(*old.shape);
    InstructionId factor = d.constant(shape.type, rate);
    if (!shape.dimensions.empty()) factor = d.add(Opcode::Broadcast, {factor}, {{Attr::dimensions, "{}"}}, shape);
    const InstructionId change = d.add(Opcode::Multiply, {factor, newInstruction(k)});
    results.push_back(d.add(Opcode::Subtract, {old.id, change}, {}, {}, {}, "next_" + std::string(old.name)));
  }
  results.push_back(meant.of);
  const InstructionId all = d.add(Opcode::Tuple, results, {}, {}, {}, "step");
  d.edit.actions.push_back(SetRoot{all});
  return std::move(d.edit);
}

}  // namespace

std::vector<PaletteForm> trainingForms() {
  return {formOf(kGradient,
                 "The gradient of the selected value with respect to what else is selected, or to all parameters",
                 "derivative backward backprop backpropagation grad differentiate vjp autodiff"),
          formOf(kStep, "The selected parameters after a step of descent, and the selected loss: training step 0.1",
                 "train sgd descent optimizer update learn fit")};
}

bool isTrainingForm(const PaletteEntry& entry) { return entry.form == kGradient || entry.form == kStep; }

std::optional<Edit> placingTraining(const Module& module, ComputationId computation, const PaletteEntry& entry,
                                    std::span<const InstructionId> sources) {
  if (!isTrainingForm(entry)) return std::nullopt;
  const Edit asked{entry.form == kGradient ? "Gradient" : "Training step",
                   {AddGradient{{}, {sources.begin(), sources.end()}}}};
  const auto meant = gradientOfSelection(module, sources);
  if (!meant || entry.form == kGradient) return asked;
  return step({module, computation, sources, entry, {asked.title, {}}, 0}, *meant);
}

}  // namespace tessera
