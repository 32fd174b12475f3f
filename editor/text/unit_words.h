// Numbers of core/base/units.h and text of the graph as Qt's strings. Used by panels.
#pragma once

#include <QString>
#include <string_view>

#include "core/base/units.h"

namespace tessera {

inline QString toQString(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline QString bytesWords(int64_t bytes) { return toQString(bytesText(static_cast<double>(bytes))); }
inline QString durationWords(double ns) { return toQString(durationText(ns)); }

}  // namespace tessera
