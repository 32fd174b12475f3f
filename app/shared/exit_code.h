// Exit codes of both programs: a contract with scripts, in README.md.
#pragma once

#include "core/base/diagnostics.h"

namespace tessera {

enum ExitCode : int {
  kFine = 0,
  kNo = 1,             // the answer is no
  kInvalid = 2,        // does not parse, verify or compile
  kDiffers = 3,        // ran, values differ
  kUnsupported = 4,    // this backend cannot run it
  kFailedRunning = 5,  // memory, a custom call's error, cancelled
  kUsage = 64,
  kNoInput = 66,
  kNoOutput = 73,
};

// The text for man pages and manual.
struct ExitCodeText {
  ExitCode code;
  const char* text;
};
inline constexpr ExitCodeText kExitCodeTexts[] = {
    {kFine, "fine"},
    {kNo, "the answer is no"},
    {kInvalid, "does not parse, verify or compile"},
    {kDiffers, "ran, values differ"},
    {kUnsupported, "this backend cannot run it"},
    {kFailedRunning, "failed while running: memory, a custom call's error, cancelled"},
    {kUsage, "usage"},
    {kNoInput, "input cannot be opened or read"},
    {kNoOutput, "output cannot be written"},
};

inline ExitCode exitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Invalid: return kInvalid;
    case ErrorKind::Unsupported: return kUnsupported;
    case ErrorKind::Runtime: return kFailedRunning;
    case ErrorKind::Input: return kNoInput;
    case ErrorKind::Output: return kNoOutput;
    case ErrorKind::Usage: return kUsage;
  }
  return kInvalid;
}

}  // namespace tessera
