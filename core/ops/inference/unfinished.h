// What an unfinished graph leaves open: inputs that read nothing, required attributes without a value, bodies
// without an instruction, and shapes that inference cannot give. Such a graph is a legal document; HLO text has `?` in
// each of these places. Used by the readers and printers, the verifier, edits and runs of the complete part.
#pragma once

#include <span>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"

namespace tessera {

inline constexpr const char* kUnfinished = "unfinished";  // the label of what is open

// Required attributes that are not there, in print order.
std::vector<Attr> openAttributes(const Instruction& instruction);
Diagnostic openInput(const Instruction& instruction, size_t operand);
Diagnostic openAttribute(const Instruction& instruction, Attr name);
// One for each open input and attribute.
std::vector<Diagnostic> openPlaces(const Module& module, const Instruction& instruction);

// Removes from `found` the attributes that `read` already reports as missing: a text without `?` is wrong, not
// unfinished.
void leaveOutLacking(Diagnostics& found, const Diagnostics& read);

// The shape is to be derived and cannot be: something is open, or the op refuses what is connected. Its value
// is the last that was known.
bool lacksShape(const Module& module, InstructionId id);
// The placeholder for an unknown shape: the first input's, else a scalar.
Shape standInShape(const Module& module, std::span<const InstructionId> operands);

// Whether anything that the entry holds or calls is open or has no shape, or the entry is empty.
bool isUnfinished(const Module& module);

}  // namespace tessera
