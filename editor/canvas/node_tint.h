// NodeTint: what a comparison with another graph found of a node. Painted over its box by Highlights; the panels of
// differences and of passes have the same colours.
#pragma once

#include <QColor>

#include "core/picture/picture.h"

namespace tessera {

enum class NodeTint : uint8_t { Changed, Added, Removed, Fused, Relaid };

inline QColor colorOf(NodeTint tint, Theme theme) {
  const bool dark = theme == Theme::Dark;
  switch (tint) {
    case NodeTint::Changed: return dark ? QColor(0xf0, 0xb4, 0x29) : QColor(0xb8, 0x78, 0x00);
    case NodeTint::Added: return dark ? QColor(0x4c, 0xc3, 0x6b) : QColor(0x1a, 0x8f, 0x3c);
    case NodeTint::Fused: return dark ? QColor(0xb3, 0x92, 0xf0) : QColor(0x71, 0x48, 0xc8);
    case NodeTint::Relaid: return dark ? QColor(0x5a, 0xb4, 0xf5) : QColor(0x1b, 0x72, 0xb8);
    case NodeTint::Removed: return dark ? QColor(0xff, 0x6b, 0x6b) : QColor(0xc9, 0x2a, 0x2a);
  }
  return {};
}

}  // namespace tessera
