// See preludes.h: C++.
#include "core/formats/code/preludes.h"

namespace tessera::code {
namespace {

constexpr PreludeFunction kXlaPrelude[] = {
    {"Literal", R"xla(
// A constant by its HLO text.
xla::XlaOp Literal(xla::XlaBuilder& b, const std::string& shape, const std::string& value) {
  auto module = xla::ParseAndReturnUnverifiedModule("ENTRY e { ROOT c = " + shape + " constant(" + )xla"
                R"xla(value + ") }").value();
  return xla::ConstantLiteral(&b, module->entry_computation()->root_instruction()->literal());
}
)xla"},
    {"Edges", R"xla(
// Low, high and interior padding of each dimension.
xla::PaddingConfig Edges(const std::vector<std::array<int64_t, 3>>& sizes) {
  xla::PaddingConfig out;
  for (const auto& [low, high, interior] : sizes) {
    auto* d = out.add_dimensions();
    d->set_edge_padding_low(low);
    d->set_edge_padding_high(high);
    d->set_interior_padding(interior);
  }
  return out;
}
)xla"},
    {"DotDims", R"xla(
using Dims = std::vector<int64_t>;

xla::DotDimensionNumbers DotDims(const Dims& lhs, const Dims& rhs, const Dims& lhs_batch, const )xla"
                R"xla(Dims& rhs_batch) {
  xla::DotDimensionNumbers out;
  for (int64_t d : lhs) out.add_lhs_contracting_dimensions(d);
  for (int64_t d : rhs) out.add_rhs_contracting_dimensions(d);
  for (int64_t d : lhs_batch) out.add_lhs_batch_dimensions(d);
  for (int64_t d : rhs_batch) out.add_rhs_batch_dimensions(d);
  return out;
}
)xla"},
    {"Precision", R"xla(
const xla::PrecisionConfig* Precision(const std::vector<xla::PrecisionConfig::Precision>& operands,
                                      xla::PrecisionConfig::Algorithm algorithm = )xla"
                  R"xla(xla::PrecisionConfig::ALG_UNSET) {
  static std::deque<xla::PrecisionConfig> kept;
  xla::PrecisionConfig& out = kept.emplace_back();
  for (auto p : operands) out.add_operand_precision(p);
  out.set_algorithm(algorithm);
  return &out;
}
)xla"},
    {"ConvDims", R"xla(
xla::ConvolutionDimensionNumbers ConvDims(int64_t in_batch, int64_t in_feature, const )xla"
                 R"xla(std::vector<int64_t>& in_spatial,
                                          int64_t kernel_out, int64_t kernel_in, const )xla"
                 R"xla(std::vector<int64_t>& kernel_spatial,
                                          int64_t out_batch, int64_t out_feature, const )xla"
                 R"xla(std::vector<int64_t>& out_spatial) {
  xla::ConvolutionDimensionNumbers out;
  out.set_input_batch_dimension(in_batch);
  out.set_input_feature_dimension(in_feature);
  out.set_kernel_output_feature_dimension(kernel_out);
  out.set_kernel_input_feature_dimension(kernel_in);
  out.set_output_batch_dimension(out_batch);
  out.set_output_feature_dimension(out_feature);
  for (int64_t d : in_spatial) out.add_input_spatial_dimensions(d);
  for (int64_t d : kernel_spatial) out.add_kernel_spatial_dimensions(d);
  for (int64_t d : out_spatial) out.add_output_spatial_dimensions(d);
  return out;
}
)xla"},
    {"GatherDims", R"xla(
xla::GatherDimensionNumbers GatherDims(const std::vector<int64_t>& offset, const )xla"
                   R"xla(std::vector<int64_t>& collapsed,
                                       const std::vector<int64_t>& start_index_map, const )xla"
                   R"xla(std::vector<int64_t>& operand_batching,
                                       const std::vector<int64_t>& indices_batching, int64_t )xla"
                   R"xla(index_vector_dim) {
  xla::GatherDimensionNumbers out;
  for (int64_t d : offset) out.add_offset_dims(d);
  for (int64_t d : collapsed) out.add_collapsed_slice_dims(d);
  for (int64_t d : start_index_map) out.add_start_index_map(d);
  for (int64_t d : operand_batching) out.add_operand_batching_dims(d);
  for (int64_t d : indices_batching) out.add_start_indices_batching_dims(d);
  out.set_index_vector_dim(index_vector_dim);
  return out;
}
)xla"},
    {"ScatterDims", R"xla(
xla::ScatterDimensionNumbers ScatterDims(const std::vector<int64_t>& window, const )xla"
                    R"xla(std::vector<int64_t>& inserted,
                                         const std::vector<int64_t>& to_operand, const )xla"
                    R"xla(std::vector<int64_t>& input_batching,
                                         const std::vector<int64_t>& indices_batching, int64_t )xla"
                    R"xla(index_vector_dim) {
  xla::ScatterDimensionNumbers out;
  for (int64_t d : window) out.add_update_window_dims(d);
  for (int64_t d : inserted) out.add_inserted_window_dims(d);
  for (int64_t d : to_operand) out.add_scatter_dims_to_operand_dims(d);
  for (int64_t d : input_batching) out.add_input_batching_dims(d);
  for (int64_t d : indices_batching) out.add_scatter_indices_batching_dims(d);
  out.set_index_vector_dim(index_vector_dim);
  return out;
}
)xla"},
    {"Branches", R"xla(
std::vector<const xla::XlaComputation*> Branches(std::vector<xla::XlaComputation> computations) {
  static std::deque<xla::XlaComputation> kept;
  std::vector<const xla::XlaComputation*> out;
  for (auto& computation : computations) out.push_back(&kept.emplace_back(std::move(computation)));
  return out;
}
)xla"},
    {"Groups", R"xla(
std::vector<xla::ReplicaGroup> Groups(const std::vector<std::vector<int64_t>>& groups) {
  std::vector<xla::ReplicaGroup> out;
  for (const auto& ids : groups)
    for (int64_t id : (out.emplace_back(), ids)) out.back().add_replica_ids(id);
  return out;
}
)xla"},
    {"Channel", R"xla(
xla::ChannelHandle Channel(int64_t id) {
  xla::ChannelHandle out;
  out.set_handle(id);
  out.set_type(xla::ChannelHandle::DEVICE_TO_DEVICE);
  return out;
}
)xla"},
};

}  // namespace

std::span<const PreludeFunction> xlaPrelude() { return kXlaPrelude; }

}  // namespace tessera::code
