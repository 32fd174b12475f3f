// A child process with a time limit, for `tessera reduce` and the linker of `tessera compile`.
#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct Ended {
  int exit = 0;  // 128 + signal when one ended it
  bool timedOut = false;
};
// While it lives, SIGINT, SIGTERM and SIGHUP end the child that runs instead of this process: runProcess then fails as
// interrupted, and what its caller has made (folders for candidates) is removed. May be nested.
class InterruptsForChildren {
 public:
  InterruptsForChildren();
  ~InterruptsForChildren();
  InterruptsForChildren(const InterruptsForChildren&) = delete;
  InterruptsForChildren& operator=(const InterruptsForChildren&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  bool outermost_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Runs the program (looked up in PATH) with its output thrown away; after `seconds` it and its children are killed.
// ErrorKind::Usage when it cannot be started, ErrorKind::Runtime when an interrupt ended it.
// output: a file for what it prints, made where it is not there; "": thrown away.
Result<Ended> runProcess(const std::vector<std::string>& words, double seconds, const std::string& output = {});

}  // namespace tessera
