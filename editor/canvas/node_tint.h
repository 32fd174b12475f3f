// NodeTint: what a comparison with another graph found of a node. Painted over its box by Highlights; the panel of
// differences has the same colours.
#pragma once

#include <QColor>

#include "core/picture/picture.h"

namespace tessera {

enum class NodeTint : uint8_t { Changed, Added, Removed };

inline QColor colorOf(NodeTint tint, Theme theme) {
  const bool dark = theme == Theme::Dark;
  switch (tint) {
    case NodeTint::Changed: return dark ? QColor(0xf0, 0xb4, 0x29) : QColor(0xb8, 0x78, 0x00);
    case NodeTint::Added: return dark ? QColor(0x4c, 0xc3, 0x6b) : QColor(0x1a, 0x8f, 0x3c);
    case NodeTint::Removed: return dark ? QColor(0xff, 0x6b, 0x6b) : QColor(0xc9, 0x2a, 0x2a);
  }
  return {};
}

}  // namespace tessera
