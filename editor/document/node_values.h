// Values made small enough to be painted on nodes, and the arguments that a document runs with. Before: Document's
// workers and core/evaluate's trace; after: the canvas.
#pragma once

#include <QString>
#include <unordered_map>
#include <vector>

#include "core/evaluate/argument_source.h"
#include "core/evaluate/trace.h"
#include "core/formats/run_settings.h"
#include "core/trust/file_access.h"
#include "editor/canvas/wire_hints.h"

namespace tessera {

using NodeValues = std::unordered_map<InstructionId, NodeValue>;

// Whether a module is small enough, by cost, to be evaluated after every edit.
bool isCheapToRun(const Module& module);
// Where values first hold NaN or an infinity (none of what they read does), the text says so; behind it, where from.
NodeValues nodeValues(const Module& module, const Trace& trace);
NodeValue nodeValue(const Literal& value);

// Entry arguments: what the settings say, else arrays of inputs.npz beside the file where their shapes fit, else the
// fill rule with the settings' seed. Fails when a source that was asked for cannot be had, or may not be used.
Result<std::vector<Literal>> argumentsOf(const Module& module, const FileAccess& files, const RunSettings& settings,
                                         size_t* fromFile);
// Any picture that Qt reads, but for SVG, which may name other files.
Result<Samples> decodePicture(std::string_view content, const std::string& name);

}  // namespace tessera
