// The lines that profilers recorded as a Timeline: names, tracks of all hosts on one clock, flows from calls to the
// work that they started. Used by matching.
#pragma once

#include <memory>
#include <vector>

#include "core/profile/sources/recorded.h"
#include "core/profile/timeline.h"

namespace tessera {

// Null where no file kept its lines.
std::shared_ptr<Timeline> recordedTimeline(const std::vector<Recorded>& files);

}  // namespace tessera
