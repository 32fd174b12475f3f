// What the inspector and tooltips say about an instruction, as HTML. Links are "instruction:ID" and "computation:ID".
#pragma once

#include <QPalette>
#include <QString>
#include <QStringList>
#include <span>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"

namespace tessera {

// sizeNames: by dimension; empty: none has a name.
QString factsOf(const Module& module, InstructionId id, std::span<const InstructionId> users,
                std::span<const Diagnostic> diagnostics, const QStringList& sizeNames = {});
// Colours of the classes that the page uses: links, "muted" and "error".
QString factsStyle(const QPalette& palette);
QString tooltipOf(const Module& module, InstructionId id);

}  // namespace tessera
