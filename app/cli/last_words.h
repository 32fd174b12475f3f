// Ends that no caller can catch: memory or threads that run out in a thread of a library, or below a function that lets
// no exception out. Also they end with a sentence and the exit code of a failed run. Used by main.
#pragma once

namespace tessera::cli {

// From now on std::terminate ends so; with `json`, one object with the error stands on stdout.
void endWithASentence(bool json);

}  // namespace tessera::cli
