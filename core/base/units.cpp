// Three digits and a unit, rounded so that no number reads "1000".
#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

constexpr std::array<const char*, 6> kPrefixes{"", "K", "M", "G", "T", "P"};

std::string scaled(double value, const char* unit) {
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) value /= 1000, ++prefix;
  const int digits = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const std::string after = std::string(kPrefixes[prefix]) + unit;
  return fmt::format("{:.{}f}{}{}", value, digits, after.empty() ? "" : " ", after);
}

}  // namespace

std::string bytesText(double bytes) { return scaled(bytes, "B"); }
std::string amountText(double amount) { return scaled(amount, ""); }

std::string countText(uint64_t number) {
  std::string out = std::to_string(number);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string percentText(double fraction) {
  const double percent = fraction * 100;
  return fmt::format("{:.{}f} %", percent, percent > 0 && percent < 9.95 ? 1 : 0);
}

std::string durationText(double ns) {
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  struct Unit {
    double ns, most;  // how many of it are told
    const char* name;
  };
  constexpr Unit kUnits[] = {
      {1e3, 999.5, "µs"}, {1e6, 999.5, "ms"}, {1e9, 3600, "s"}, {3.6e12, 48, "h"}, {86.4e12, INFINITY, "days"}};
  const Unit& unit = *std::ranges::find_if(kUnits, [ns](const Unit& each) { return ns / each.ns < each.most; });
  const double value = ns / unit.ns;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit.name);
}

}  // namespace tessera
