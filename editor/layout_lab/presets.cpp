// The table of presets.
#include "editor/layout_lab/presets.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr LayoutPreset kPresets[] = {
    {"column-major", "f32[2,3]{0,1}", "", "",
     "minor_to_major {0,1}: dimension 0 changes fastest, so memory walks down the columns: a d b e c f"},
    {"row-major", "f32[2,3]{1,0}", "", "",
     "minor_to_major {1,0}: dimension 1 changes fastest, so memory walks along the rows: a b c d e f"},
    {"padded 3×5", "f32[2,3]{0,1}", "3,5", "0",
     "padded_dimensions {3,5}: every column is 3 long in memory and there are 5 of them: a d 0 b e 0 c f 0 0 0 0 0 0 "
     "0"},
    {"tiled 2×2", "f32[3,5]{1,0:T(2,2)}", "", "",
     "T(2,2): memory holds whole tiles of 2×2, one after the other; what sticks out of the array is unused"},
    {"TPU bf16", "bf16[3,130]{1,0:T(8,128)(2,1)}", "", "",
     "T(8,128)(2,1): tiles of 8×128, and inside them pairs of rows interleaved: 130 columns cost 256"},
    {"slices", "f32[2,3,4]{2,0,1}", "", "",
     "Rank 3: the grid shows one slice at a time; cells of the other slices are paler in memory"},
    {"packed s4", "s4[3,5]{1,0:E(4)}", "", "", "E(4): two 4-bit elements share each byte"},
};

}  // namespace

std::span<const LayoutPreset> layoutPresets() { return kPresets; }

const LayoutPreset* findLayoutPreset(std::string_view name) {
  const auto* found = std::ranges::find(kPresets, name, &LayoutPreset::name);
  return found == std::end(kPresets) ? nullptr : found;
}

}  // namespace tessera
