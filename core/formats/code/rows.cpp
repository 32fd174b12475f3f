// See rows.h. Names with a capital and no "xla::" in C++, and snake_case ones without "lax." in Python, are functions
// of the preludes that precede the program. Scalar functions bring their own forms (scalar_functions.inc).
#include "core/formats/code/rows.h"

#include <algorithm>

namespace tessera::code {
namespace {

constexpr Row kCodeRows[] = {
#define FORMS(stablehlo, xla, jax) xla, jax
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, approximation, forms, ...) \
  {Opcode::opcode, forms},
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                forms, ...)                                                                        \
  {Opcode::opcode, forms},
#include "core/element/scalar_functions.inc"

    {Opcode::Compare, "xla::{comparison}({0}, {1})", "{comparison}({0}, {1})"},
    {Opcode::Clamp, "xla::Clamp({0}, {1}, {2})", "lax.clamp({0}, {1}, {2})"},
    {Opcode::Select, "xla::Select({0}, {1}, {2})", "lax.select({0}, {1}, {2})"},
    {Opcode::Convert, "xla::ConvertElementType({0}, {type})", "lax.convert_element_type({0}, {type})"},
    {Opcode::BitcastConvert, "xla::BitcastConvertType({0}, {type})", "lax.bitcast_convert_type({0}, {type})"},
    {Opcode::ReducePrecision, "xla::ReducePrecision({0}, {exponent_bits}, {mantissa_bits})",
     "lax.reduce_precision({0}, {exponent_bits}, {mantissa_bits})"},

    {Opcode::Broadcast, "xla::BroadcastInDim({0}, {sizes}, {dimensions})", "broadcast({0}, {sizes}, {dimensions})"},
    {Opcode::Concatenate, "xla::ConcatInDim(&b, {operands}, {dimension})", "lax.concatenate({operands}, {dimension})"},
    {Opcode::Copy, "xla::Copy({0})", "{0}"},
    {Opcode::Domain, "", "{0}"},
    {Opcode::DynamicSlice, "xla::DynamicSlice({0}, {rest.1}, {dynamic_slice_sizes})",
     "lax.dynamic_slice({0}, {rest.1}, {dynamic_slice_sizes}, allow_negative_indices=False)"},
    {Opcode::DynamicUpdateSlice, "xla::DynamicUpdateSlice({0}, {1}, {rest.2})",
     "lax.dynamic_update_slice({0}, {1}, {rest.2}, allow_negative_indices=False)"},
    {Opcode::Gather,
     "xla::Gather({0}, {1}, GatherDims({offset_dims}, {collapsed_slice_dims}, {start_index_map}, "
     "{operand_batching_dims}, {start_indices_batching_dims}, {index_vector_dim}), {slice_sizes}, "
     "{indices_are_sorted})",
     "gather({0}, {1}, {offset_dims}, {collapsed_slice_dims}, {start_index_map}, {operand_batching_dims}, "
     "{start_indices_batching_dims}, {index_vector_dim}, {slice_sizes}, {indices_are_sorted})"},
    {Opcode::Iota, "xla::Iota(&b, {shape}, {iota_dimension})",
     "lax.broadcasted_iota({type}, {sizes}, {iota_dimension})"},
    {Opcode::Pad, "xla::Pad({0}, {1}, {padding})", "lax.pad({0}, {1}, {padding})"},
    {Opcode::Reshape, "xla::Reshape({0}, {sizes})", "lax.reshape({0}, {sizes})"},
    {Opcode::Reverse, "xla::Rev({0}, {dimensions})", "lax.rev({0}, {dimensions})"},
    {Opcode::Slice, "xla::Slice({0}, {slice.starts}, {slice.limits}, {slice.strides})",
     "lax.slice({0}, {slice.starts}, {slice.limits}, {slice.strides})"},
    {Opcode::Transpose, "xla::Transpose({0}, {dimensions})", "lax.transpose({0}, {dimensions})"},
    {Opcode::GetDimensionSize, "xla::GetDimensionSize({0}, {dimension})", "np.int32({0}.shape[{dimension}])"},
    {Opcode::SetDimensionSize, "xla::SetDimensionSize({0}, {1}, {dimension})", ""},
    {Opcode::Scatter,
     "xla::Scatter({first.half}, {1}, {last.half}, {to_apply}, ScatterDims({update_window_dims}, "
     "{inserted_window_dims}, {scatter_dims_to_operand_dims}, {input_batching_dims}, {scatter_indices_batching_dims}, "
     "{index_vector_dim}), {indices_are_sorted}, {unique_indices})",
     "scatter({first.half}, {scatter.indices}, {last.half}, {to_apply}, {update_window_dims}, {inserted_window_dims}, "
     "{scatter_dims_to_operand_dims}, {input_batching_dims}, {scatter_indices_batching_dims}, {index_vector_dim}, "
     "{indices_are_sorted}, {unique_indices})"},
    {Opcode::Scan, "",
     "scan({operands}, {to_apply}, {dimension}, {num_carries}, {is_reverse}, {scan.steps}, {is.tuple})"},
    {Opcode::Sort, "xla::Sort({operands}, {to_apply}, {dimension}, {is_stable})",
     "sort({operands}, {to_apply}, {dimension})"},
    {Opcode::Topk, "xla::TopK({0}, {k}, {largest})", "top_k({0}, {k}, {largest})"},

