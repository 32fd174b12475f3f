// An input as a field: a number, an array or a generator typed for it becomes the constant, broadcast or iota that HLO
// needs. Used by the field on the canvas and the attribute form.
#pragma once

#include <optional>
#include <string>

#include "core/edit/edit.h"

namespace tessera {

// The edit that gives an input what was typed: "3.5", "-inf", "true", "{1,2,3}", "iota", "iota 1". The element type and
// size are what the other inputs need. A constant that only this input reads is replaced. Fails with what is wrong.
Result<Edit> filling(const Module& module, InstructionId user, int32_t operand, const std::string& text);
// The same for an input that has a value: a constant that only this input reads is set in its place where the text is
// of its shape, so that it keeps its name; what others read too stays theirs.
Result<Edit> refilling(const Module& module, InstructionId user, int32_t operand, const std::string& text);
// What a field shows for an input: the value of a constant or of a broadcast constant; nullopt: it is no field.
std::optional<std::string> fieldText(const Module& module, InstructionId user, int32_t operand);
// A constant's value as text; nullopt where it is too long to be typed.
std::optional<std::string> valueOf(const Module& module, InstructionId constant);
// The value of a constant, set in its place: all that reads it reads the new one.
Result<Edit> resetting(const Module& module, InstructionId constant, const std::string& text);

}  // namespace tessera
