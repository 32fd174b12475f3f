// A colour for a name, the same wherever it is drawn: spans of the timeline, boxes of the flame graph, buffers.
#pragma once

#include <QColor>
#include <string_view>

#include "core/base/hash.h"

namespace tessera {

inline QColor nameColor(std::string_view name, bool dark) {
  uint64_t hash = 14695981039346656037u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  hash = mixedHash(hash, 0);
  const double hue = static_cast<double>(hash % 360) / 360, shade = static_cast<double>(hash / 360 % 5) / 50;
  return QColor::fromHslF(static_cast<float>(hue), 0.45F, static_cast<float>((dark ? 0.36 : 0.68) + shade));
}

}  // namespace tessera
