// A selection as HLO text and back: what the clipboard carries. Used by the studio's cut, copy and paste, and by
// blocks.
#pragma once

#include <span>
#include <string>

#include "core/edit/edit.h"

namespace tessera {

// A module that reads by itself: the instructions with their wires and what they call; values from outside are its
// parameters (constants come along), and its root is a tuple of what was selected. Empty: there is nothing to copy.
std::string fragmentText(const Module& module, std::span<const InstructionId> ids);

// Adds the instructions of a text to a computation: a fragment, a whole module, or lines that define all they read.
// Inputs from outside are open, or with keepInputs what has their name and shape there. Names that are taken get a
// number. Fails with what is wrong with the text.
Result<Edit> pasting(const Module& module, ComputationId computation, const std::string& text, bool keepInputs);

}  // namespace tessera
