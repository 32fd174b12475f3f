// A pass as changed lines of HLO text, before and after; renaming alone is no change. Used by `tessera passes --text`
// and the studio's panel of passes.
#pragma once

#include <string>
#include <vector>

#include "core/tools/passes/pass_changes.h"

namespace tessera {

struct PassLine {
  char sign = ' ';  // '+' and '-' as in a patch, '@' a computation, '.' lines that are left out
  std::string text;
  InstructionId id;  // of the module after; of '-' of the one before; invalid: none
};

// Changed lines with `context` unchanged ones round them, computation by computation; what is rewired alone counts.
std::vector<PassLine> passText(const Module& before, const Module& after, const PassChanges& changes,
                               size_t context = 2);

}  // namespace tessera
