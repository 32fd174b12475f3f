// The layout lab's presets: the three examples of XLA's "Shapes and layout", then tiles, packed types and slices.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/hlo/shape.h"

namespace tessera {

struct LayoutPreset {
  std::string_view name;      // for setPreset and the list
  std::string_view shape;     // HLO text
  std::string_view padded;    // padded_dimensions: "3,5"; "" for none
  std::string_view value;     // padding value; "" for none
  std::string_view sentence;  // what to look at
};

std::span<const LayoutPreset> layoutPresets();
const LayoutPreset* findLayoutPreset(std::string_view name);

}  // namespace tessera
