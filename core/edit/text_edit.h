// The text of one computation as something to type in: what was typed becomes one edit that keeps the ids of what stayed.
// Instructions are matched by name, then, where one was taken for another, by what they do. Before: the text panel; after:
// edit.h.
#pragma once

#include <string>

#include "core/edit/edit.h"

namespace tessera {

// As the module prints it, header and closing brace included; empty when it has no instruction.
std::string computationText(const Module& module, ComputationId computation);

// The edit from the computation as it is to what the text says; without actions when nothing differs. Fails with what is wrong,
// its position counted within the text.
Result<Edit> editFromText(const Module& module, ComputationId computation, const std::string& text);

}  // namespace tessera
