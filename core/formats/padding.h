// Padding (padded_dimensions, padding_value) in HLO text, which has no form for it: a frontend attribute of ours that
// XLA carries along and ignores, tessera.padding="8,128=0" on an instruction ("{1}8,128=0 {2}4" for leaves of a tuple)
// and tessera.entry_padding="0: 8,128; result: 4" for the entry's layout. And what an export cannot carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// The value of tessera.padding; empty when no leaf has padding.
std::string paddingText(const Shape& shape);
// Sets the padding that the text states in the shape; fails when text or sizes do not fit it.
Status applyPadding(Shape& shape, std::string_view text);
// The same for the entry's layout.
std::string entryPaddingText(const ModuleConfig& config);

// frontend_attributes (with braces, or empty) with NAME="value" added; as they are when the value is empty.
std::string withFrontendAttribute(std::string_view braces, std::string_view name, std::string_view value);

// After reading: moves what the frontend attributes say about padding into the shapes. What does not fit is reported.
void adoptPadding(Module& module, Diagnostics& diagnostics);

enum class PaddingCarrier : uint8_t { HloText, Protobuf, None };
// Writing in this form loses these: one sentence each, "the padding of %x (8,128=0.5)"; at most 100.
std::vector<std::string> lostPadding(const Module& module, PaddingCarrier carrier);

}  // namespace tessera
