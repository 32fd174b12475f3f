// The table behind attribute_proto: which field of HloInstructionProto holds which attribute. Rows of one opcode go
// before those of all. Only attribute_proto.cpp includes this.
#pragma once

#include <string_view>

#include "core/hlo/attributes.h"
#include "core/hlo/opcode.h"

namespace tessera::proto {

enum class Presence : uint8_t {
  NonDefault,  // there when the field is set (and is not `quiet`)
  Always,      // there in every instruction that takes it, as XLA prints it
  Never,       // the field means something else for this opcode
};

struct FieldRow {
  Attr attr;
  std::string_view path;  // "gather_dimension_numbers.offset_dims"
  Presence presence = Presence::NonDefault;
  int64_t quiet = 0;             // this value too means absent, and is written when the attribute is absent
  std::string_view prefix = "";  // of the field's enum words
  bool lower = false;            // enum words are lower case in text
  std::string_view quietText = "";
};

struct OpcodeFieldRow {
  Opcode opcode;
  FieldRow row;
};

inline constexpr OpcodeFieldRow kOpcodeRows[] = {
    {Opcode::Broadcast, {Attr::dimensions, "dimensions", Presence::Always}},
    {Opcode::Reduce, {Attr::dimensions, "dimensions", Presence::Always}},
    {Opcode::Map, {Attr::dimensions, "dimensions", Presence::Always}},
    {Opcode::CollectivePermute, {Attr::slice_sizes, "dynamic_slice_sizes"}},
    {Opcode::CollectivePermuteStart, {Attr::slice_sizes, "dynamic_slice_sizes"}},
    {Opcode::RngBitGenerator, {Attr::algorithm, "rng_algorithm", Presence::Always, 0, "", true}},
    {Opcode::TriangularSolve, {Attr::lower, "triangular_solve_options.lower"}},
    {Opcode::Scatter, {Attr::index_vector_dim, "scatter_dimension_numbers.index_vector_dim"}},
    {Opcode::Topk, {Attr::is_stable, "", Presence::Never}},
    {Opcode::Topk, {Attr::largest, "largest", Presence::Always}},
    {Opcode::CustomCall, {Attr::to_apply, "", Presence::Never}},
    {Opcode::RaggedDot,
     {Attr::lhs_batch_dims, "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions"}},
    {Opcode::RaggedDot,
     {Attr::rhs_batch_dims, "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_batch_dimensions"}},
    {Opcode::RaggedDot,
     {Attr::lhs_contracting_dims, "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_contracting_dimensions",
      Presence::Always}},
    {Opcode::RaggedDot,
     {Attr::rhs_contracting_dims, "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_contracting_dimensions",
      Presence::Always}},
};

inline constexpr FieldRow kRows[] = {
    {Attr::dimensions, "dimensions"},
    {Attr::iota_dimension, "dimensions"},
    {Attr::inferred_dimension, "dimensions"},
    {Attr::k, "k"},
    {Attr::is_stable, "is_stable"},
    {Attr::channel_id, "channel_id"},
    {Attr::constrain_layout, "constrain_layout"},
    {Attr::use_global_device_ids, "use_global_device_ids"},
    {Attr::has_dynamic_root, "has_dynamic_root"},
    {Attr::source_target_pairs, "source_target_pairs"},
    {Attr::replica_groups, "replica_groups", Presence::Always},
    {Attr::async_execution_thread, "async_execution_thread", Presence::NonDefault, 0, "", false, "main"},
    {Attr::cross_program_prefetch_index, "cross_program_prefetch_index"},
    {Attr::slice, "slice_dimensions"},
    {Attr::dynamic_slice_sizes, "dynamic_slice_sizes"},
    {Attr::padding, "padding_config"},
    {Attr::offset_dims, "gather_dimension_numbers.offset_dims"},
    {Attr::collapsed_slice_dims, "gather_dimension_numbers.collapsed_slice_dims"},
    {Attr::start_index_map, "gather_dimension_numbers.start_index_map"},
    {Attr::operand_batching_dims, "gather_dimension_numbers.operand_batching_dims"},
    {Attr::start_indices_batching_dims, "gather_dimension_numbers.start_indices_batching_dims"},
    {Attr::index_vector_dim, "gather_dimension_numbers.index_vector_dim"},
    {Attr::slice_sizes, "gather_slice_sizes"},
    {Attr::indices_are_sorted, "indices_are_sorted"},
    {Attr::unique_indices, "unique_indices"},
    {Attr::update_window_dims, "scatter_dimension_numbers.update_window_dims"},
    {Attr::inserted_window_dims, "scatter_dimension_numbers.inserted_window_dims"},
    {Attr::scatter_dims_to_operand_dims, "scatter_dimension_numbers.scatter_dims_to_operand_dims"},
    {Attr::input_batching_dims, "scatter_dimension_numbers.input_batching_dims"},
    {Attr::scatter_indices_batching_dims, "scatter_dimension_numbers.scatter_indices_batching_dims"},
    {Attr::window, "window"},
    {Attr::num_carries, "num_carries"},
    {Attr::is_reverse, "is_reverse"},
    {Attr::is_associative, "is_associative", Presence::NonDefault, 0, "TRI_STATE_", true},
    {Attr::dim_labels, "convolution_dimension_numbers"},
    {Attr::feature_group_count, "feature_group_count", Presence::NonDefault, 1},
    {Attr::batch_group_count, "batch_group_count", Presence::NonDefault, 1},
    {Attr::convolution_kind, "conv_kind", Presence::NonDefault, 0, "CONVOLUTION_KIND_", true},
    {Attr::operand_precision, "precision_config.operand_precision", Presence::NonDefault, 0, "", true},
    {Attr::algorithm, "precision_config.algorithm", Presence::NonDefault, 0, "ALG_", true},
    {Attr::lhs_batch_dims, "dot_dimension_numbers.lhs_batch_dimensions"},
    {Attr::rhs_batch_dims, "dot_dimension_numbers.rhs_batch_dimensions"},
    {Attr::lhs_contracting_dims, "dot_dimension_numbers.lhs_contracting_dimensions", Presence::Always},
    {Attr::rhs_contracting_dims, "dot_dimension_numbers.rhs_contracting_dimensions", Presence::Always},
    {Attr::lhs_ragged_dims, "ragged_dot_dimension_numbers.lhs_ragged_dimensions"},
    {Attr::rhs_group_dims, "ragged_dot_dimension_numbers.rhs_group_dimensions"},
    {Attr::fft_type, "fft_type"},
    {Attr::fft_length, "fft_length"},
    {Attr::lower, "cholesky_options.lower"},
    {Attr::left_side, "triangular_solve_options.left_side"},
    {Attr::unit_diagonal, "triangular_solve_options.unit_diagonal"},
    {Attr::transpose_a, "triangular_solve_options.transpose_a"},
    {Attr::direction, "comparison_direction"},
    {Attr::type, "comparison_type"},
    {Attr::epsilon, "epsilon"},
    {Attr::feature_index, "feature_index"},
    {Attr::exponent_bits, "exponent_bits"},
    {Attr::mantissa_bits, "mantissa_bits"},
    {Attr::index, "tuple_index"},
    {Attr::condition, "called_computation_ids"},
    {Attr::body, "called_computation_ids"},
    {Attr::true_computation, "called_computation_ids"},
    {Attr::false_computation, "called_computation_ids"},
    {Attr::branch_computations, "called_computation_ids"},
    {Attr::select, "called_computation_ids"},
    {Attr::scatter, "called_computation_ids"},
    {Attr::to_apply, "called_computation_ids"},
    {Attr::calls, "called_computation_ids"},
    {Attr::called_computations, "called_computation_ids"},
    {Attr::is_composite, "is_composite"},
    {Attr::kind, "fusion_kind"},
    {Attr::custom_call_target, "custom_call_target"},
    {Attr::operand_layout_constraints, "operand_shapes_with_layout"},
    {Attr::custom_call_has_side_effect, "custom_call_has_side_effect"},
    {Attr::padding_type, "padding_type"},
    {Attr::literal, "literal"},
    {Attr::schedule, "custom_call_schedule"},
    {Attr::api_version, "custom_call_api_version", Presence::NonDefault, 1},
    {Attr::infeed_config, "infeed_config"},
    {Attr::outfeed_config, "outfeed_config"},
    {Attr::outfeed_shape, "outfeed_shape"},
    {Attr::is_host_transfer, "is_host_transfer"},
    {Attr::distribution, "distribution", Presence::NonDefault, 0, "", true},
    {Attr::delta, "delta"},
    {Attr::control_predecessors, "control_predecessor_ids"},
    {Attr::backend_config, "backend_config"},
};

}  // namespace tessera::proto
