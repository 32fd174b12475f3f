// ConvolutionStep: a convolution through oneDNN: forward, or one of the two gradients in whose form front ends write
// backward passes. The work is cut by batch entries, by rows of the output where the batch is small, or by features, so
// that all threads share it; a convolution of few flops, or one whose shards do not fit each other, is one shard. Made
// by cpu/library/dnnl_convolution.
#pragma once

#include <algorithm>

#include "backends/runtime/dnnl/dnnl_step.h"

namespace tessera::cpu {

// Sizes and strides in oneDNN's order of dimensions: batch (or output features), features, spatial ones.
struct Axes {
  dnnl::memory::dims sizes, strides;
  dnnl::memory::data_type kind = dnnl::memory::data_type::f32;
  int64_t start = 0;  // elements from the array's first to this part's
  template <class Fields>
  void fields(Fields& f) {
    f(sizes, strides, kind, start);
  }
  void add(Dim d) {
    sizes.push_back(d.size);
    strides.push_back(d.stride);
  }
  dnnl::memory::desc desc() const { return dnnl::memory::desc(sizes, kind, strides); }
  dnnl::memory::desc any() const { return dnnl::memory::desc(sizes, kind, dnnl::memory::format_tag::any); }
  int64_t startBytes() const { return start * static_cast<int64_t>(dnnl::memory::data_type_size(kind)); }
  int64_t count() const {
    int64_t all = 1;
    for (int64_t size : sizes) all *= size;
    return all;
  }
  // Its elements are neighbours in memory.
  bool isOneRange() const;
  // The part [first, first + count) of dimension d.
  void narrow(size_t d, int64_t first, int64_t count) {
    start += first * strides[d];
    sizes[d] = count;
    if (sizes[0] != 1) return;
    // One element's stride is free: what an array of this part alone would have is what the library's formats know.
    strides[0] = 1;
    for (size_t e = 1; e < sizes.size(); ++e) strides[0] = std::max(strides[0], strides[e] * sizes[e]);
  }
};

struct Geometry {
  Axes source, weights, result;
  dnnl::memory::dims strides, dilations, low, high;
  int64_t groups = 1;
  template <class Fields>
  void fields(Fields& f) {
    f(source, weights, result, strides, dilations, low, high, groups);
  }
  size_t spatial() const { return strides.size(); }
};

enum class ConvolutionPass : uint8_t { Forward, Source, Weights };

struct ConvolutionSlots {
  int input = -1, kernel = -1, output = -1;
};

class ConvolutionStep : public DnnlStep {
 public:
  ConvolutionStep() : DnnlStep("convolution") {}
  ConvolutionPass pass = ConvolutionPass::Forward;
  Geometry geometry;
  ConvolutionSlots slots;
  double flops = 0;
  bool asItLies = false;  // the primitives may walk the arrays of a forward pass without reordering them

  // Makes the library's primitives; false: it refused, even for a single shard.
  bool prepare();
  const char* loader() const override { return "tessera_dnnl_convolution"; }
  void save(FieldWriter& out) override { fields(out); }
  template <class Fields>
  void fields(Fields& f) {
    f(pass, geometry, slots, flops, gather, epilogue, shardScratch);
  }

 private:
  bool build(double flops);
};

}  // namespace tessera::cpu
