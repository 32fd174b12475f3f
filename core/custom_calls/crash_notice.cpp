// See crash_notice.h. In the handler only what POSIX allows there: write, sigaction, strlen.
#include "core/custom_calls/crash_notice.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>

namespace tessera {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::array kWords = {"Segmentation fault", "Bus error", "Arithmetic error", "Illegal instruction", "Aborted"};
constexpr size_t kStackBytes = 64 << 10;

thread_local constinit const std::string* current = nullptr;
std::array<struct sigaction, kSignals.size()> previous;

void say(const char* text, size_t size) { (void)!::write(STDERR_FILENO, text, size); }
void say(const char* text) { say(text, std::strlen(text)); }

// The signal comes again when this returns, and finds the handler that was there before.
void onCrash(int signal) {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    if (current) {
      say("error: ");
      say(current->data(), current->size());
      say(" crashed: ");
      say(kWords[i]);
      say("\n");
    }
    ::sigaction(signal, &previous[i], nullptr);
    if (signal == SIGABRT) ::raise(signal);
  }
}

void install() {
  struct sigaction action {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &previous[i]);
}

}  // namespace

CrashNotice::CrashNotice(const std::string& what) : before_(current), stack_(new char[kStackBytes]) {
  static std::once_flag once;
  std::call_once(once, install);
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kStackBytes;
  ::sigaltstack(&stack, &stackBefore_);
  current = &what;
}

CrashNotice::~CrashNotice() {
  current = before_;
  ::sigaltstack(&stackBefore_, nullptr);
}

}  // namespace tessera
