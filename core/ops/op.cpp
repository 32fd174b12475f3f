// InferContext::violated: turns a broken constraint of an op into a Diagnostic whose label names it
// ("concatenate.C2") and whose text falls back to the constraint's own sentence. Called by every inferShape.
#include "core/ops/op.h"

namespace tessera {

namespace {

std::string_view constraintText(const OpDef* op, std::string_view label) {
  if (!op) return {};
  for (const Constraint& constraint : op->constraints) {
    if (constraint.label == label) return constraint.text;
  }
  return {};
}

}  // namespace

std::unexpected<Diagnostic> InferContext::violated(std::string_view label, std::string message, std::string expected,
                                                   std::string found) const {
  return fail({.message = message.empty() ? std::string(constraintText(op, label)) : std::move(message),
               .label = std::string(nameOf(opcode)) + "." + std::string(label),
               .expected = std::move(expected),
               .found = std::move(found)});
}

}  // namespace tessera
