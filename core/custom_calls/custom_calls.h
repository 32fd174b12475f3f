// What the targets of custom-call mean. Built in are annotations of partitioners and schedulers (they hand their value
// on), the borders of manual regions (cut and joined between devices), TopK, XLA's matrix decompositions and jaxlib's
// targets for LAPACK and cuSOLVER; a user's library goes before all of them. Used by core/evaluate and the backends.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/ops/op.h"

namespace tessera {

class CustomCallLibrary;  // custom_call_library.h

using CustomCallFunction = Result<Literal> (*)(const EvaluateContext& context);

struct CustomCallTarget {
  std::string_view name;
  CustomCallFunction run;
};

// The groups of built-in targets, a file each.
std::span<const CustomCallTarget> annotationTargets();
std::span<const CustomCallTarget> manualRegionTargets();
std::span<const CustomCallTarget> bufferTargets();
std::span<const CustomCallTarget> lapackTargets();
std::span<const CustomCallTarget> cudaTargets();
std::span<const CustomCallTarget> decompositionTargets();
std::span<const CustomCallTarget> arrayTargets();

// Null: there is no such built-in.
CustomCallFunction findBuiltInTarget(std::string_view name);
// ErrorKind::Unsupported, naming the target, when neither the library (may be null) nor a built-in has it.
Status checkTarget(const Instruction& instruction, const CustomCallLibrary* library);
// The same for every custom call that the entry reaches.
Status checkTargets(const Module& module, const CustomCallLibrary* library);
Result<Literal> runCustomCall(const EvaluateContext& context);

}  // namespace tessera
