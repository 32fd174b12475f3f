// The scope of what an edit makes: what stands between instructions of a scope belongs to it. Used by core/edit.
#pragma once

#include <span>
#include <string>

#include "core/hlo/module.h"

namespace tessera {

// The longest scope that all of them share that have one, with `name` in it; null: there is none.
const Metadata* sharedScope(const Module& module, std::span<const InstructionId> members, const std::string& name);

}  // namespace tessera
