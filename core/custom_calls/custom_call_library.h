// A user's shared library of custom-call targets, and the call of one of them. Two ways to offer a target: a table in
// the words of tessera_custom_call.h, which knows shapes; or a function of the target's name with XLA's plain
// signatures:
//   API_VERSION_ORIGINAL                  void (void* out, const void** in)
//   API_VERSION_STATUS_RETURNING          void (void* out, const void** in, XlaCustomCallStatus*)
//   API_VERSION_STATUS_RETURNING_UNIFIED  void (void* out, const void** in, const char* opaque, size_t,
//   XlaCustomCallStatus*)
// out is the result's buffer, or an array of buffers for a tuple. A target is looked up in the library alone, never in
// what it depends on. Used by custom_calls.h and by runs of programs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ops/op.h"

namespace tessera {

class CustomCallLibrary {
 public:
  // Opens the file for as long as the object lives; ErrorKind::Input with the loader's words when that fails.
  static Result<std::shared_ptr<const CustomCallLibrary>> open(const std::string& path);
  // The same of a file that was read already: what was checked is what is loaded. The path is for messages; libraries
  // that it loads from its own folder ($ORIGIN) are not found.
  static Result<std::shared_ptr<const CustomCallLibrary>> openContent(const std::string& path,
                                                                      std::string_view content);
  virtual ~CustomCallLibrary() = default;
  virtual bool has(const std::string& target) const = 0;
  // Operands and results in the layouts of the instruction. What the target reports as a failure is ErrorKind::Runtime.
  virtual Result<Literal> call(const std::string& target, const EvaluateContext& context) const = 0;
};

}  // namespace tessera
