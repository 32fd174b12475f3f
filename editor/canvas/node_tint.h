// NodeTint: what a comparison with another graph found of a node. Painted over its box by Highlights; the panels of
// differences and of passes have the same colours.
#pragma once

#include "editor/look/qt_colors.h"

namespace tessera {

enum class NodeTint : uint8_t { Changed, Added, Removed, Fused, Relaid };

inline QColor colorOf(NodeTint tint, Theme theme) {
  switch (tint) {
    case NodeTint::Changed: return colorOf(Ink::Changed, theme);
    case NodeTint::Added: return colorOf(Ink::Added, theme);
    case NodeTint::Removed: return colorOf(Ink::Removed, theme);
    case NodeTint::Fused: return colorOf(Ink::Fused, theme);
    case NodeTint::Relaid: return colorOf(Ink::Relaid, theme);
  }
  return {};
}

}  // namespace tessera
