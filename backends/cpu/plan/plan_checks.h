// What the planner checks of an instruction before it makes a step. Used by plan_builder.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cpu {

// The error of an instruction that this backend cannot run.
std::unexpected<Diagnostic> unsupported(const Instruction& instruction, std::string why);
// What kernels assume of their arrays (codegen/alias_scopes.h). slots: of operands, then results.
Status checkAliasing(const Instruction& instruction, const LoopProgram& program, std::span<const int> slots);
// Cache lines that are evicted before they are read need not be fetched to be written; in place they were read.
// slots: of operands, then results.
bool usesNonTemporalStores(const LoopProgram& program, std::span<const int> slots, int64_t cacheBytes);
// A custom call whose target is the user's. library: null if there is none.
bool isUsersCall(const Instruction& instruction, const CustomCallLibrary* library);
// Ops without kernels that run by OpDef::evaluate.
bool runsByEvaluate(const OpDef& op);
// ErrorKind::Unsupported on the first instruction whose shape has dynamic dimensions.
Status checkStaticShapes(const Module& module);

}  // namespace tessera::cpu
