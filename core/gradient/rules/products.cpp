// Gradients of dot and convolution: products again, with the roles of free, batch and contracted dimensions exchanged.
#include <algorithm>
#include <numeric>

#include "core/formats/hlo_text.h"
#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"

namespace tessera::gradient {
namespace {

void copyAttribute(const AttributeSet& from, AttributeSet& to, Attr name) {
  if (const AttributeValue* value = from.find(name)) to.set(name, *value);
}

void setDims(AttributeSet& attributes, Attr name, const Ints& dims) {
  if (!dims.empty()) attributes.set(name, dims);
}

Ints span(size_t first, size_t count) {
  Ints out(count);
  std::iota(out.begin(), out.end(), static_cast<int64_t>(first));
  return out;
}

// --- dot

struct Side {
  Ints batch, contracting, free;
};

Side sideOf(const Rule& r, size_t i) {
  Side out;
  out.batch = r.attributes().ints(i == 0 ? Attr::lhs_batch_dims : Attr::rhs_batch_dims);
  out.contracting = r.attributes().ints(i == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims);
  out.free = otherDims(r.operandShape(i).rank(), out.batch, out.contracting);
  return out;
}

Value product(Value a, Value b, const Side& sideA, const Side& sideB, const Shape& like, const AttributeSet& from) {
  AttributeSet attributes;
  setDims(attributes, Attr::lhs_batch_dims, sideA.batch);
  setDims(attributes, Attr::lhs_contracting_dims, sideA.contracting);
  setDims(attributes, Attr::rhs_batch_dims, sideB.batch);
  setDims(attributes, Attr::rhs_contracting_dims, sideB.contracting);
  copyAttribute(from, attributes, Attr::operand_precision);
  copyAttribute(from, attributes, Attr::algorithm);
  return a.emitter->make(Opcode::Dot, {a, b}, std::move(attributes), &like);
}

// Of operand i: the other one times the cotangent, summed over the other's free dimensions. Either order of the two is
// a product; the one counts whose dimensions come as the operand has them.
Value dotCotangent(Rule& r, size_t i) {
  const Side own = sideOf(r, i), other = sideOf(r, 1 - i);
  const size_t batches = own.batch.size(), otherFree = batches + (i == 0 ? own.free.size() : 0);
  const Side g{span(0, batches), span(otherFree, other.free.size()), {}};
  const Side otherSide{other.batch, other.free, {}};
  // The dimensions of the operand as they come out: batch, its free ones, and its contracted ones in the other's order.
  Ints contracted;
  Ints sorted = other.contracting;
  std::ranges::sort(sorted);
  for (int64_t d : sorted)
    contracted.push_back(
        own.contracting[static_cast<size_t>(std::ranges::find(other.contracting, d) - other.contracting.begin())]);
  const auto joined = [&](const Ints& first, const Ints& second) {
    Ints all = own.batch;
    all.insert(all.end(), first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
  };
  const Ints gFirst = joined(own.free, contracted), otherFirst = joined(contracted, own.free);
  const bool swapped = !std::ranges::is_sorted(gFirst) && std::ranges::is_sorted(otherFirst);
  const Ints& places = swapped ? otherFirst : gFirst;
  Ints dims, permutation(places.size());
  for (size_t k = 0; k < places.size(); ++k) {
    dims.push_back(r.operandShape(i).dimensions[static_cast<size_t>(places[k])]);
    permutation[static_cast<size_t>(places[k])] = static_cast<int64_t>(k);
  }
  const Shape like = arrayLike(r.operandShape(i), dims);
  const Value out = swapped ? product(r.operand(1 - i), r.d(), otherSide, g, like, r.attributes())
                            : product(r.d(), r.operand(1 - i), g, otherSide, like, r.attributes());
  return transpose(out, permutation);
}

// --- convolution

struct ConvolutionSite {
  Rule& r;
  ConvolutionDimensions dims;
  Window window;
  int64_t featureGroups, batchGroups;

  int64_t size(const Shape& shape, const Ints& spatial, size_t i) const {
    return shape.dimensions[static_cast<size_t>(spatial[i])];
  }
};

int64_t dilated(int64_t size, int64_t dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

char spatialLetter(size_t i) { return static_cast<char>('0' + i); }

std::string labelsOf(int64_t first, char firstLetter, int64_t second, char secondLetter, const Ints& spatial) {
  std::string out(spatial.size() + 2, '?');
  out[static_cast<size_t>(first)] = firstLetter;
  out[static_cast<size_t>(second)] = secondLetter;
  for (size_t i = 0; i < spatial.size(); ++i) out[static_cast<size_t>(spatial[i])] = spatialLetter(i);
  return out;
}

Value convolve(const ConvolutionSite& s, Value lhs, Value rhs, const std::string& labels, Window window,
               int64_t featureGroups, int64_t batchGroups, const Shape& like) {
  const auto dims = parseAttributeValue(s.r.emit.module, Attr::dim_labels, labels);
  if (!dims) return {};
  AttributeSet attributes;
  if (!window.dimensions.empty()) attributes.set(Attr::window, std::move(window));
  attributes.set(Attr::dim_labels, *dims);
  if (featureGroups != 1) attributes.set(Attr::feature_group_count, featureGroups);
  if (batchGroups != 1) attributes.set(Attr::batch_group_count, batchGroups);
  copyAttribute(s.r.attributes(), attributes, Attr::operand_precision);
  copyAttribute(s.r.attributes(), attributes, Attr::algorithm);
  return lhs.emitter->make(Opcode::Convolution, {lhs, rhs}, std::move(attributes), &like);
}

// Dimension `from` is cut into groups, which become the slower part of dimension `to`.
Value moveGroups(Value a, int64_t from, int64_t to, int64_t groups) {
  if (groups == 1) return a;
  Ints cut = a.dims(), permutation, joined;
  const auto at = static_cast<size_t>(from);
  cut.insert(cut.begin() + from, groups);
  cut[at + 1] /= groups;
  for (int64_t d = 0; d < a.shape().rank(); ++d) {
    if (d == to) permutation.push_back(from);
    permutation.push_back(d >= from ? d + 1 : d);
    joined.push_back(d == to     ? a.dims()[static_cast<size_t>(d)] * groups
                     : d == from ? a.dims()[at] / groups
                                 : a.dims()[static_cast<size_t>(d)]);
  }
  return reshape(transpose(reshape(a, cut), permutation), joined);
}

// The cotangent, dilated by the stride, convolved with the reversed kernel whose features are exchanged.
Value lhsCotangent(const ConvolutionSite& s) {
  const ConvolutionDimensions& d = s.dims;
  const Shape lhs = s.r.operandShape(0), rhs = s.r.operandShape(1), g = s.r.d().shape();
  const int64_t groups = std::max(s.featureGroups, s.batchGroups);
  const Value kernel = moveGroups(s.r.operand(1), d.kernelOutput, d.kernelInput, groups);
  Window window;
  for (size_t i = 0; i < s.window.dimensions.size(); ++i) {
    const WindowDimension& w = s.window.dimensions[i];
    const int64_t reach = dilated(w.size, w.windowDilation), low = reach - 1 - w.paddingLow;
    const int64_t base = dilated(s.size(lhs, d.inputSpatial, i), w.baseDilation);
    const int64_t spread = dilated(s.size(g, d.outputSpatial, i), w.stride);
    window.dimensions.push_back({w.size, w.baseDilation, low, base + reach - 1 - spread - low, w.windowDilation,
                                 w.stride, w.size > 1 && !w.reversal});
  }
  // With groups of the batch these come out in the features.
  Ints dims = lhs.dimensions;
  dims[static_cast<size_t>(d.inputBatch)] /= s.batchGroups;
  dims[static_cast<size_t>(d.inputFeature)] *= s.batchGroups;
  const std::string labels = labelsOf(d.outputBatch, 'b', d.outputFeature, 'f', d.outputSpatial) + "_" +
                             labelsOf(d.kernelOutput, 'i', d.kernelInput, 'o', d.kernelSpatial) + "->" +
                             labelsOf(d.inputBatch, 'b', d.inputFeature, 'f', d.inputSpatial);
  const Value out = convolve(s, s.r.d(), kernel, labels, window, groups, 1, arrayLike(lhs, dims));
  return s.batchGroups == 1 ? out : moveGroups(out, d.inputFeature, d.inputBatch, s.batchGroups);
}

// The cotangent slides over the input as a kernel; batch and features are exchanged.
Value rhsCotangent(const ConvolutionSite& s) {
  const ConvolutionDimensions& d = s.dims;
  const Shape lhs = s.r.operandShape(0), rhs = s.r.operandShape(1), g = s.r.d().shape();
  Window window;
  Ints reversed;
  for (size_t i = 0; i < s.window.dimensions.size(); ++i) {
    const WindowDimension& w = s.window.dimensions[i];
    const int64_t reach = dilated(w.size, w.windowDilation);
    const int64_t base = dilated(s.size(lhs, d.inputSpatial, i), w.baseDilation);
    const int64_t positions = s.size(g, d.outputSpatial, i), spread = dilated(positions, w.stride);
    window.dimensions.push_back({positions, w.windowDilation, w.paddingLow, spread - base + reach - w.paddingLow - 1,
                                 w.stride, w.baseDilation});
    if (w.reversal) reversed.push_back(d.kernelSpatial[i]);
  }
  const std::string labels = labelsOf(d.inputFeature, 'b', d.inputBatch, 'f', d.inputSpatial) + "_" +
                             labelsOf(d.outputBatch, 'i', d.outputFeature, 'o', d.outputSpatial) + "->" +
                             labelsOf(d.kernelInput, 'b', d.kernelOutput, 'f', d.kernelSpatial);
  const Value out = convolve(s, s.r.operand(0), s.r.d(), labels, window, s.batchGroups, s.featureGroups, rhs);
  if (reversed.empty() || !out) return out;
  AttributeSet attributes;
  attributes.set(Attr::dimensions, reversed);
  return s.r.emit.make(Opcode::Reverse, {out}, std::move(attributes));
}

}  // namespace

Status dotRule(Rule& r) {
  if (r.attributes().has(Attr::sparsity_config)) return r.refuse("dot of a sparse operand has no gradient here");
  for (size_t i : {0u, 1u})
    if (r.wants(i)) r.give(i, dotCotangent(r, i));
  return {};
}

Status convolutionRule(Rule& r) {
  const auto* dims = r.attributes().get<ConvolutionDimensions>(Attr::dim_labels);
  const auto* window = r.attributes().get<Window>(Attr::window);
  if (!dims || dims->inputSpatial.size() > 10) return r.refuse("convolution of these dim_labels has no gradient here");
  if (r.attributes().has(Attr::sparsity_config)) return r.refuse("sparse convolution has no gradient here");
  const ConvolutionSite site{r, *dims, window ? *window : Window{}, r.attributes().intOr(Attr::feature_group_count, 1),
                             r.attributes().intOr(Attr::batch_group_count, 1)};
  if (r.wants(0)) r.give(0, lhsCotangent(site));
  if (r.wants(1)) r.give(1, rhsCotangent(site));
  return {};
}

}  // namespace tessera::gradient
