// Panels: one side of a contraction, cut along its outer dimension into panels as wide as the register tile and copied
// so that the tile reads them front to back, converted to the type of the sums, or to 16-bit integers of which a step
// takes two. Elements past the end are zero.
// Made by contraction_step for ContractionTile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/runtime/movement/strided_dims.h"
#include "core/hlo/element_type.h"

namespace tessera::cpu {

inline constexpr size_t kMaxSpatial = 8;  // windows of one PanelSource

// Along one spatial dimension of a convolution: offset of the input element that output position p and window element
// w coincide at [p · window + w]; -1: none (padding or a hole of the base dilation).
struct WindowOffsets {
  int64_t positions = 1, window = 1;
  std::vector<int64_t> at;
  template <class Fields>
  void fields(Fields& f) {
    f(positions, window, at);
  }
};

// The address of element (batch, outer, inner). A convolution's input has `windows`: the last dimensions of `outer` are
// then the output positions (stride 0), and the sum runs over the windows' elements, then over `depth` features.
struct PanelSource {
  ElementType type = ElementType::F32;
  int64_t start = 0;  // of element (0, 0, 0)
  Dims batch, outer, inner;
  std::vector<WindowOffsets> windows;
  Dim depth;

  int64_t outerSize() const { return product(outer); }
  int64_t innerSize() const;
  template <class Fields>
  void fields(Fields& f) {
    f(type, start, batch, outer, inner, windows, depth);
  }
};

class PanelPacker {
 public:
  // sumType: the tile's type (F32, F64, S32, S64, C64, C128). Supported conversions only: see converts() and
  // fitsPairs().
  PanelPacker(PanelSource source, ElementType sumType, int64_t width, bool pairs);

  static bool converts(ElementType from, ElementType sumType);
  static bool fitsPairs(ElementType from);  // all values are 16-bit integers
  int64_t panels() const { return panels_; }
  int64_t batches() const { return batches_; }
  int64_t innerSize() const { return inner_; }
  int64_t steps() const { return (inner_ + together_ - 1) / together_; }
  int64_t panelBytes() const { return steps() * width_ * stepBytes_; }
  // Packs panel `panel` of matrix `batch` of the array at `from`.
  void pack(const std::byte* from, int64_t batch, int64_t panel, std::byte* to) const;

 private:
  template <class T, class P, int kParts, int kTogether>
  void packAs(const T* from, int64_t first, int64_t count, P* to) const;
  template <class T, class P, int kParts, int kTogether>
  void packRows(const T* from, const int64_t* rows, int64_t count, P* to) const;
  template <class T, class P, int kParts, int kTogether>
  void packWindows(const T* from, int64_t first, int64_t count, P* to) const;
  void rowOffsets(int64_t first, int64_t count, int64_t* out) const;

  PanelSource source_;
  ElementType sumType_;
  int64_t width_, inner_, batches_, outer_, panels_, stepBytes_;
  int64_t together_;                   // elements of a step
  std::vector<int64_t> innerOffsets_;  // without windows
};

}  // namespace tessera::cpu
