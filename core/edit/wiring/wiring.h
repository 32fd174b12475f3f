// How a value can become an input: as it is, by the broadcast that the builder's rules imply, by one of several
// broadcasts, or not, and then why not and what would mend it. Used by the canvas while a wire is drawn, the palette
// and the attribute form.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

// One edit that connects, and the shape that its user then has.
struct ConnectionOption {
  std::string title;  // "as it is", "broadcast to dimension 1", "transpose {1,0}"
  Edit edit;          // the user of the wire is the caller's argument
  Shape result;
};

// Nothing, one or several ways to connect; without a way the reason, in a sentence for the pointer.
struct ConnectionCheck {
  std::vector<ConnectionOption> ways;
  std::string reason;
  bool fits() const { return !ways.empty(); }
};

// `operand` may be one behind the last where the op takes any number. O(size of the computation).
ConnectionCheck fitOf(const Module& module, InstructionId value, InstructionId user, int32_t operand);
// Conversions, transpositions, reshapes, slices and paddings of the value with which a refused input takes it.
std::vector<ConnectionOption> repairsOf(const Module& module, InstructionId value, InstructionId user, int32_t operand);
// The first input that takes the value: open ones first; -1: none does.
int32_t firstFittingInput(const Module& module, InstructionId value, InstructionId user);

// The edit done on a copy without verification; gives the shape of `user` afterwards, or why it has none. Open inputs
// of the user are no failure.
Result<Shape> tried(const Module& module, const Edit& edit, InstructionId user);

// Whether every action of the edit is valid; errors of inference afterwards do not count.
Status performable(const Module& module, const Edit& edit);

// The operands' shapes of an instruction; null where the input is open.
std::vector<const Shape*> operandShapes(const Module& module, const Instruction& instruction);
bool isElementwiseOp(Opcode opcode);

}  // namespace tessera
