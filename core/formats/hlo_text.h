// HLO text: reader and printer, by the grammar that XLA prints. Reading yields a Module and Diagnostics; unknown
// opcodes and attributes are kept; what cannot become a graph (truncation, undefined or doubly defined names) has no
// Module.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct ReadResult {
  std::optional<Module> module;
  Diagnostics diagnostics;
};
ReadResult readHloText(std::string_view text, const std::string& fileName = {});

// A single shape / literal / attribute value in HLO text, for the inspector, edits and the command line.
Result<Shape> parseShape(std::string_view text);
Result<Literal> parseLiteral(std::string_view text, const Shape& shape);
Result<AttributeValue> parseAttributeValue(const Module& module, Attr name, std::string_view text);

// Byte range of each instruction's line in the printed text, for the text panel.
struct PrintedRange {
  InstructionId instruction;
  size_t begin = 0, end = 0;
};
// XLA's long form with large constants in full; the file's order of computations and tables is kept.
std::string printHloText(const Module& module, std::vector<PrintedRange>* ranges = nullptr);
std::string printInstruction(const Module& module, InstructionId id);
std::string printAttributeValue(const Module& module, const AttributeValue& value, AttributeKind kind);
std::string printLiteral(const Literal& literal);  // the argument of constant(…)

}  // namespace tessera
