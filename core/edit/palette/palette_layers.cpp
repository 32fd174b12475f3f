// Forms of the palette that people know as layers and array functions: convolutions with padding by name, pooling,
// upsampling, embedding, one-hot, arg-max, top-k, cumulative sums.
#include <fmt/format.h>

#include <algorithm>

#include "core/edit/palette/palette_draft.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

int64_t along(const DraftSizes& said, size_t i, int64_t otherwise) {
  return said.empty() ? otherwise : said[std::min(i, said.size() - 1)];
}

// The padding of a window along one dimension, for a picture of `size`; 0: unknown.
std::string sameDimension(int64_t size, int64_t window, int64_t stride, int64_t dilation) {
  const auto [low, high] = samePadding(size, {.size = window, .stride = stride, .windowDilation = dilation});
  return fmt::format("{}_{}", low, high);
}

// One dimension of a window after the other.
struct WindowText {
  DraftSizes sizes, strides, dilations;
  std::vector<std::string> pads;
  void add(int64_t size, int64_t window, int64_t stride, int64_t dilation, bool same) {
    sizes.push_back(window);
    strides.push_back(stride);
    dilations.push_back(dilation);
    pads.push_back(same ? sameDimension(size, window, stride, dilation) : "0_0");
  }
  bool padded() const {
    return std::ranges::any_of(pads, [](const std::string& pad) { return pad != "0_0"; });
  }
  std::string text() const {
    const auto others = [](const DraftSizes& values) {
      return std::ranges::any_of(values, [](int64_t v) { return v != 1; });
    };
    std::string out = fmt::format("{{size={}", fmt::join(sizes, "x"));
    if (others(strides)) out += fmt::format(" stride={}", fmt::join(strides, "x"));
    if (padded()) out += fmt::format(" pad={}", fmt::join(pads, "x"));
    if (others(dilations)) out += fmt::format(" rhs_dilate={}", fmt::join(dilations, "x"));
    return out + "}";
  }
};

// --- convolution

std::string labelsFor(const Draft& d, size_t rank) {
  if (const std::string* said = d.attribute(Attr::dim_labels)) return *said;
  std::string spatial;
  for (size_t i = 0; i + 2 < rank; ++i) spatial += static_cast<char>('0' + i);
  if (d.says("nchw")) return "bf" + spatial + "_oi" + spatial + "->bf" + spatial;
  return "b" + spatial + "f_" + spatial + "io->b" + spatial + "f";
}

std::optional<ConvolutionDimensions> dimensionsOf(const Draft& d, const std::string& labels) {
  const auto value = parseAttributeValue(d.module, Attr::dim_labels, labels);
  if (!value) return std::nullopt;
  const auto* boxed = std::get_if<Boxed<ConvolutionDimensions>>(&*value);
  return boxed ? std::optional(*boxed->value) : std::nullopt;
}

int64_t at(const DraftSizes& sizes, int64_t dimension) {
  return dimension >= 0 && dimension < static_cast<int64_t>(sizes.size()) ? sizes[static_cast<size_t>(dimension)] : 0;
}

// As many features as go in unless the line says how many ("conv2d 8", features=), 3 along each spatial dimension
// unless it says kernel=.
Shape kernelFor(const Draft& d, const Shape& x, const ConvolutionDimensions& labels) {
  DraftSizes sizes(labels.kernelSpatial.size() + 2);
  const int64_t features = at(x.dimensions, labels.inputFeature);
  sizes[static_cast<size_t>(labels.kernelInput)] = features;
  sizes[static_cast<size_t>(labels.kernelOutput)] =
      along(d.numbers("features"), 0, std::max<int64_t>(d.number(features), 1));
  const DraftSizes said = d.numbers("kernel");
  for (size_t i = 0; i < labels.kernelSpatial.size(); ++i)
    sizes[static_cast<size_t>(labels.kernelSpatial[i])] = along(said, i, 3);
  return Shape::array(x.type, sizes);
}

