// Entries of training: the gradient of what is selected, and a whole step of descent. Both are of what a selection
// means (core/edit/structure/differentiating.h); where it means nothing the edit refuses and says why.
#include "core/edit/palette/palette_training.h"

#include <fmt/format.h>

#include "core/edit/palette/palette_draft.h"
#include "core/edit/structure/differentiating.h"
#include "core/evaluate/usual_sources.h"

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

// The selection and what the line names: "training step wrt=W1,b1". Of a step alone: by the weights.
std::vector<InstructionId> meantBy(const Module& module, ComputationId computation, const PaletteEntry& entry,
                                   std::span<const InstructionId> sources) {
  std::vector<InstructionId> out(sources.begin(), sources.end());
  constexpr std::string_view kWrt = "wrt=";
  bool named = false;
  for (const std::string& each : entry.said) {
    if (!each.starts_with(kWrt)) continue;
    std::string_view rest = std::string_view(each).substr(kWrt.size());
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(','), rest.size());
      if (const InstructionId id = valueNamed(module, computation, rest.substr(0, end)); id.valid()) out.push_back(id);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      named = true;
    }
  }
  if (!named && sources.size() == 1 && entry.form == kStep && computation == module.entry())
    for (InstructionId weight : weightsOf(module)) out.push_back(weight);
  return out;
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
                 "derivative backward backprop backpropagation grad differentiate vjp autodiff wrt="),
          formOf(kStep, "The selected parameters, else all weights, after a step of descent: training step 0.1",
                 "train sgd descent optimizer update learn fit wrt= #")};
}

bool isTrainingForm(const PaletteEntry& entry) { return entry.form == kGradient || entry.form == kStep; }

std::optional<Edit> placingTraining(const Module& module, ComputationId computation, const PaletteEntry& entry,
                                    std::span<const InstructionId> sources) {
  if (!isTrainingForm(entry)) return std::nullopt;
  const std::vector<InstructionId> by = meantBy(module, computation, entry, sources);
  const Edit asked{entry.form == kGradient ? "Gradient" : "Training step", {AddGradient{{}, by}}};
  const auto meant = gradientOfSelection(module, by);
  if (!meant || entry.form == kGradient) return asked;
  return step({module, computation, sources, entry, {asked.title, {}}, 0}, *meant);
}

}  // namespace tessera
