// Geometry of a convolution in oneDNN's words: a forward convolution from `source` by `weights` to `result`. Which of the
// three is computed says the plan: forward makes the result, a convolution over a dilated base is the gradient of a
// source, one whose window covers more than its output the gradient of weights.
#pragma once

#include <optional>

#include "backends/cpu/convolution_form.h"
#include "backends/cpu/dnnl_step.h"

namespace tessera::cpu {

// Sizes and strides in oneDNN's order of dimensions: batch (or output features), features, spatial ones.
struct Axes {
  dnnl::memory::dims sizes, strides;
  dnnl::memory::data_type kind = dnnl::memory::data_type::f32;
  int64_t start = 0;  // elements from the array's first to this part's
  void add(Dim d) {
    sizes.push_back(d.size);
    strides.push_back(d.stride);
  }
  dnnl::memory::desc desc() const { return dnnl::memory::desc(sizes, kind, strides); }
  dnnl::memory::desc any() const { return dnnl::memory::desc(sizes, kind, dnnl::memory::format_tag::any); }
  int64_t startBytes() const { return start * static_cast<int64_t>(dnnl::memory::data_type_size(kind)); }
  // The part [first, first + count) of dimension d.
  void narrow(size_t d, int64_t first, int64_t count) {
    start += first * strides[d];
    sizes[d] = count;
  }
};

struct Geometry {
  Axes source, weights, result;
  dnnl::memory::dims strides, dilations, low, high;
  int64_t groups = 1;
  size_t spatial() const { return strides.size(); }
};

// nullopt: this convolution is not of that form.
std::optional<Geometry> forwardGeometry(const ConvolutionForm& form);
std::optional<Geometry> sourceGradientGeometry(const ConvolutionForm& form);
std::optional<Geometry> weightsGradientGeometry(const ConvolutionForm& form);

}  // namespace tessera::cpu