// Without sources the inputs stay open and what was chosen stays said: window, padding and labels.
void convolution(Draft& d, bool same) {
  const Shape* given = d.shape(0);
  const size_t rank = given ? given->dimensions.size() : 4;
  const std::string labels = labelsFor(d, rank);
  const auto dims = dimensionsOf(d, labels);
  if (!dims || dims->inputSpatial.size() + 2 != rank || dims->kernelInput < 0 || dims->kernelOutput < 0) return;
  const Shape x = given ? *given : Shape::array(ElementType::F32, DraftSizes(rank, 0));
  const Shape* second = d.shape(1);
  const bool fits = second && second->dimensions.size() == rank;
  const Shape kernel = fits ? *second : kernelFor(d, x, *dims);
  InstructionId weights = d.source(1);
  if (given && !weights.valid() && d.computation == d.module.entry())
    weights = d.add(Opcode::Parameter, {}, {}, kernel, {}, "kernel");
  WindowText window;
  const DraftSizes strides = d.numbers("stride"), dilations = d.numbers("dilation");
  for (size_t i = 0; i < dims->inputSpatial.size(); ++i)
    window.add(at(x.dimensions, dims->inputSpatial[i]), at(kernel.dimensions, dims->kernelSpatial[i]),
               along(strides, i, 1), along(dilations, i, 1), same);
  std::vector<NewAttribute> attributes{{Attr::window, window.text()}, {Attr::dim_labels, labels}};
  for (const NewAttribute& each : d.entry.attributes)
    if (each.name != Attr::dim_labels && each.name != Attr::window) attributes.push_back(each);
  d.add(Opcode::Convolution, {d.source(0), weights}, std::move(attributes));
}

// --- pooling over the spatial dimensions

InstructionId windowed(Draft& d, InstructionId x, Opcode opcode, ElementType type, const std::string& window) {
  const InstructionId start = d.constant(type, opcode == Opcode::Add ? "0" : opcode == Opcode::Multiply ? "1" : "-inf");
  return d.add(Opcode::ReduceWindow, {x, start}, {{Attr::window, window}, {Attr::to_apply, d.reducer(opcode, type)}});
}

// The dimensions between batch and features: from, to.
std::pair<size_t, size_t> spatialOf(const Draft& d, size_t rank) {
  return d.says("nchw") ? std::pair(size_t{2}, rank) : std::pair(size_t{1}, rank - 1);
}

void pool(Draft& d, Opcode opcode) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {1, 8, 8, 3}), "x");
  const size_t rank = x.shape.dimensions.size();
  if (rank < 3 || !isFloat(x.shape.type)) return;
  const auto [first, end] = spatialOf(d, rank);
  const DraftSizes sizes = d.numbers("kernel"), strides = d.numbers("stride");
  WindowText window;
  int64_t count = 1;
  for (size_t k = 0; k < rank; ++k) {
    const bool inside = k >= first && k < end;
    const int64_t size = inside ? along(sizes, k - first, std::max<int64_t>(d.number(2), 1)) : 1;
    window.add(x.shape.dimensions[k], size, inside ? along(strides, k - first, size) : 1, 1, d.says("same"));
    count *= size;
  }
  const InstructionId result = windowed(d, x.id, opcode, x.shape.type, window.text());
  if (opcode != Opcode::Add) return;
  InstructionId divisor;
  DraftSizes out;
  if (window.padded()) {  // at the edges fewer elements count
    const InstructionId ones =
        d.add(Opcode::Broadcast, {d.constant(x.shape.type, "1")}, {{Attr::dimensions, "{}"}}, x.shape);
    divisor = windowed(d, ones, Opcode::Add, x.shape.type, window.text());
  } else {
    for (size_t k = 0; k < rank; ++k)
      out.push_back(std::max<int64_t>((x.shape.dimensions[k] - window.sizes[k]) / window.strides[k] + 1, 0));
    divisor = d.add(Opcode::Broadcast, {d.constant(x.shape.type, std::to_string(count))}, {{Attr::dimensions, "{}"}},
                    Shape::array(x.shape.type, out));
  }
  d.add(Opcode::Divide, {result, divisor});
}

// Each element along the spatial dimensions several times: a new dimension behind each, which then joins it.
void upsample(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {1, 8, 8, 3}), "x");
  const size_t rank = x.shape.dimensions.size();
  const int64_t times = d.number(2);
  constexpr int64_t kMostTimes = 1024;
  if (rank < 3 || times < 1 || times > kMostTimes) return;
  const auto [first, end] = spatialOf(d, rank);
  DraftSizes wide, places, sizes;
  for (size_t k = 0; k < rank; ++k) {
    places.push_back(static_cast<int64_t>(wide.size()));
    wide.push_back(x.shape.dimensions[k]);
    sizes.push_back(x.shape.dimensions[k]);
    if (k < first || k >= end) continue;
    wide.push_back(times);
    sizes.back() *= times;
  }
  const InstructionId repeated =
      d.add(Opcode::Broadcast, {x.id}, {{Attr::dimensions, listOf(places)}}, Shape::array(x.shape.type, wide));
  d.add(Opcode::Reshape, {repeated}, {}, Shape::array(x.shape.type, sizes));
}

