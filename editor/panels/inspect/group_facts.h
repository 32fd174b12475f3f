// What the inspector says about a group, as HTML: time and share, work, what goes in and out, the parameters that it
// reads, its parts and the costliest of them. Links are "instruction:ID".
#pragma once

#include <QString>

#include "core/overview/group_summary.h"

namespace tessera {

QString groupFacts(const Module& module, const GroupSummary& summary);

}  // namespace tessera
