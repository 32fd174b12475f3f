// ShapeProto and LayoutProto. Dimensions, dynamic flags and layouts are checked on the way in; on the way out the
// messages look as XLA writes them (a layout for every array, tail padding 1, a dynamic flag for every dimension).
#include "core/formats/proto/shape_proto.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/formats/proto/hlo_data.pb.h"
#include "core/formats/proto/repeated.h"

namespace tessera::proto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A padding value in the words of PaddingValue; the lowest and the highest value of a type are the infinities.
std::optional<double> paddingValueOf(pb::PaddingValue value) {
  switch (value) {
    case pb::ZERO_PAD: return 0;
    case pb::ONE_PAD: return 1;
    case pb::LOWEST_PAD: return -kInfinity;
    case pb::HIGHEST_PAD: return kInfinity;
    default: return std::nullopt;
  }
}

pb::PaddingValue paddingValueOf(const std::optional<double>& value) {
  if (!value) return pb::INVALID_PAD;
  if (*value == 0 && !std::signbit(*value)) return pb::ZERO_PAD;
  if (*value == 1) return pb::ONE_PAD;
  if (std::isinf(*value)) return *value < 0 ? pb::LOWEST_PAD : pb::HIGHEST_PAD;
  return pb::UNKNOWN_PAD;
}

Status checkOrder(const std::vector<int64_t>& minorToMajor, size_t rank) {
  std::vector<bool> seen(rank);
  bool good = minorToMajor.size() == rank;
  for (int64_t d : minorToMajor) {
    good = good && d >= 0 && static_cast<size_t>(d) < rank && !seen[static_cast<size_t>(d)];
    if (!good) break;
    seen[static_cast<size_t>(d)] = true;
  }
  if (good) return {};
  return fail("a layout's minor_to_major is no permutation of the " + std::to_string(rank) + " dimensions");
}

Result<ElementType> elementTypeOf(int number) {
  auto type = elementTypeFromProto(number);
  if (!type || *type == ElementType::Invalid)
    return fail("a shape has the unknown element type " + std::to_string(number));
  return *type;
}

Result<std::vector<DimLevel>> readLevels(const pb::LayoutProto& message, size_t rank) {
  std::vector<DimLevel> out;
  if (message.dim_level_types_size() == 0) return out;
  if (static_cast<size_t>(message.dim_level_types_size()) != rank)
    return fail("a layout's dim_level_types do not match its rank");
  for (int i = 0; i < message.dim_level_types_size(); ++i) {
    const int type = message.dim_level_types(i);
    if (type < 0 || type > 3) return fail("a layout has an unknown dim level type");
    DimLevel& level = out.emplace_back();
    level.type = static_cast<DimLevelType>(type);
    if (i < message.dim_unique_size()) level.unique = message.dim_unique(i);
    if (i < message.dim_ordered_size()) level.ordered = message.dim_ordered(i);
  }
  return out;
}

Result<Layout> readLayout(const pb::LayoutProto& message, size_t rank) {
  Layout out;
  out.minorToMajor = listOf(message.minor_to_major());
  TESSERA_TRY(checkOrder(out.minorToMajor, rank));
  TESSERA_ASSIGN_OR_RETURN(out.dimLevels, readLevels(message, rank));
  for (const pb::TileProto& tile : message.tiles()) {
    Tile& t = out.tiles.emplace_back(Tile{listOf(tile.dimensions())});
    if (std::ranges::any_of(t.dims, [](int64_t d) { return d <= 0 && d != Tile::kCombine; }))
      return fail("a layout has a tile with a size below 1");
  }
  if (message.tail_padding_alignment_in_elements() != 0)
    out.tailPaddingAlignment = message.tail_padding_alignment_in_elements();
  if (out.tailPaddingAlignment < 1) return fail("a layout's tail padding alignment is below 1");
  out.indexType = elementTypeFromProto(message.index_primitive_type()).value_or(ElementType::Invalid);
  out.pointerType = elementTypeFromProto(message.pointer_primitive_type()).value_or(ElementType::Invalid);
  out.elementSizeInBits = message.element_size_in_bits();
  out.memorySpace = message.memory_space();
  for (const pb::SplitConfigProto& split : message.split_configs())
    out.splitConfigs.push_back({split.dimension(), listOf(split.split_indices())});
  out.dynamicShapeMetadataPrefixBytes = message.dynamic_shape_metadata_prefix_bytes();
  out.paddedDimensions = listOf(message.padded_dimensions());
  if (!out.paddedDimensions.empty() && out.paddedDimensions.size() != rank)
    return fail("a layout's padded_dimensions do not match its rank");
  out.paddingValue = paddingValueOf(message.padding_value());
  if (message.has_tessera_padding_value()) out.paddingValue = message.tessera_padding_value();
  return out;
}