// --- by index

void embedding(Draft& d) {
  const bool swapped = d.shape(0) && isInteger(d.shape(0)->type);
  const size_t first = swapped ? 1 : 0;
  const Shape usual = d.entry.shape ? *d.entry.shape : Shape::array(ElementType::F32, {100, 16});
  const auto table = d.input(first, usual, "table");
  const auto indices = d.input(1 - first, Shape::array(ElementType::S32, {8}), "indices");
  if (table.shape.dimensions.empty() || !isInteger(indices.shape.type)) return;
  const auto batch = static_cast<int64_t>(indices.shape.dimensions.size());
  DraftSizes offsets, slice = table.shape.dimensions;
  for (size_t k = 1; k < slice.size(); ++k) offsets.push_back(batch + static_cast<int64_t>(k) - 1);
  slice[0] = 1;
  d.add(Opcode::Gather, {table.id, indices.id},
        {{Attr::offset_dims, listOf(offsets)},
         {Attr::collapsed_slice_dims, "{0}"},
         {Attr::start_index_map, "{0}"},
         {Attr::index_vector_dim, std::to_string(batch)},
         {Attr::slice_sizes, listOf(slice)}});
}

void oneHot(Draft& d) {
  const auto indices = d.input(0, Shape::array(ElementType::S32, {8}), "labels");
  if (!isInteger(indices.shape.type)) return;
  DraftSizes sizes = indices.shape.dimensions, old;
  for (size_t k = 0; k < sizes.size(); ++k) old.push_back(static_cast<int64_t>(k));
  sizes.push_back(std::max<int64_t>(d.number(10), 1));
  const Shape wide = Shape::array(indices.shape.type, sizes);
  const InstructionId spread = d.add(Opcode::Broadcast, {indices.id}, {{Attr::dimensions, listOf(old)}}, wide);
  const InstructionId places = d.add(Opcode::Iota, {}, {{Attr::iota_dimension, std::to_string(old.size())}}, wide);
  const InstructionId equal = d.add(Opcode::Compare, {spread, places}, {{Attr::direction, "EQ"}});
  d.add(Opcode::Convert, {equal}, {}, Shape::array(ElementType::F32, sizes));
}

// (value, place) pairs: the first of the largest or smallest.
void argExtreme(Draft& d, bool largest) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4, 8}), "x");
  const auto rank = static_cast<int64_t>(x.shape.dimensions.size());
  if (rank == 0 || !isFloat(x.shape.type)) return;
  const int64_t axis = d.axis(rank, -1);
  const std::string type(nameOf(x.shape.type)), name = fmt::format("{}.{}", largest ? "arg_max" : "arg_min", type);
  d.edit.actions.push_back(AddComputations{fmt::format(
      "HloModule pairs\n\n{0} {{\n  a = {1}[] parameter(0)\n  i = s32[] parameter(1)\n  b = {1}[] parameter(2)\n"
      "  j = s32[] parameter(3)\n  better = pred[] compare(a, b), direction={2}\n  equal = pred[] compare(a, b), "
      "direction=EQ\n  earlier = pred[] compare(i, j), direction=LT\n  tie = pred[] and(equal, earlier)\n"
      "  first = pred[] or(better, tie)\n  value = {1}[] select(first, a, b)\n  place = s32[] select(first, i, j)\n"
      "  ROOT pair = ({1}[], s32[]) tuple(value, place)\n}}\n\nENTRY e {{\n  ROOT t = token[] after-all()\n}}\n",
      name, type, largest ? "GT" : "LT")});
  const InstructionId places = d.add(Opcode::Iota, {}, {{Attr::iota_dimension, std::to_string(axis)}},
                                     Shape::array(ElementType::S32, x.shape.dimensions));
  const InstructionId start = d.constant(x.shape.type, largest ? "-inf" : "inf"),
                      none = d.constant(ElementType::S32, "2147483647");
  const InstructionId pairs = d.add(Opcode::Reduce, {x.id, places, start, none},
                                    {{Attr::dimensions, listOf(DraftSizes{axis})}, {Attr::to_apply, "%" + name}});
  d.add(Opcode::GetTupleElement, {pairs}, {{Attr::index, "1"}});
}

