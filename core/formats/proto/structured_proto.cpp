// Slices, windows, paddings, dim labels and replica groups as messages. Replica groups are kept in the IR as text of
// one of three forms, each with its own message.
#include "core/formats/proto/structured_proto.h"

#include <algorithm>

#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/sharding_proto.h"

namespace tessera::proto {
namespace {

using pb::HloInstructionProto;
using Taken = std::optional<AttributeValue>;
using text::Lexer;

std::vector<SliceDimension> slicesOf(const HloInstructionProto& message) {
  std::vector<SliceDimension> out;
  for (const auto& d : message.slice_dimensions()) out.push_back({d.start(), d.limit(), d.stride()});
  return out;
}

std::vector<PaddingDimension> paddingOf(const HloInstructionProto& message) {
  std::vector<PaddingDimension> out;
  for (const auto& d : message.padding_config().dimensions())
    out.push_back({d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  return out;
}

Window windowOf(const HloInstructionProto& message) {
  Window out;
  for (const auto& d : message.window().dimensions()) {
    WindowDimension& w = out.dimensions.emplace_back();
    w.size = d.size();
    w.stride = d.stride();
    w.paddingLow = d.padding_low();
    w.paddingHigh = d.padding_high();
    w.windowDilation = d.window_dilation();
    w.baseDilation = d.base_dilation();
    w.reversal = d.window_reversal();
  }
  return out;
}

void putWindow(const Window& window, HloInstructionProto& out) {
  pb::Window& message = *out.mutable_window();
  for (const WindowDimension& w : window.dimensions) {
    pb::WindowDimension& d = *message.add_dimensions();
    d.set_size(w.size);
    d.set_stride(w.stride);
    d.set_padding_low(w.paddingLow);
    d.set_padding_high(w.paddingHigh);
    d.set_window_dilation(w.windowDilation);
    d.set_base_dilation(w.baseDilation);
    d.set_window_reversal(w.reversal);
  }
}

// One of the three words of "b01f_01io->b01f": every place must be named once.
bool appendLabels(std::string& out, int64_t first, char firstLetter, int64_t second, char secondLetter,
                  const google::protobuf::RepeatedField<int64_t>& spatial) {
  constexpr int kMaxSpatial = 10;
  if (spatial.size() > kMaxSpatial) return false;
  std::string word(static_cast<size_t>(spatial.size()) + 2, '?');
  auto place = [&](int64_t at, char label) {
    if (at < 0 || at >= static_cast<int64_t>(word.size()) || word[static_cast<size_t>(at)] != '?') return false;
    word[static_cast<size_t>(at)] = label;
    return true;
  };
  bool good = place(first, firstLetter) && place(second, secondLetter);
  for (int i = 0; good && i < spatial.size(); ++i) good = place(spatial.Get(i), static_cast<char>('0' + i));
  out += word;
  return good;
}

Result<Taken> takeDimLabels(HloInstructionProto& message) {
  if (!message.has_convolution_dimension_numbers()) return Taken();
  const auto& numbers = message.convolution_dimension_numbers();
  ConvolutionDimensions out;
  out.inputBatch = numbers.input_batch_dimension();
  out.inputFeature = numbers.input_feature_dimension();
  out.kernelInput = numbers.kernel_input_feature_dimension();
  out.kernelOutput = numbers.kernel_output_feature_dimension();
  out.outputBatch = numbers.output_batch_dimension();
  out.outputFeature = numbers.output_feature_dimension();
  out.inputSpatial.assign(numbers.input_spatial_dimensions().begin(), numbers.input_spatial_dimensions().end());
  out.kernelSpatial.assign(numbers.kernel_spatial_dimensions().begin(), numbers.kernel_spatial_dimensions().end());
  out.outputSpatial.assign(numbers.output_spatial_dimensions().begin(), numbers.output_spatial_dimensions().end());
  bool good = appendLabels(out.text, out.inputBatch, 'b', out.inputFeature, 'f', numbers.input_spatial_dimensions());
  out.text += '_';
  good =
      appendLabels(out.text, out.kernelInput, 'i', out.kernelOutput, 'o', numbers.kernel_spatial_dimensions()) && good;
  out.text += "->";
  good =
      appendLabels(out.text, out.outputBatch, 'b', out.outputFeature, 'f', numbers.output_spatial_dimensions()) && good;
  good = good && out.inputSpatial.size() == out.kernelSpatial.size() &&
         out.inputSpatial.size() == out.outputSpatial.size();
  if (!good) return fail("convolution_dimension_numbers do not name each dimension once");
  message.clear_convolution_dimension_numbers();
  return Taken(Boxed<ConvolutionDimensions>(std::move(out)));
}

void putDimLabels(const ConvolutionDimensions& labels, HloInstructionProto& out) {
  auto& numbers = *out.mutable_convolution_dimension_numbers();
  numbers.set_input_batch_dimension(labels.inputBatch);
  numbers.set_input_feature_dimension(labels.inputFeature);
  numbers.set_kernel_input_feature_dimension(labels.kernelInput);
  numbers.set_kernel_output_feature_dimension(labels.kernelOutput);
  numbers.set_output_batch_dimension(labels.outputBatch);
  numbers.set_output_feature_dimension(labels.outputFeature);
  for (int64_t d : labels.inputSpatial) numbers.add_input_spatial_dimensions(d);
  for (int64_t d : labels.kernelSpatial) numbers.add_kernel_spatial_dimensions(d);
  for (int64_t d : labels.outputSpatial) numbers.add_output_spatial_dimensions(d);
}

// --- replica groups

template <class Groups>
std::string listsText(const Groups& groups) {
  std::string out = "{";
  for (int g = 0; g < groups.size(); ++g) {
    out += g ? ",{" : "{";
    for (int i = 0; i < groups.Get(g).replica_ids_size(); ++i) {
      if (i) out += ',';
      out += std::to_string(groups.Get(g).replica_ids(i));
    }
    out += '}';
  }
  return out + '}';
}

std::string iotaText(const pb::IotaReplicaGroupListProto& iota) {
  std::string out =
      '[' + std::to_string(iota.num_replica_groups()) + ',' + std::to_string(iota.num_devices_per_group()) + "]<=[";
  for (int i = 0; i < iota.iota_reshape_dims_size(); ++i)
    out += (i ? "," : "") + std::to_string(iota.iota_reshape_dims(i));
  out += ']';
  if (iota.iota_transpose_perm_size() <= 1) return out;
  out += "T(";
  for (int i = 0; i < iota.iota_transpose_perm_size(); ++i)
    out += (i ? "," : "") + std::to_string(iota.iota_transpose_perm(i));
  return out + ')';
}

std::string meshText(const pb::MeshAxesReplicaGroupListProto& list) {
  std::string out;
  appendMesh(out, list.mesh());
  out += " {";
  for (int i = 0; i < list.axes_size(); ++i) {
    if (i) out += ',';
    appendAxis(out, list.mesh(), list.axes(i));
  }
  return out + '}';
}

Result<Taken> takeReplicaGroups(HloInstructionProto& message) {
  std::string text;
  switch (message.replica_group_list_case()) {
    case HloInstructionProto::kCollectiveDeviceList:
      text = listsText(message.collective_device_list().replica_groups());
      break;
    case HloInstructionProto::kIotaCollectiveDeviceList: text = iotaText(message.iota_collective_device_list()); break;
    case HloInstructionProto::kMeshAxesReplicaGroupList: text = meshText(message.mesh_axes_replica_group_list()); break;
    default: text = listsText(message.replica_groups()); break;
  }
  Lexer lexer(text);
  ReplicaGroups out;
  if (!text::readReplicaGroups(lexer, out))
    return fail("replica groups " + text + ": " +
                (lexer.error() ? lexer.error()->message : std::string("are no replica groups")));
  message.clear_replica_groups();
  message.clear_replica_group_list();
  return Taken(Boxed<ReplicaGroups>(std::move(out)));
}

bool putIota(Lexer& lexer, pb::IotaReplicaGroupListProto& out) {
  int64_t groups = 0, size = 0;
  if (!lexer.accept('[') || !lexer.integer(groups, "groups") || !lexer.accept(',') || !lexer.integer(size, "a size") ||
      !lexer.accept("]<=["))
    return false;
  out.set_num_replica_groups(groups);
  out.set_num_devices_per_group(size);
  while (!lexer.accept(']')) {
    lexer.accept(',');
    int64_t dim = 0;
    if (!lexer.integer(dim, "a size")) return false;
    out.add_iota_reshape_dims(dim);
  }
  if (!lexer.accept("T(")) {
    for (int i = 0; i < out.iota_reshape_dims_size(); ++i) out.add_iota_transpose_perm(i);
    return true;
  }
  while (!lexer.accept(')')) {
    lexer.accept(',');
    int64_t dim = 0;
    if (!lexer.integer(dim, "a dimension")) return false;
    out.add_iota_transpose_perm(static_cast<int32_t>(dim));
  }
  return true;
}

bool putMeshGroups(Lexer& lexer, pb::MeshAxesReplicaGroupListProto& out) {
  if (!readMesh(lexer, *out.mutable_mesh())) return false;
  if (!lexer.accept('{')) return lexer.atEnd();
  while (!lexer.accept('}')) {
    if (out.axes_size() && !lexer.accept(',')) return false;
    if (!readAxis(lexer, out.mesh(), *out.add_axes())) return false;
  }
  return true;
}

bool putReplicaGroups(const ReplicaGroups& groups, HloInstructionProto& out) {
  Lexer lexer(groups.text);
  if (groups.text.starts_with('[')) return putIota(lexer, *out.mutable_iota_collective_device_list());
  if (groups.text.starts_with('m')) return putMeshGroups(lexer, *out.mutable_mesh_axes_replica_group_list());
  auto& list = *out.mutable_collective_device_list();
  for (const std::vector<int64_t>& group : groups.groups) {
    // Older readers know only the deprecated field.
    pb::ReplicaGroup& one = *list.add_replica_groups();
    for (int64_t id : group) one.add_replica_ids(id);
    *out.add_replica_groups() = one;
  }
  return true;
}

}  // namespace

Result<std::optional<AttributeValue>> takeStructured(HloInstructionProto& message, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Slices: {
      AttributeValue out = slicesOf(message);
      message.clear_slice_dimensions();
      return Taken(std::move(out));
    }
    case AttributeKind::Padding: {
      AttributeValue out = paddingOf(message);
      message.clear_padding_config();
      return Taken(std::move(out));
    }
    case AttributeKind::Window: {
      if (message.window().dimensions_size() == 0) return message.clear_window(), Taken();
      AttributeValue out = windowOf(message);
      message.clear_window();
      return Taken(std::move(out));
    }
    case AttributeKind::IntLists: {
      std::vector<std::vector<int64_t>> pairs;
      for (const auto& pair : message.source_target_pairs()) pairs.push_back({pair.source(), pair.target()});
      message.clear_source_target_pairs();
      return Taken(std::move(pairs));
    }
    case AttributeKind::DimLabels: return takeDimLabels(message);
    case AttributeKind::ReplicaGroups: return takeReplicaGroups(message);
    default: return Taken();
  }
}

bool putStructured(const AttributeValue& value, AttributeKind kind, HloInstructionProto& out) {
  if (const auto* slices = std::get_if<std::vector<SliceDimension>>(&value)) {
    for (const SliceDimension& s : *slices) {
      auto& d = *out.add_slice_dimensions();
      d.set_start(s.start);
      d.set_limit(s.limit);
      d.set_stride(s.stride);
    }
    return true;
  }
  if (const auto* padding = std::get_if<std::vector<PaddingDimension>>(&value)) {
    out.mutable_padding_config();
    for (const PaddingDimension& p : *padding) {
      auto& d = *out.mutable_padding_config()->add_dimensions();
      d.set_edge_padding_low(p.low);
      d.set_edge_padding_high(p.high);
      d.set_interior_padding(p.interior);
    }
    return true;
  }
  if (const auto* window = std::get_if<Window>(&value)) return putWindow(*window, out), true;
  if (const auto* labels = std::get_if<Boxed<ConvolutionDimensions>>(&value))
    return putDimLabels(*labels->value, out), true;
  if (const auto* groups = std::get_if<Boxed<ReplicaGroups>>(&value)) return putReplicaGroups(*groups->value, out);
  const auto* pairs = std::get_if<std::vector<std::vector<int64_t>>>(&value);
  if (!pairs || kind != AttributeKind::IntLists) return false;
  for (const std::vector<int64_t>& pair : *pairs) {
    if (pair.size() != 2) return false;
    auto& p = *out.add_source_target_pairs();
    p.set_source(pair[0]);
    p.set_target(pair[1]);
  }
  return true;
}

}  // namespace tessera::proto
