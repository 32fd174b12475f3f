// Source functions as scopes: the functions of a stack frame, as names of groups, for programs whose op_names
// say nothing but jit(step)/jvp(). Read by scopes.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

class SourceFunctions {
 public:
  explicit SourceFunctions(const Module& module);
  // Outermost first, by their short names ("gpt", "blk", "attention"): without those that contain the whole program,
  // without lambdas and without functions that only pass calls on.
  std::vector<std::string> namesOf(const Metadata& metadata) const;

 private:
  const Module& module_;
  size_t shared_ = 0;  // outermost frames that contain all others
};

// The short name of the innermost function that has one; "": there is none.
std::string innermostFunction(const Module& module, const Metadata& metadata);

// "scale_by_adam.<locals>.update_fn" is scale_by_adam, "gpt.<locals>.blk" is blk, "Dense.__call__" is Dense; "": it has
// no name of its own.
std::string shortFunctionName(std::string_view qualified);

}  // namespace tessera
