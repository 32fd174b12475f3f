// The values of a module's entry, instruction by instruction, made small enough to be painted on nodes. Runs what is
// complete of an unfinished graph. Before: Document's workers; after: the reference evaluator.
#pragma once

#include <QString>
#include <atomic>
#include <unordered_map>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "editor/canvas/wire_hints.h"

namespace tessera {

using NodeValues = std::unordered_map<InstructionId, NodeValue>;

// Whether a module is small enough, by cost, to be evaluated after every edit.
bool isCheapToRun(const Module& module);
// Instructions of the entry that have all they need and whose shapes agree, in order.
std::vector<InstructionId> completePart(const Module& module);
// `path` is where inputs.npz may lie. Fails with what the evaluator says.
Result<NodeValues> nodeValues(const Module& module, const QString& path, const std::atomic<bool>& cancel);
NodeValue nodeValue(const Literal& value);

// Entry arguments: arrays of inputs.npz beside the file where their shapes fit, the rest by the fill rule.
Result<std::vector<Literal>> argumentsOf(const Module& module, const QString& path, size_t* fromFile);

}  // namespace tessera
