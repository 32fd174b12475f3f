// Hues: up to eight rows get hues that are told apart at a glance; more rows run through a spectrum.
#include "editor/layout_lab/lab_colors.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tessera {
namespace {

constexpr int kHues[] = {212, 28, 148, 336, 268, 186, 46, 0};

constexpr int64_t kCycle = LabColors::kCycle;
constexpr double kMaxUnderLightText = 0.165;  // light text has 4.5 : 1 up to here

double luminance(const QColor& c) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double shareOf(int64_t at, int64_t of) {
  return of > 1 ? static_cast<double>(std::clamp<int64_t>(at, 0, of - 1)) / static_cast<double>(of - 1) : 0;
}

int hueOf(int64_t row, int64_t rows) {
  if (rows <= static_cast<int64_t>(std::size(kHues)))
    return kHues[std::clamp<int64_t>(row, 0, std::max<int64_t>(rows, 1) - 1)];
  return static_cast<int>(210 + 285 * shareOf(row % kCycle, std::min(rows, kCycle))) % 360;
}

}  // namespace

QColor blend(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

LabColors LabColors::of(const QPalette& palette) {
  LabColors c;
  c.page = palette.color(QPalette::Base);
  c.panel = palette.color(QPalette::Window);
  c.text = palette.color(QPalette::Text);
  c.dark = c.page.lightness() < 128;
  c.subtext = blend(c.text, c.page, 0.32);
  c.faint = blend(c.text, c.page, 0.55);
  c.line = blend(c.page, c.text, c.dark ? 0.22 : 0.16);
  c.accent = palette.color(QPalette::Highlight);
  c.accentText = palette.color(QPalette::HighlightedText);
  c.paddingHatch = c.dark ? QColor(0x7f, 0x8b, 0x9c) : QColor(0x8a, 0x94, 0xa3);
  c.tileHatch = c.dark ? QColor(0xc0, 0x86, 0x3c) : QColor(0xc4, 0x7f, 0x22);
  c.tileLine = c.dark ? QColor(0xe2, 0xa6, 0x50) : QColor(0xa8, 0x5d, 0x08);
  c.error = c.dark ? QColor(0xff, 0x7b, 0x72) : QColor(0xb4, 0x23, 0x18);
  return c;
}

QColor LabColors::element(int64_t row, int64_t rows, int64_t column, int64_t columns) const {
  const bool alone = rows <= 1;  // one row: the spectrum runs along it
  const int hue = alone ? hueOf(column, columns) : hueOf(row, rows);
  const double step = alone ? 0.5 : shareOf(column % kCycle, std::min(columns, kCycle));
  if (!dark) return QColor::fromHslF(static_cast<float>(hue / 360.0), 0.72F, static_cast<float>(0.89 - 0.14 * step));
  QColor out;
  double lightness = 0.29 + 0.13 * step;
  do out = QColor::fromHslF(static_cast<float>(hue / 360.0), 0.46F, static_cast<float>(lightness));
  while (luminance(out) > kMaxUnderLightText && (lightness -= 0.02) > 0.1);
  return out;
}

QColor LabColors::textOn(const QColor& fill) const {
  return luminance(fill) > kMaxUnderLightText + 0.02 ? QColor(0x12, 0x18, 0x20) : QColor(0xf6, 0xf8, 0xfb);
}

}  // namespace tessera
