// See last_words.h. Nothing here takes memory: there may be none.
#include "app/shared/last_words.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>

#include "app/shared/exit_code.h"

namespace tessera {
namespace {

LastWords last;
constexpr int kCrashes[] = {SIGSEGV, SIGABRT};
struct sigaction crashBefore[std::size(kCrashes)];  // what stood there: the system's end, or a sanitizer's

void say(int stream, const char* text) {
  const ssize_t written = ::write(stream, text, std::strlen(text));
  (void)written;
}

void sayOnStderr(const char* what, const char* reason) {
  for (const char* text : {"error: ", what, reason, last.advice, "\n"}) say(STDERR_FILENO, text);
}

[[noreturn]] void endFor(const char* reason) {
  sayOnStderr("", reason);
  if (last.json) {
    say(STDOUT_FILENO, "{\n  \"error\": {\n    \"message\": \"");
    say(STDOUT_FILENO, reason);
    say(STDOUT_FILENO, "\"\n  }\n}\n");
  }
  ::_exit(kFailedRunning);
}

[[noreturn]] void lastWords() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    endFor("not enough memory");
  } catch (const std::system_error&) {
    endWithoutThreads();
  } catch (const std::exception& error) {
    sayOnStderr("internal error: ", error.what());
  } catch (...) {
    sayOnStderr("internal error", "");
  }
  std::abort();
}

// Libraries such as Qt use what malloc gave them without a look at it, GLib aborts. A crash while the system gives no
// memory is taken for that; any other one happens again, with what stood there before.
void onCrash(int) {
  constexpr size_t kLittle = size_t{16} << 20;
  void* memory = ::mmap(nullptr, kLittle, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) endFor("not enough memory");
  ::munmap(memory, kLittle);
  for (size_t i = 0; i < std::size(kCrashes); ++i) ::sigaction(kCrashes[i], &crashBefore[i], nullptr);
}

}  // namespace

void endWithoutThreads() { endFor("the system gives no more threads"); }

void endWithASentence(LastWords words) {
  last = words;
  std::set_terminate(lastWords);
  struct sigaction action {};
  action.sa_handler = onCrash;
  for (size_t i = 0; i < std::size(kCrashes); ++i) ::sigaction(kCrashes[i], &action, &crashBefore[i]);
}

}  // namespace tessera
