// Builder forms of the reference that are no opcode of their own, and shipped blocks, as entries of the palette: the
// name of a form and the edit that makes the instructions it means. Used by palette_search.cpp and palette_place.cpp.
#pragma once

#include <span>
#include <vector>

#include "core/edit/palette/palette.h"

namespace tessera {

struct PaletteForm {
  PaletteEntry entry;  // entry.form identifies it
  std::string words;   // what else finds it
};
const std::vector<PaletteForm>& paletteForms();
// The edit; without sources the inputs are open, or parameters where a form needs shapes.
Edit placingForm(const Module& module, ComputationId computation, const PaletteEntry& entry,
                 std::span<const InstructionId> sources);

}  // namespace tessera
