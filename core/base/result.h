// Result<T>: a value or one Diagnostic. The only way an error leaves a function of ours.
// TESSERA_TRY propagates a failed Status; TESSERA_ASSIGN_OR_RETURN unwraps a value or propagates.
#pragma once

#include <expected>
#include <utility>

#include "core/base/diagnostics.h"

namespace tessera {

template <class T>
using Result = std::expected<T, Diagnostic>;
using Status = Result<void>;

// fail makes the error side of any Result: fail("message"), fail(ErrorKind::Usage, "message"), or an aggregate that
// names the fields it fills: fail({.message = "…", .expected = "…", .found = "…"}).
inline std::unexpected<Diagnostic> fail(Diagnostic diagnostic) { return std::unexpected(std::move(diagnostic)); }
inline std::unexpected<Diagnostic> fail(std::string message) {
  return std::unexpected(Diagnostic{.message = std::move(message)});
}
inline std::unexpected<Diagnostic> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Diagnostic{.kind = kind, .message = std::move(message)});
}
inline std::unexpected<Diagnostic> failUnsupported(std::string message) {
  return fail(ErrorKind::Unsupported, std::move(message));
}
// The one way to say that the user cancelled: every long loop that polls a cancel flag ends with it.
inline std::unexpected<Diagnostic> failCancelled() { return fail(ErrorKind::Runtime, "cancelled"); }

}  // namespace tessera

#define TESSERA_CONCAT_(a, b) a##b
#define TESSERA_CONCAT(a, b) TESSERA_CONCAT_(a, b)
#define TESSERA_TRY(expr)                                                                                      \
  do {                                                                                                         \
    if (auto tesseraStatus = (expr); !tesseraStatus) return std::unexpected(std::move(tesseraStatus).error()); \
  } while (0)
#define TESSERA_ASSIGN_OR_RETURN_(tmp, decl, expr)          \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
#define TESSERA_ASSIGN_OR_RETURN(decl, expr) TESSERA_ASSIGN_OR_RETURN_(TESSERA_CONCAT(tesseraTmp, __LINE__), decl, expr)
