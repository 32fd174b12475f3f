// The text of one computation as something to type in: what was typed becomes one edit that keeps the ids of what
// stayed. Instructions are matched by name, then, where one was taken for another, by what they do. Used by the text
// panel.
#pragma once

#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

// As the module prints it, header and closing brace included; empty when it prints with what calls it (OP-start).
std::string computationText(const Module& module, ComputationId computation);

// The edit from the current computation to the text; without actions when nothing differs. Fails with what
// is wrong, its position counted within the text.
Result<Edit> editFromText(const Module& module, ComputationId computation, const std::string& text);

// Everything that is wrong with it, in its order; the first is what editFromText fails with. Empty: it can be taken
// over.
std::vector<Diagnostic> problemsInText(const Module& module, ComputationId computation, const std::string& text);

}  // namespace tessera
