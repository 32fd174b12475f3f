// Preconditions of an op's inference: operands present and as many as the arity says,
// required attributes there, callees there. And diagnostics placed at an instruction.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

Diagnostic diagnosticAt(const Instruction& instruction, std::string message, std::string label = {},
                        std::string expected = {}, std::string found = {});
Diagnostic cycleDiagnostic(const Module& module, ComputationId computation, Diagnostic diagnostic);

Status checkOperands(const Module& module, const Instruction& instruction);
Status checkAttributes(const Module& module, const Instruction& instruction);

}  // namespace tessera
