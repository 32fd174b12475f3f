// What dot, ragged-dot and scaled-dot have in common: the rows of their dimension numbers, the checks of these and the
// dimensions that a result takes from an operand. Labels: C2 to C4 of each of the three. The rows of precision are
// convolution's as well.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/element/element_program.h"
#include "core/hlo/index_math.h"
#include "core/ops/op.h"

namespace tessera {

inline constexpr AttributeRow kLhsBatchRow = {Attr::lhs_batch_dims, false, "{}",
                                              "dimensions of lhs that are matched with rhs_batch_dims and kept"};
inline constexpr AttributeRow kLhsContractingRow = {Attr::lhs_contracting_dims, false, "{}",
                                                    "dimensions of lhs that are summed over"};
inline constexpr AttributeRow kRhsBatchRow = {Attr::rhs_batch_dims, false, "{}",
                                              "dimensions of rhs that are matched with lhs_batch_dims and kept"};
inline constexpr AttributeRow kRhsContractingRow = {Attr::rhs_contracting_dims, false, "{}",
                                                    "dimensions of rhs that are summed over"};
inline constexpr AttributeRow kOperandPrecisionRow = {Attr::operand_precision, false, "{default,default}",
                                                      "precision of each operand",
                                                      "default high highest packed_nibble"};
inline constexpr AttributeRow kAlgorithmRow = {
    Attr::algorithm, false, "", "precision algorithm by name",
    "dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 dot_f16_f16_f32 dot_bf16_bf16_bf16 "
    "dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 dot_bf16_bf16_f32_x6 dot_bf16_bf16_f32_x9 dot_tf32_tf32_f32 "
    "dot_tf32_tf32_f32_x3 dot_f32_f32_f32 dot_f64_f64_f64"};

inline constexpr Constraint kBatchesPairUp = {
    "C3", "lhs and rhs have equally many batch dimensions, of equal sizes pair by pair."};
inline constexpr Constraint kContractionsPairUp = {
    "C4", "lhs and rhs have equally many contracting dimensions, of equal sizes pair by pair."};

// The lists together name dimensions of operand 0 (lhs) or 1 (rhs), each once; label C2.
Status checkNamedOnce(const InferContext& context, size_t operand, std::initializer_list<const IndexVector*> lists);
// left[i] of lhs and right[i] of rhs have equal sizes. `kind` is what they are called: "batch".
Status checkDimensionPairs(const InferContext& context, std::string_view label, std::string_view kind,
                           const IndexVector& left, const IndexVector& right);
// Adds dimensions of an operand to the result.
void appendDimensions(Shape& out, const Shape& source, const IndexVector& dims);

// at[dims[i]] = values[i]: indices into an operand. `values` may be longer.
void setIndices(std::vector<NodeId>& at, const IndexVector& dims, std::span<const NodeId> values);

// Batch dimensions, then the free ones of lhs, then of rhs, from result dimension `next` on; what is summed over
// agrees.
void relateProduct(DimensionRelations& out, const InferContext& context, size_t next = 0,
                   const IndexVector& rhsHidden = {});

}  // namespace tessera
