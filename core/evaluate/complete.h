// The part of an unfinished graph that can run: a module without what is open and without what needs it. Used by runs
// of a graph that is still being built.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct CompletePart {
  Module module;
  std::vector<std::string>
      outputs;  // names of what it gives; empty: the root is complete and gives what it always does
  std::vector<std::string> leftOut;  // names of the entry's instructions that are not in it, in its order
};

// All parameters of the entry stay. Where the root is not complete, the result is a tuple of the complete values that
// no complete one reads; parameters and constants count only where there is nothing else. Fails when nothing is
// complete.
Result<CompletePart> completeModule(const Module& module);

}  // namespace tessera
