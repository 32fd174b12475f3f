// Expands short forms of shapes and attributes. Used by the inspector and the palette's lines.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// "f32[2,3]" as it is; "f32": the sizes that the instruction gives now (of a conversion: those of its operand);
// "[6,4]", "6,4": its own element type, one size may be -1 and follows from the operand's elements. Else the error of
// parsing it as a shape.
Result<Shape> typedShape(const Module& module, InstructionId id, const std::string& text);

// "0,2" of an attribute that is a list: "{0,2}"; "0:2, 1:3" of slices: "{[0:2], [1:3]}"; else as it is.
std::string inBraces(Attr name, const std::string& text);

}  // namespace tessera