    {Opcode::Map, "xla::Map(&b, {operands}, {to_apply}, {all.dimensions})", "apply_map({to_apply}, {*})"},
    {Opcode::Reduce, "xla::Reduce(&b, {first.half}, {last.half}, {to_apply}, {reduced})",
     "reduce({first.half}, {last.half}, {to_apply}, {reduced})"},
    {Opcode::ReduceWindow,
     "xla::ReduceWindowWithGeneralPadding({first.half}, {last.half}, {to_apply}, {window.size}, {window.stride}, "
     "{window.lhs_dilate}, {window.rhs_dilate}, {window.pad})",
     "reduce_window({first.half}, {last.half}, {to_apply}, {window.size}, {window.stride}, {window.pad}, "
     "{window.lhs_dilate}, {window.rhs_dilate})"},
    {Opcode::SelectAndScatter,
     "xla::SelectAndScatterWithGeneralPadding({0}, {select}, {window.size}, {window.stride}, {window.pad}, {1}, {2}, "
     "{scatter})",
     "select_and_scatter({0}, {1}, {2}, {select}, {scatter}, {window.size}, {window.stride}, {window.pad})"},
    {Opcode::BatchNormInference, "xla::BatchNormInference({0}, {1}, {2}, {3}, {4}, {epsilon}, {feature_index})",
     "batch_norm_inference({*}, {epsilon}, {feature_index})"},
    {Opcode::BatchNormTraining, "xla::BatchNormTraining({0}, {1}, {2}, {epsilon}, {feature_index})",
     "batch_norm_training({*}, {epsilon}, {feature_index})"},
    {Opcode::BatchNormGrad, "xla::BatchNormGrad({0}, {1}, {2}, {3}, {4}, {epsilon}, {feature_index})",
     "batch_norm_grad({*}, {epsilon}, {feature_index})"},

    {Opcode::Dot,
     "xla::DotGeneral({0}, {1}, DotDims({lhs_contracting_dims}, {rhs_contracting_dims}, {lhs_batch_dims}, "
     "{rhs_batch_dims}), {precision}, {type})",
     "lax.dot_general({0}, {1}, (({lhs_contracting_dims}, {rhs_contracting_dims}), ({lhs_batch_dims}, "
     "{rhs_batch_dims})), precision={precision}, preferred_element_type={type})"},
    {Opcode::RaggedDot, "",
     "lax.ragged_dot_general({0}, {1}, {2}, lax.RaggedDotDimensionNumbers((({lhs_contracting_dims}, "
     "{rhs_contracting_dims}), ({lhs_batch_dims}, {rhs_batch_dims})), {lhs_ragged_dims}, {rhs_group_dims}), "
     "precision={precision}, preferred_element_type={type})"},
    {Opcode::ScaledDot, "",
     "scaled_dot({*}, (({lhs_contracting_dims}, {rhs_contracting_dims}), ({lhs_batch_dims}, {rhs_batch_dims})), "
     "{type})"},
    {Opcode::Convolution,
     "xla::ConvGeneralDilated({0}, {1}, {window.stride}, {window.pad}, {window.lhs_dilate}, {window.rhs_dilate}, "
     "ConvDims({conv.lhs}, {conv.rhs}, {conv.out}), {feature_group_count}, {batch_group_count}, {precision}, {type}, "
     "{window.reversal})",
     "lax.conv_general_dilated({0}, {conv.kernel}, {window.stride}, {window.pad}, {window.lhs_dilate}, "
     "{window.rhs_dilate}, lax.ConvDimensionNumbers({conv.lhs}, {conv.rhs}, {conv.out}), {feature_group_count}, "
     "{batch_group_count}, precision={precision}, preferred_element_type={type})"},
    {Opcode::Fft, "xla::Fft({0}, xla::FftType::{fft_type}, {fft_length})",
     "lax.fft({0}, lax.FftType.{fft_type}, {fft_length})"},
    {Opcode::Cholesky, "xla::Cholesky({0}, {lower})", "cholesky({0}, {lower})"},
    {Opcode::TriangularSolve,
     "xla::TriangularSolve({0}, {1}, {left_side}, {lower}, {unit_diagonal}, "
     "xla::TriangularSolveOptions::{transpose_a})",
     "lax.linalg.triangular_solve({0}, {1}, left_side={left_side}, lower={lower}, unit_diagonal={unit_diagonal}, "
     "{transpose})"},

