// A run on several devices, with feeds, or with a library of custom calls: what the run settings ask for beyond one
// device by itself. Before: document_run.cpp; after: core/evaluate's replicas and the backends.
#pragma once

#include <QString>
#include <atomic>
#include <functional>

#include "core/formats/run_settings.h"
#include "editor/document/document.h"

namespace tessera {

bool wantsDevices(const Module& module, const RunSettings& settings);
// Outputs of all devices, one after the other; without a profile, which is of one device alone. What outfeeds gave goes
// to the settings' file.
Result<RunOutcome> runOnGrid(const Module& module, const FileAccess& files, const RunSettings& settings,
                             const std::atomic<bool>& cancel, const std::function<void(QString, double)>& progress);

}  // namespace tessera
