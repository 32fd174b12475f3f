// See last_signal.h. The sentence is made beforehand: a signal handler may take no memory.
#include "backends/mpi/last_signal.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <span>

namespace tessera::mpi {
namespace {

constexpr int kFailedRunning = 5;  // the program's exit code of a run that failed
constexpr size_t kSize = 512;
char who[32] = "this rank", at[kSize];
bool asJson = false;

void say(int stream, const char* text) {
  const ssize_t written = ::write(stream, text, std::strlen(text));
  (void)written;
}

void sayAll(int stream, std::initializer_list<const char*> texts) {
  for (const char* text : texts) say(stream, text);
}

[[noreturn]] void endWith(const char* happened, const char* reason) {
  sayAll(STDERR_FILENO, {"error: ", who, happened, at, reason, "\n"});
  if (asJson)
    sayAll(STDOUT_FILENO, {"{\n  \"error\": {\n    \"message\": \"", who, happened, at, reason, "\"\n  }\n}\n"});
  ::_exit(kFailedRunning);
}

void onEnd(int) { endWith(" was ended from outside ", ": another rank has died, or the run was ended"); }
void onLimit(int) { endWith(" has waited for longer than the limit ", ": a rank has not come"); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void speakWhenEnded(int rank, bool json) {
  const std::string text = "rank " + std::to_string(rank);
  std::memcpy(who, text.c_str(), text.size() + 1);
  asJson = json && rank == 0;
  handle(SIGTERM, onEnd);
}

CallLimit::CallLimit(double seconds, const std::string& what) {
  nowAt(what);
  handle(SIGALRM, onLimit);
  ::alarm(static_cast<unsigned>(std::ceil(std::min(seconds, 1e8))));
}

CallLimit::~CallLimit() { ::alarm(0); }

void nowAt(const std::string& what) {
  const size_t length = std::min(kSize - 1, what.size());
  at[length] = '\0';
  std::memcpy(at, what.data(), length);
  for (char& c : std::span(at).first(length))
    if (c == '"' || c == '\\') c = '\'';
}

void endUndisturbed() { ::signal(SIGTERM, SIG_IGN); }

}  // namespace tessera::mpi
