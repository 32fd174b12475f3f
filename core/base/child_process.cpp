// posix_spawn in a process group of its own, so that a time limit reaches a shell's children too. The terminal's
// interrupts do not reach such a group: they are caught here and passed on.
#include "core/base/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

extern char** environ;

namespace tessera {
namespace {

Result<pid_t> start(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.empty() ? "/dev/null" : output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t group;
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&group, 0);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &files, &group, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&group);
  if (error == 0) return pid;
  return fail(ErrorKind::Usage, words[0] + " cannot be started: " + std::strerror(error));
}

volatile std::sig_atomic_t interruptedBy = 0;
bool watching = false;
void noteInterrupt(int signal) { interruptedBy = signal; }

std::unexpected<Diagnostic> interrupted() {
  return fail(ErrorKind::Runtime, std::string("it was interrupted (") + ::strsignal(interruptedBy) + ")");
}

// Hands the signal on; what does not end by it is killed.
void interrupt(pid_t group) {
  constexpr int kTries = 100;
  constexpr auto kPause = std::chrono::milliseconds(20);
  ::kill(-group, interruptedBy);
  for (int i = 0; i < kTries && ::waitpid(group, nullptr, WNOHANG) == 0; ++i) std::this_thread::sleep_for(kPause);
  ::kill(-group, SIGKILL);
  ::waitpid(group, nullptr, 0);
}

}  // namespace

InterruptsForChildren::InterruptsForChildren() : outermost_(!watching) {
  if (!outermost_) return;
  watching = true;
  interruptedBy = 0;
  struct sigaction action {};
  action.sa_handler = noteInterrupt;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptsForChildren::~InterruptsForChildren() {
  if (!outermost_) return;
  watching = false;
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

Result<Ended> runProcess(const std::vector<std::string>& words, double seconds, const std::string& output) {
  using Clock = std::chrono::steady_clock;
  const InterruptsForChildren interrupts;
  if (interruptedBy) return interrupted();
  TESSERA_ASSIGN_OR_RETURN(const pid_t pid, start(words, output));
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::microseconds(500);
  constexpr auto kLongestPause = std::chrono::microseconds(20'000);
  Ended out;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (interruptedBy) return interrupt(pid), interrupted();
    if (Clock::now() >= end) {
      out.timedOut = true;
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace tessera
