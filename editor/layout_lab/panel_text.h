// Text in and out of the layout panel's fields.
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/shape.h"
#include "editor/layout_lab/layout_model.h"

namespace tessera {

// "message: expected X, found Y", while a field is typed in.
QString describe(const Diagnostic& diagnostic);
// "{1,0} f32[2]" in the list of a tuple's leaves.
QString leafTitle(const std::vector<int64_t>& index, const Shape& shape);
QString sizesText(const std::vector<int64_t>& sizes);
// What the layout does, in a sentence; of small arrays with what memory holds: "… Memory holds a d b e c f."
QString layoutSentence(const LayoutModel& model);
// "3,5"; nullopt for text that is no list of numbers, and for "".
std::optional<std::vector<int64_t>> parseSizes(std::string_view text);
// padded_dimensions for a shape; empty text: none. The error says what fits.
Result<std::vector<int64_t>> readPadding(const QString& text, const Shape& shape);
Result<std::optional<double>> readPaddingValue(const QString& text);

}  // namespace tessera