Status readDimensions(const pb::ShapeProto& message, Shape& out) {
  out.dimensions = listOf(message.dimensions());
  const auto& flags = message.is_dynamic_dimension();
  if (!flags.empty() && static_cast<size_t>(flags.size()) != out.dimensions.size())
    return fail("a shape has " + std::to_string(out.dimensions.size()) + " dimensions and " +
                std::to_string(flags.size()) + " dynamic flags");
  if (std::ranges::find(flags, true) != flags.end()) out.dynamic.assign(flags.begin(), flags.end());
  for (size_t d = 0; d < out.dimensions.size(); ++d) {
    const bool unbounded = out.dimensions[d] == Shape::kUnbounded && !out.dynamic.empty() && out.dynamic[d];
    if (out.dimensions[d] < 0 && !unbounded)
      return fail("a shape has the negative dimension " + std::to_string(out.dimensions[d]));
  }
  return {};
}

void writeLayout(const Layout& layout, pb::LayoutProto& out) {
  for (int64_t d : layout.minorToMajor) out.add_minor_to_major(d);
  for (const DimLevel& level : layout.dimLevels) {
    out.add_dim_level_types(static_cast<pb::DimLevelType>(level.type));
    out.add_dim_unique(level.unique);
    out.add_dim_ordered(level.ordered);
  }
  for (const Tile& tile : layout.tiles) {
    pb::TileProto& t = *out.add_tiles();
    for (int64_t d : tile.dims) t.add_dimensions(d);
  }
  out.set_tail_padding_alignment_in_elements(layout.tailPaddingAlignment);
  out.set_index_primitive_type(static_cast<pb::PrimitiveType>(info(layout.indexType).proto));
  out.set_pointer_primitive_type(static_cast<pb::PrimitiveType>(info(layout.pointerType).proto));
  out.set_element_size_in_bits(layout.elementSizeInBits);
  out.set_memory_space(layout.memorySpace);
  for (const SplitConfig& split : layout.splitConfigs) {
    pb::SplitConfigProto& s = *out.add_split_configs();
    s.set_dimension(split.dimension);
    for (int64_t index : split.splitIndices) s.add_split_indices(index);
  }
  out.set_dynamic_shape_metadata_prefix_bytes(layout.dynamicShapeMetadataPrefixBytes);
  for (int64_t d : layout.paddedDimensions) out.add_padded_dimensions(d);
  out.set_padding_value(paddingValueOf(layout.paddingValue));
  if (out.padding_value() == pb::UNKNOWN_PAD) out.set_tessera_padding_value(*layout.paddingValue);
}

}  // namespace

// Nesting is bounded by the limit that the protobuf reader sets for messages.
Result<Shape> readShape(const pb::ShapeProto& message) {
  Shape out;
  TESSERA_ASSIGN_OR_RETURN(out.type, elementTypeOf(message.element_type()));
  for (const pb::ShapeProto& element : message.tuple_shapes()) {
    TESSERA_ASSIGN_OR_RETURN(Shape one, readShape(element));
    out.elements.push_back(std::move(one));
  }
  const bool nests = out.isTuple() || out.type == ElementType::Buffer;
  if (!nests && !out.elements.empty()) return fail("a shape that is no tuple has tuple_shapes");
  if (out.type == ElementType::Buffer && (out.elements.size() != 1 || !out.elements[0].isArray()))
    return fail("a buffer shape must hold one array shape");
  if (!out.isArray()) return out;
  TESSERA_TRY(readDimensions(message, out));
  if (message.has_layout()) {
    TESSERA_ASSIGN_OR_RETURN(out.layout, readLayout(message.layout(), out.dimensions.size()));
  } else {
    out.layout = Layout::rowMajor(out.rank());
  }
  return out;
}

void writeShape(const Shape& shape, pb::ShapeProto& out) {
  out.set_element_type(static_cast<pb::PrimitiveType>(info(shape.type).proto));
  for (const Shape& element : shape.elements) writeShape(element, *out.add_tuple_shapes());
  if (!shape.isArray()) return;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    out.add_dimensions(shape.dimensions[static_cast<size_t>(d)]);
    out.add_is_dynamic_dimension(shape.isDynamicDimension(d));
  }
  writeLayout(shape.layout ? *shape.layout : Layout::rowMajor(shape.rank()), *out.mutable_layout());
}

}  // namespace tessera::proto