    {Opcode::Tuple, "xla::Tuple(&b, {operands})", "{operands}"},
    {Opcode::GetTupleElement, "xla::GetTupleElement({0}, {index})", "{0}[{index}]"},
    {Opcode::Call, "xla::Call(&b, {to_apply}, {operands})", "{to_apply}({*})"},
    {Opcode::Fusion, "", "{calls}({*})"},
    {Opcode::While, "xla::While({condition}, {body}, {0})", "lax.while_loop({condition}, {body}, {0})"},
    {Opcode::Conditional, "xla::Conditional({0}, {branches})", "conditional({0}, {branches})"},
    {Opcode::OptBarrier, "xla::OptimizationBarrier({0})", "lax.optimization_barrier({0})"},
    {Opcode::AfterAll, "xla::AfterAll(&b, {operands})", "None"},
    {Opcode::AddDependency, "", "{0}"},
    {Opcode::RngBitGenerator, "xla::RngBitGenerator(xla::RandomAlgorithm::{algorithm.upper}, {0}, {shape.1})",
     "random_bits({0}, {sizes.1}, {type.1}, \"{algorithm}\")"},
    {Opcode::Rng, "xla::{distribution.upper}({0}, {1}, {shape})", "rng(\"{distribution}\", {0}, {1}, {sizes})"},
    {Opcode::CustomCall, "xla::CustomCall(&b, {target}, {operands}, {shape}, {opaque})",
     "custom_call({target}, {operands}, {result}, {opaque}{layouts})"},
    {Opcode::ReplicaId, "xla::ReplicaId(&b)", "replica_id({devices}, {partitions})"},
    {Opcode::PartitionId, "", "partition_id({devices}, {partitions})"},

    {Opcode::AllGather, "xla::AllGather({0}, {dimension}, {shard.count}, {groups}, {channel})",
     "all_gather({operands}, {dimension}, {axis.groups})"},
    {Opcode::AllGatherStart, "", "({operands}, all_gather({operands}, {dimension}, {axis.groups}))"},
    {Opcode::AllGatherDone, "", "{0}[1]"},
    {Opcode::AllReduce, "xla::AllReduce({0}, {to_apply}, {groups}, {channel})",
     "all_reduce({operands}, {to_apply}, {axis.groups})"},
    {Opcode::AllReduceStart, "", "all_reduce({operands}, {to_apply}, {axis.groups})"},
    {Opcode::AllReduceDone, "", "{0}"},
    {Opcode::AllToAll, "xla::AllToAllTuple({operands}, {groups}, std::nullopt, {channel})",
     "all_to_all({operands}, {dimensions}, {axis.groups})"},
    {Opcode::CollectivePermute, "xla::CollectivePermute({0}, {source_target_pairs}, {channel})",
     "permute({operands}, {axis.pairs})"},
    {Opcode::CollectivePermuteStart, "", "({0}, permute({operands}, {axis.pairs}))"},
    {Opcode::CollectivePermuteDone, "", "{0}[1]"},
    {Opcode::CollectiveBroadcast, "xla::CollectiveBroadcast({0}, {groups}, {channel})",
     "broadcast_from_first({0}, {axis.groups})"},
    {Opcode::ReduceScatter, "xla::ReduceScatter({0}, {to_apply}, {dimension}, {shard.count}, {groups}, {channel})",
     "reduce_scatter({operands}, {to_apply}, {dimension}, {axis.groups})"},
    {Opcode::AsyncStart, "", "({operands}, {calls}({*}))"},
    {Opcode::AsyncUpdate, "", "{0}"},
    {Opcode::AsyncDone, "", "{0}[1]"},
    {Opcode::CopyStart, "", "({0}, {0})"},
    {Opcode::CopyDone, "", "{0}[0]"},
    {Opcode::Infeed, "xla::InfeedWithToken({0}, {shape.0})", ""},
    {Opcode::Outfeed, "xla::OutfeedWithToken({0}, {1}, {operand.shape}, \"\")", ""},
};

}  // namespace

const Row* findRow(Opcode opcode) {
  const auto* found = std::ranges::find(kCodeRows, opcode, &Row::opcode);
  return found == std::end(kCodeRows) ? nullptr : found;
}

}  // namespace tessera::code
