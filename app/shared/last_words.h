// Ends that no caller catches: memory or threads that run out in a thread of a library or below a function that lets no
// exception out, and unexpected exceptions. These end with a sentence, too. Used by main of both programs.
#pragma once

namespace tessera {

struct LastWords {
  bool json = false;        // one object with the error on stdout, too
  const char* advice = "";  // printed behind the reason; must outlive the program
};
// From now on std::terminate ends so: without memory or threads with the exit code of a failed run, else with the
// exception's text and SIGABRT. A segmentation fault or an abort where there is no memory left ends
// so, too.
void endWithASentence(LastWords words);
// The same end, for a library that only prints that a thread could not be started.
[[noreturn]] void endWithoutThreads();

}  // namespace tessera
