// What the canvas shows of inputs while a wire is drawn: the inputs of an instruction by name, and whether a value fits
// one of them. Used by GraphEditController.
#pragma once

#include <QString>
#include <vector>

#include "core/base/ids.h"
#include "core/ops/op.h"
#include "editor/canvas/wire_hints.h"

namespace tessera {

class Document;

QString inputName(const Module& module, InstructionId user, size_t operand);  // as its port has it
// A variadic operation whose inputs are all wired has a further one, to add to.
std::vector<CanvasInput> canvasInputsOf(const Document& document, InstructionId id);
// With what becomes of the user, or the reason why not; empty where one of both is gone.
WireVerdict verdictOn(const Document& document, InstructionId value, InstructionId user, int32_t operand);

}  // namespace tessera
