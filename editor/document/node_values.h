// Values reduced to what is painted on a node, and the arguments that a document runs with. Made by Document's workers
// from core/evaluate's trace; used by the canvas.
#pragma once

#include <QString>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/evaluate/argument_rules.h"
#include "core/evaluate/feed_arrays.h"
#include "core/evaluate/trace.h"
#include "core/formats/run_settings.h"
#include "core/trust/file_access.h"
#include "editor/canvas/node_value.h"

namespace tessera {

class CustomCallLibrary;  // core/custom_calls/custom_call_library.h

using NodeValues = std::unordered_map<InstructionId, NodeValue>;
using Faults = std::map<InstructionId, QString>;

// Whether a module is small enough, by cost, to be evaluated after every edit.
bool isCheapToRun(const Module& module);
// Whether a file that was just read shows values: it is right, and cheap to run.
bool startsLive(Module module);
// Where values first hold NaN or an infinity (none of what they read does), the text says so; behind it, where from.
NodeValues nodeValues(const Module& module, const Trace& trace);
NodeValue nodeValue(const Literal& value);
// Why there is no value; for a node, which has little room, files by their names alone.
QString reasonOf(const Diagnostic& error);
QString briefly(const QString& reason);

// Entry arguments of a run on one device, as the settings say; files are read as far as they may be. Before each one
// `cancel` is asked.
Result<std::vector<Literal>> argumentsOf(const Module& module, const FileAccess& files, const RunSettings& settings,
                                         const std::atomic<bool>& cancel);
// The same without those that cannot be made.
Result<PossibleArguments> possibleArgumentsOf(const Module& module, const FileAccess& files,
                                              const RunSettings& settings, const std::atomic<bool>& cancel);
// What its infeeds read, of the file that the settings name, and its outfeeds give to, which nobody keeps; none: it has
// neither.
std::optional<FeedArrays> feedsOf(const Module& module, const FileAccess& files, const RunSettings& settings);
// The user's targets of custom calls, of the library that the settings name; where it cannot be had, they fail with the
// reason. Null: the module calls built-in targets alone, or the settings name no library.
std::shared_ptr<const CustomCallLibrary> targetsOf(const Module& module, const FileAccess& files,
                                                   const RunSettings& settings);
// Any picture that Qt reads, but for SVG, which may name other files.
Result<Samples> decodePicture(std::string_view content, const std::string& name);

}  // namespace tessera
