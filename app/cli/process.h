// A child process with a time limit, for `tessera reduce` and the linker of `tessera compile`.
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
// output: a file for what it prints; "": thrown away.
Result<Ended> runProcess(const std::vector<std::string>& words, double seconds, const std::string& output = {});

}  // namespace tessera::cli
