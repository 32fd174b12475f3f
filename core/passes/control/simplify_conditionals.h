// Conditionals whose branch is known become that branch's instructions; small branches without effects are both
// computed and one is selected; results without readers, or that every branch takes from the same place, are dropped.
// Runs between two runs of the simplifier, which makes predicates constant.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplifyConditionals(Module& module);

}  // namespace tessera
