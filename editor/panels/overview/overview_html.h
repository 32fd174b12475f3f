// Facts and findings of a report as HTML, with links "instruction:ID". Used by the overview panel.
#pragma once

#include <QString>

#include "editor/document/module_overview.h"

namespace tessera {

QString factsHtml(const ModuleReport& report);
// The costliest ones; a link "findings:" leads to all.
QString findingsHtml(const ModuleReport& report);
// "4.20 MB moved (estimated)", "1.20 ms measured".
QString numberOf(const Finding& finding);
// "jit_step · before optimization · 212 instructions · 1.20 G flops · 3.40 MB in, 640 B out · 2 findings".
QString lineOf(const ModuleReport& report);

}  // namespace tessera
