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

// fail("message") makes the error side of any Result.
inline std::unexpected<Diagnostic> fail(Diagnostic diagnostic) { return std::unexpected(std::move(diagnostic)); }
inline std::unexpected<Diagnostic> fail(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  return std::unexpected(std::move(d));
}

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
