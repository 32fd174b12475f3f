// Checks and sentences that the shape inference of many ops shares: operand counts, equal dimensions, attribute
// access. Each failure is a labelled Diagnostic made by InferContext::violated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ops/op.h"

namespace tessera {

// Exactly `count` operands (negative: at least -count), every one an array with known dimensions or "?".
// Labels: "operands" for the count, "arrays" for a tuple, token or opaque.
Status checkArrayOperands(const InferContext& context, int count);
// All operands are arrays of the first one's dimensions, and there is at least one; `label` names the constraint.
Status checkEqualDimensions(const InferContext& context, std::string_view label);
// The operands of a reduction, N inputs and N initial values. "C1": as many of each, at least one; "C2": the inputs are
// arrays of equal dimensions; "C3": each initial value is a scalar of its input's type but for precision. Gives N.
Result<size_t> checkReductionOperands(const InferContext& context);

// The written shape where an op cannot infer its result without it; label "shape" when absent or no array.
Result<const Shape*> requireWrittenArray(const InferContext& context);
// An attribute's value; label "attributes", naming it, when it is absent.
Result<const std::vector<int64_t>*> requireInts(const InferContext& context, Attr name);

// The rule for types that must agree: equal, or both floats of whatever width ("ignoring float precision").
bool sameButPrecision(ElementType a, ElementType b);
// The type that holds all values of both: a complex one beside a real one, a float beside an integer, the wider of two;
// f32 for small floats that differ.
ElementType widerType(ElementType a, ElementType b);
// Numbers that can be multiplied with each other: any, real or complex.
bool multiplicable(ElementType a, ElementType b);

bool sameDimensions(const Shape& a, const Shape& b);
// Array without layout with `type` and the dimensions of `like`; a dimension is dynamic when it is in any operand of
// the same dimensions.
Shape elementwiseShape(const InferContext& context, const Shape& like, ElementType type);
// The shape of a type and dims without layout; dynamic flags dropped when all false.
Shape arrayOf(ElementType type, std::vector<int64_t> dims, std::vector<bool> dynamic = {});
// "{0,2,1}"
std::string listOf(const std::vector<int64_t>& values);

// inferLayout of elementwise ops: the dimension order of the first operand that has the result's rank.
void followOperandLayout(const InferContext& context, Shape& result);

}  // namespace tessera
