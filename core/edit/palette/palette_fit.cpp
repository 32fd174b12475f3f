// What of the palette takes a value: each entry is placed on a scratch graph that holds only that value, and inferred.
#include <algorithm>

#include "core/edit/palette/palette.h"
#include "core/edit/palette/palette_training.h"
#include "core/edit/wiring/wiring.h"
#include "core/hlo/opcode.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

bool isOpenInput(const Diagnostic& d) { return d.label == kUnfinished; }

// nullopt: it does not fit. A unary or binary elementwise op is asked with the value at every input.
std::optional<FittingEntry> placedOn(const Module& scratch, InstructionId value, PaletteEntry entry) {
  if (isTrainingForm(entry)) {  // of what the value depends on, which the scratch graph lacks
    const ElementType type = scratch.shapeOf(value).type;
    return isFloat(type) ? std::optional(FittingEntry{std::move(entry), std::nullopt}) : std::nullopt;
  }
  const bool alike = isElementwiseOp(entry.opcode) && arityOf(entry.opcode) == 2;
  std::vector<InstructionId> sources(alike && entry.literal.empty() ? 2 : 1, value);
  const auto done = apply(scratch, placing(scratch, scratch.entry(), entry, sources));
  if (!done || done->added.empty()) return std::nullopt;
  const InstructionId made = done->added.back();
  if (done->module.at(made).operands.empty()) return std::nullopt;
  const auto reads = [&](InstructionId id) {  // a block whose shapes do not go with the value brings inputs of its own
    const auto& operands = done->module.at(id).operands;
    return std::ranges::find(operands, value) != operands.end();
  };
  if (std::ranges::none_of(done->added, reads)) return std::nullopt;
  bool open = false;
  for (const Diagnostic& d : done->diagnostics.items()) {
    if (!isOpenInput(d)) return std::nullopt;
    open = true;
  }
  FittingEntry out{std::move(entry), std::nullopt};
  if (!open) out.gives = done->module.shapeOf(made);
  return out;
}

}  // namespace

std::vector<FittingEntry> searchPaletteFor(const std::string& line, const Shape& value, size_t most) {
  Module scratch = emptyModule();
  Instruction parameter;
  parameter.opcode = Opcode::Parameter;
  parameter.name = "value";
  parameter.parameterNumber = 0;
  parameter.shapeWritten = false;
  Shape shape = value;
  fillDefaultLayouts(shape);
  const InstructionId id = scratch.add(scratch.entry(), std::move(parameter), shape);
  scratch.setRoot(scratch.entry(), id);
  std::vector<FittingEntry> out;
  for (PaletteEntry& entry : searchPalette(line, kAllEntries)) {
    if (out.size() >= most) break;
    if (auto fitting = placedOn(scratch, id, std::move(entry))) out.push_back(std::move(*fitting));
  }
  return out;
}

}  // namespace tessera
