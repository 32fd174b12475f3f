// Values with run-time sizes in the evaluator: a buffer of the bounds and the sizes of its dimensions, kept together as
// a pair where the declared shape is an array; so tuples, loops and calls pass them on unchanged. Ops are run on
// the elements that count alone, with shapes inferred from their sizes. core/passes/dynamic/dynamic_padding does the
// same in another way, so each checks the other.
#pragma once

#include <span>
#include <vector>

#include "core/ops/op.h"

namespace tessera {

bool isDynamicValue(const Literal& value, const Shape& declared);
// Must evaluateDynamic run the instruction instead of its op's own `evaluate`?
bool needsDynamicEvaluation(const Instruction& instruction, std::span<const Literal> operands,
                            std::span<const Shape* const> shapes);
Result<Literal> evaluateDynamic(const OpDef& op, const EvaluateContext& context);

// May an array of this shape be given for a parameter? Dynamic dimensions take any size up to their bound.
bool takesArgument(const Shape& parameter, const Shape& given);
// The argument as the evaluator keeps it.
Result<Literal> dynamicArgument(const Literal& argument, const Shape& parameter);
// A result as it is reported: an array of the sizes that its dynamic dimensions have, of the bounds in all others.
Result<Literal> reportedValue(const Literal& value, const Shape& declared);
// The first elements along each dimension, and the opposite: those, surrounded by zeros up to the bounds.
Result<Literal> cutTo(const Literal& whole, std::span<const int64_t> sizes);
Result<Literal> padTo(const Literal& part, const Shape& whole);

}  // namespace tessera
