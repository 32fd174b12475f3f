// Attribute rows of every opcode as the HLO text format has them, in print order. An op file's own rows win; the table
// here serves the reader and the opcodes that have no op file. One line an opcode: names, '!' marks the required ones.
#include "core/ops/syntax_only.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/ops/op.h"

namespace tessera {
namespace {

struct Line {
  Opcode opcode;
  std::string_view attributes;
};

constexpr std::string_view kAllReduce =
    "channel_id replica_groups constrain_layout use_global_device_ids mode dimensions to_apply!";
constexpr std::string_view kAllGather =
    "channel_id replica_groups constrain_layout dimensions! use_global_device_ids mode";
constexpr std::string_view kPermute = "channel_id source_target_pairs! slice_sizes";
constexpr std::string_view kDot =
    "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision algorithm";
constexpr std::string_view kTransfer = "channel_id is_host_transfer";
constexpr std::string_view kAccuracy = "result_accuracy";

constexpr auto kLines = std::to_array<Line>({
    {Opcode::Acos, kAccuracy},
    {Opcode::Acosh, kAccuracy},
    {Opcode::Asin, kAccuracy},
    {Opcode::Asinh, kAccuracy},
    {Opcode::Atanh, kAccuracy},
    {Opcode::Cbrt, kAccuracy},
    {Opcode::Cosine, kAccuracy},
    {Opcode::Cosh, kAccuracy},
    {Opcode::Erf, kAccuracy},
    {Opcode::Exponential, kAccuracy},
    {Opcode::ExponentialMinusOne, kAccuracy},
    {Opcode::Log, kAccuracy},
    {Opcode::LogPlusOne, kAccuracy},
    {Opcode::Logistic, kAccuracy},
    {Opcode::Rsqrt, kAccuracy},
    {Opcode::Sine, kAccuracy},
    {Opcode::Sinh, kAccuracy},
    {Opcode::Sqrt, kAccuracy},
    {Opcode::Tan, kAccuracy},
    {Opcode::Tanh, kAccuracy},
    {Opcode::Iota, "iota_dimension!"},
    {Opcode::Topk, "k! largest is_stable"},
    {Opcode::AllGather, kAllGather},
    {Opcode::AllGatherStart, kAllGather},
    {Opcode::AllReduce, kAllReduce},
    {Opcode::AllReduceStart, kAllReduce},
    {Opcode::ReduceScatter,
     "channel_id replica_groups constrain_layout use_global_device_ids mode dimensions! to_apply!"},
    {Opcode::AllToAll, "channel_id replica_groups constrain_layout dimensions"},
    {Opcode::RaggedAllToAll, "channel_id replica_groups dimensions"},
    {Opcode::CollectiveBroadcast, "channel_id replica_groups has_dynamic_root"},
    {Opcode::CollectivePermute, kPermute},
    {Opcode::CollectivePermuteStart, kPermute},
    {Opcode::AsyncStart, "async_execution_thread output_to_operand_aliasing calls!"},
    {Opcode::AsyncUpdate, "async_execution_thread calls"},
    {Opcode::AsyncDone, "async_execution_thread calls"},
    {Opcode::CopyStart, "cross_program_prefetch_index"},
    {Opcode::Reshape, "inferred_dimension"},
    {Opcode::Broadcast, "dimensions"},
    {Opcode::Transpose, "dimensions!"},
    {Opcode::Reverse, "dimensions!"},
    {Opcode::Concatenate, "dimensions!"},
    {Opcode::Slice, "slice!"},
    {Opcode::DynamicSlice, "dynamic_slice_sizes!"},
    {Opcode::Pad, "padding!"},
    {Opcode::Gather,
     "offset_dims! collapsed_slice_dims! start_index_map! operand_batching_dims start_indices_batching_dims "
     "index_vector_dim! slice_sizes! indices_are_sorted"},
    {Opcode::Scatter,
     "update_window_dims! inserted_window_dims! scatter_dims_to_operand_dims! input_batching_dims "
     "scatter_indices_batching_dims index_vector_dim! indices_are_sorted unique_indices to_apply!"},
    {Opcode::Reduce, "dimensions to_apply!"},
    {Opcode::ReduceWindow, "window to_apply!"},
    {Opcode::SelectAndScatter, "window select! scatter!"},
    {Opcode::Map, "dimensions to_apply!"},
    {Opcode::Scan, "dimensions! num_carries! is_reverse is_associative to_apply!"},
    {Opcode::Sort, "dimensions! is_stable to_apply!"},
    {Opcode::Convolution,
     "window dim_labels! feature_group_count batch_group_count convolution_kind operand_precision "
     "algorithm sparsity_config"},
    {Opcode::Dot, kDot},
    {Opcode::ScaledDot, kDot},
    {Opcode::RaggedDot,
     "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims lhs_ragged_dims "
     "rhs_group_dims operand_precision algorithm"},
    {Opcode::Fft, "fft_type! fft_length!"},
    {Opcode::Cholesky, "lower"},
    {Opcode::TriangularSolve, "left_side lower unit_diagonal transpose_a"},
    {Opcode::Compare, "direction! type"},
    {Opcode::BatchNormTraining, "epsilon! feature_index!"},
    {Opcode::BatchNormInference, "epsilon! feature_index!"},
    {Opcode::BatchNormGrad, "epsilon! feature_index!"},
    {Opcode::ReducePrecision, "exponent_bits! mantissa_bits!"},
    {Opcode::GetTupleElement, "index!"},
    {Opcode::GetDimensionSize, "dimensions!"},
    {Opcode::SetDimensionSize, "dimensions!"},
    {Opcode::While, "condition! body!"},
    {Opcode::Conditional, "true_computation false_computation branch_computations"},
    {Opcode::Call, "to_apply! is_composite output_to_operand_aliasing"},
    {Opcode::Fusion, "kind! output_to_operand_aliasing calls!"},
    {Opcode::CustomCall,
     "window dim_labels feature_group_count batch_group_count custom_call_target! "
     "operand_layout_constraints custom_call_has_side_effect to_apply called_computations "
     "output_to_operand_aliasing padding_type literal operand_precision algorithm schedule api_version"},
    {Opcode::Infeed, "infeed_config"},
    {Opcode::Outfeed, "outfeed_shape outfeed_config"},
    {Opcode::Send, kTransfer},
    {Opcode::Recv, kTransfer},
    {Opcode::SendDone, kTransfer},
    {Opcode::RecvDone, kTransfer},
    {Opcode::Rng, "distribution!"},
    {Opcode::RngBitGenerator, "algorithm!"},
    {Opcode::RngGetAndUpdateState, "delta!"},
    {Opcode::Domain, "domain!"},
});

struct Syntax {
  std::vector<AttributeRow> rows;
  std::vector<Attr> required;
};

Syntax parsed(std::string_view attributes) {
  Syntax out;
  while (!attributes.empty()) {
    const size_t blank = std::min(attributes.find(' '), attributes.size());
    std::string_view word = attributes.substr(0, blank);
    attributes.remove_prefix(std::min(blank + 1, attributes.size()));
    const bool required = word.ends_with('!');
    if (required) word.remove_suffix(1);
    auto attr = attrFromName(word);
    if (!attr) continue;
    out.rows.push_back({*attr, required});
    if (required) out.required.push_back(*attr);
  }
  return out;
}

const Syntax& syntaxOf(Opcode opcode) {
  static const auto table = [] {
    std::array<Syntax, kOpcodeCount + 1> all;
    for (const Line& line : kLines) all[static_cast<size_t>(line.opcode)] = parsed(line.attributes);
    return all;
  }();
  return table[static_cast<size_t>(opcode)];
}

bool hasRow(std::span<const AttributeRow> rows, Attr attr) {
  return std::ranges::find(rows, attr, &AttributeRow::name) != rows.end();
}

}  // namespace

std::span<const AttributeRow> attributeRowsOf(Opcode opcode) {
  if (const OpDef* op = findOp(opcode)) return op->attributes;
  return syntaxOf(opcode).rows;
}

bool takesAttribute(Opcode opcode, Attr attr) {
  // The attributes that every instruction may carry stand last in attributes.inc.
  if (attr >= Attr::sharding || hasRow(syntaxOf(opcode).rows, attr)) return true;
  const OpDef* op = findOp(opcode);
  return op && hasRow(op->attributes, attr);
}

const std::vector<Attr>& requiredAttributesOf(Opcode opcode) { return syntaxOf(opcode).required; }

}  // namespace tessera
