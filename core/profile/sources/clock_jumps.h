// Warnings of clocks that jumped, and of lines with a clock of their own. Used by the Recorder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile/busy_time.h"

namespace tessera {

// A stretch of a line, with the names that a warning needs.
struct LineStretch {
  BusyStretch busy;
  std::string_view event;  // the first one
  std::string_view line, where;
};

// One for each long pause of all lines together; of many the first few are told and the rest counted.
std::vector<std::string> clockJumpWarnings(const std::vector<LineStretch>& stretches);

}  // namespace tessera
