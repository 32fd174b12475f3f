// The goals of the CPU backend, each measured beside what it is held against.
#pragma once

#include <string>

#include "backends/backend.h"

namespace tessera::bench {

// A row a goal: what was measured, the goal, their ratio (1 and above: reached). About `seconds` a row. xla: command
// that runs a module with XLA (as vs_xla's); "": the row of the sort has no rival. Gives the number of rows that failed
// to run.
int printGoals(Backend& backend, double seconds, const std::string& xla);

}  // namespace tessera::bench
