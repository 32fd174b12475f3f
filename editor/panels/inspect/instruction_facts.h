// What the inspector and tooltips say about an instruction, as HTML. Links are "instruction:ID" and "computation:ID".
#pragma once

#include <QPalette>
#include <QString>
#include <QStringList>
#include <span>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"
#include "core/profile/op_times.h"
#include "core/profile/profile.h"

namespace tessera {

// dimensions: their letters and sizes in their hues, as HTML; may be empty.
QString factsOf(const Module& module, InstructionId id, std::span<const InstructionId> users,
                std::span<const Diagnostic> diagnostics, const QString& dimensions = {});
// What it took in a run: time, share, rates, what the machine allows; empty: nothing is known of it. times: of the
// profile, with the spread, held against the machine's peaks where these are known; may be null. Where they are not,
// the link "peaks:" asks for them.
QString runFactsOf(const Profile& profile, const OpTimes* times, InstructionId id);
// Line and function that it comes from, and the nearest that is no library's; empty: not known.
QString sourceFactsOf(const Module& module, InstructionId id);
// In an optimised module: who asked for a copy, transpose, pad, convert or bitcast; what kept a fusion from growing.
// Empty: there is nothing to ask.
QString whyFactsOf(const Module& module, InstructionId id);
// Colours of the classes that the page uses: links, "muted" and "error".
QString factsStyle(const QPalette& palette);
QString tooltipOf(const Module& module, InstructionId id, const QString& dimensions = {});

}  // namespace tessera
