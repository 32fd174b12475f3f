// Entries of the palette for training, which read the selection as a loss and what it is to be improved by. Used by
// palette_forms.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/edit/palette/palette_forms.h"

namespace tessera {

std::vector<PaletteForm> trainingForms();
bool isTrainingForm(const PaletteEntry& entry);
// nullopt: the entry is none of them.
std::optional<Edit> placingTraining(const Module& module, ComputationId computation, const PaletteEntry& entry,
                                    std::span<const InstructionId> sources);

}  // namespace tessera
