// See value_color.h.
#include "editor/look/value_color.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

// -1 … 1; equal numbers are in the middle of their sign.
double partOf(double value, double least, double most) {
  if (least < 0 && most > 0) return value / std::max(-least, most);
  if (most > least) return (value - (least < 0 ? most : least)) / (most - least);
  return value == 0 ? 0 : std::copysign(0.5, value);
}

}  // namespace

QColor valueColor(double value, double least, double most, Theme theme) {
  struct Scale {
    QColor below, zero, above;
  };
  static const Scale kLight{QColor(0x76, 0x2a, 0x83), QColor(0xf2, 0xf3, 0xf5), QColor(0x1b, 0x78, 0x37)},
      kDark{QColor(0xc9, 0x8d, 0xe0), QColor(0x2b, 0x31, 0x3b), QColor(0x66, 0xd3, 0x8c)};
  const Scale& scale = theme == Theme::Light ? kLight : kDark;
  const double part = partOf(value, least, most), amount = std::min(std::abs(part), 1.0);
  const QColor &zero = scale.zero, &end = part < 0 ? scale.below : scale.above;
  const auto mixed = [&](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * amount)); };
  return {mixed(zero.red(), end.red()), mixed(zero.green(), end.green()), mixed(zero.blue(), end.blue())};
}

}  // namespace tessera
