// Calls of XLA's typed foreign functions in a user's library: the call frame, and what a handler may ask of us (errors,
// state between its stages, memory, a pool of one thread, futures). Used by custom_call_library.cpp.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/custom_calls/xla_ffi_abi.h"

namespace tessera {

// Handlers that a library registers by itself while it is loaded, by name.
using FfiRegistrations = std::map<std::string, FfiBundle, std::less<>>;

// While it lives, what libraries register on this thread goes to `into`.
class FfiRegistrationScope {
 public:
  explicit FfiRegistrationScope(FfiRegistrations& into);
  ~FfiRegistrationScope();
  FfiRegistrationScope(const FfiRegistrationScope&) = delete;
  FfiRegistrationScope& operator=(const FfiRegistrationScope&) = delete;
};

// All stages of one call, execution last. ErrorKind::Runtime with the handler's message when it fails,
// ErrorKind::Unsupported when it was compiled against another major version.
Status callFfi(const FfiBundle& bundle, const std::string& target, std::span<FfiBuffer> arguments,
               std::span<FfiBuffer> results, const std::string& config);

}  // namespace tessera
