// The scope of what an edit makes: what stands between instructions of a scope belongs to it. Used by core/edit.
#pragma once

#include <span>
#include <string>

#include "core/edit/edit.h"
#include "core/hlo/module.h"

namespace tessera {

// The longest scope that all of them share that have one, with `name` in it; null: there is none.
const Metadata* sharedScope(const Module& module, std::span<const InstructionId> members, const std::string& name);
// All that the edit adds belongs to the scope of these: of what it takes the place of, or of both ends of a wire.
void standAmong(Edit& edit, const std::vector<InstructionId>& members);

}  // namespace tessera
