// A child process with a time limit, for `tessera reduce`.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::cli {

struct Ended {
  int exit = 0;  // 128 + signal when one ended it
  bool timedOut = false;
};
// Runs the program (looked up in PATH) with its output thrown away; after `seconds` it and its children are killed.
// Fault::Usage when it cannot be started.
Result<Ended> runProcess(const std::vector<std::string>& words, double seconds);

}  // namespace tessera::cli