void topK(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {8}), "x");
  if (x.shape.dimensions.empty()) return;
  const int64_t k =
      std::clamp<int64_t>(d.number(std::min<int64_t>(3, x.shape.dimensions.back())), 0, x.shape.dimensions.back());
  const InstructionId both = d.add(Opcode::Topk, {x.id}, {{Attr::k, std::to_string(k)}, {Attr::largest, "true"}});
  d.add(Opcode::GetTupleElement, {both}, {{Attr::index, "0"}});
}

// Each element with all before it, as a window that ends at it.
void cumulative(Draft& d, Opcode opcode) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {8}), "x");
  const auto rank = static_cast<int64_t>(x.shape.dimensions.size());
  if (rank == 0 || (opcode == Opcode::Maximum && !isFloat(x.shape.type))) return;
  const int64_t axis = d.axis(rank, -1);
  DraftSizes sizes(x.shape.dimensions.size(), 1);
  std::vector<std::string> pads(sizes.size(), "0_0");
  const int64_t n = std::max<int64_t>(at(x.shape.dimensions, axis), 1);
  sizes[static_cast<size_t>(axis)] = n;
  pads[static_cast<size_t>(axis)] = fmt::format("{}_0", n - 1);
  windowed(d, x.id, opcode, x.shape.type,
           fmt::format("{{size={} pad={}}}", fmt::join(sizes, "x"), fmt::join(pads, "x")));
}

constexpr const char *kLayers = "Layers", *kFunctions = "Array functions";
constexpr DraftForm kLayerForms[] = {
    {"convolution same", kLayers, "A convolution whose result is as large as its input, over the stride: conv2d 16",
     "conv conv2d conv1d conv3d padding nhwc nchw general stride= dilation= kernel= features= #", Opcode::Convolution,
     [](Draft& d) { convolution(d, true); }},
    {"convolution valid", kLayers, "A convolution without padding: conv2d valid 16",
     "conv conv2d conv1d conv3d padding nhwc nchw general stride= dilation= kernel= features= #", Opcode::Convolution,
     [](Draft& d) { convolution(d, false); }},
    {"max pool", kLayers, "The largest of each 2 × 2 window (kernel=, stride=, same, nchw): max pool 3",
     "pooling max_pool maxpool maxpool2d nhwc nchw same valid kernel= stride= #", Opcode::ReduceWindow,
     [](Draft& d) { pool(d, Opcode::Maximum); }},
    {"average pool", kLayers, "The mean of each 2 × 2 window (kernel=, stride=, same, nchw): average pool 3",
     "pooling avg_pool avgpool mean avgpool2d nhwc nchw same valid kernel= stride= #", Opcode::ReduceWindow,
     [](Draft& d) { pool(d, Opcode::Add); }},
    {"upsample", kLayers, "Each element of a picture 2 × 2 times (nchw): upsample 3",
     "nearest neighbour neighbor resize enlarge upsample2d upsampling upsampling2d unpool nhwc nchw #", Opcode::Reshape,
     upsample},
    {"embedding", kLayers, "Rows of a table, by index", "gather rows lookup take table", Opcode::Gather, embedding},
    {"one-hot", kFunctions, "1 at each index and 0 elsewhere, along a new last dimension: one-hot 10",
     "onehot one_hot dummy #", Opcode::Compare, oneHot},
    {"arg-max", kFunctions, "Where the largest element is, along the last dimension (axis=)",
     "argmax index of maximum axis=", Opcode::Reduce, [](Draft& d) { argExtreme(d, true); }},
    {"arg-min", kFunctions, "Where the smallest element is, along the last dimension (axis=)",
     "argmin index of minimum axis=", Opcode::Reduce, [](Draft& d) { argExtreme(d, false); }},
    {"top-k", kFunctions, "The largest elements of each line: top-k 3", "topk top_k largest #", Opcode::Topk, topK},
    {"cumulative sum", kFunctions, "Each element added to all before it, along the last dimension (axis=)",
     "cumsum prefix running scan axis=", Opcode::ReduceWindow, [](Draft& d) { cumulative(d, Opcode::Add); }},
    {"cumulative product", kFunctions, "Each element times all before it, along the last dimension (axis=)",
     "cumprod prefix running axis=", Opcode::ReduceWindow, [](Draft& d) { cumulative(d, Opcode::Multiply); }},
    {"cumulative max", kFunctions, "The largest up to each element, along the last dimension (axis=)",
     "cummax prefix running maximum axis=", Opcode::ReduceWindow, [](Draft& d) { cumulative(d, Opcode::Maximum); }},
};

}  // namespace

std::span<const DraftForm> layerForms() { return kLayerForms; }

}  // namespace tessera
