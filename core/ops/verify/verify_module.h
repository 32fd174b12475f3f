// The part of the verifier that looks at module facts: entry, entry layout, aliasing and donation.
#pragma once

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"

namespace tessera {

void verifyModuleFacts(const Module& module, Diagnostics& out);

}  // namespace tessera
