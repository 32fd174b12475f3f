// Dimensions as the user types them: counted from the end with a minus, or by a letter. A dimension's letter
// is the name of its size (B, T, H) where it has one, else the letter that it has in every view, else i, j, k … by
// its place. Used by the inspector's fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

class DimensionHues;
struct SizeNames;

// The array whose dimensions an attribute of an instruction counts; null: it counts none, or that input is open.
const Shape* arrayCounted(const Module& module, const Instruction& instruction, Attr name);

// A letter a dimension of the array that the attribute counts: as every view shows it, where that is known. Both may be
// null.
std::vector<std::string> dimensionLetters(const Module& module, const Instruction& instruction, Attr name,
                                          const SizeNames* names, const DimensionHues* hues = nullptr);
// The letter of a dimension whose size has no name.
std::string plainLetter(size_t dimension);

// What was typed with every word and negative number as HLO's number; other attributes' texts stay as they are. Fails
// with which dimensions there are.
Result<std::string> dimensionNumbers(const Module& module, const Instruction& instruction, Attr name,
                                     const std::string& typed, const SizeNames* names,
                                     const DimensionHues* hues = nullptr);

}  // namespace tessera
