// Nodes into wires and out of them, wires cut, inputs swapped: edits that change only wires. Used by gestures on the
// canvas.
#pragma once

#include <span>
#include <utility>

#include "core/edit/edit.h"

namespace tessera {

// An input of an instruction.
using InputSpot = std::pair<InstructionId, int32_t>;

// Puts a node into the wire to an input: its value feeds the node's first input that takes it (open ones first), the
// node feeds the input. Fails with the reason: shapes, a cycle, another computation.
Result<Edit> inserting(const Module& module, InstructionId node, InputSpot wire);
// Takes a node out of its wires: users get its first operand of the same shape, else an open input; its own inputs are
// open but for constants and what is broadcast of them, which are its fields.
Result<Edit> pullingOut(const Module& module, InstructionId node);
// Opens inputs. No actions: none was connected.
Edit cutting(const Module& module, std::span<const InputSpot> inputs);
// Exchanges what two inputs of a node read.
Result<Edit> swapping(const Module& module, InstructionId node, int32_t first, int32_t second);
// The two inputs of a node that are swapped unless others are named: the first pair of equal shapes, else the first
// two.
std::pair<int32_t, int32_t> swappableInputs(const Module& module, InstructionId node);

// The operand that a node passes on when it is taken out, muted or healed away; invalid: none has its shape.
InstructionId passedOn(const Module& module, InstructionId node);
// The graph as it runs with these instructions passed by: their users read what they would have passed on.
Module withoutMuted(const Module& module, std::span<const InstructionId> muted);

}  // namespace tessera
