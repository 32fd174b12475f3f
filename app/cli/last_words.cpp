// See last_words.h. Nothing here takes memory: there may be none.
#include "app/cli/last_words.h"

#include <unistd.h>

#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "app/cli/command.h"

namespace tessera::cli {
namespace {

bool asksForJson = false;

void say(int stream, const char* text) {
  const ssize_t written = ::write(stream, text, std::strlen(text));
  (void)written;
}

[[noreturn]] void endFor(const char* reason) {
  say(STDERR_FILENO, "error: ");
  say(STDERR_FILENO, reason);
  say(STDERR_FILENO, "\n");
  if (asksForJson) {
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
    endFor("the system gives no more threads");
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void endWithASentence(bool json) {
  asksForJson = json;
  std::set_terminate(lastWords);
}

}  // namespace tessera::cli
