// While it exists, a crash of the calling thread reports on stderr whose code it was: a user's target runs in our
// process and may do anything. The process dies by the signal as before, and debuggers see it where it was. Stands
// below custom_call_library.
#pragma once

#include <memory>
#include <string>

#include <signal.h>

namespace tessera {

class CrashNotice {
 public:
  explicit CrashNotice(const std::string& what);  // "the custom call ..."; must outlive the notice
  ~CrashNotice();
  CrashNotice(const CrashNotice&) = delete;
  CrashNotice& operator=(const CrashNotice&) = delete;

 private:
  const std::string* before_;
  std::unique_ptr<char[]> stack_;  // for handlers: the thread's own may have run out
  stack_t stackBefore_{};
};

}  // namespace tessera
