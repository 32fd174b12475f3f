// See device_peaks.h.
#include "core/profile/device_peaks.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera {
namespace {

DevicePeaks deviceOf(const char* name, double f64, double f32, double half, double f8, double s8, double gigabytes,
                     const char* source) {
  DevicePeaks out{.name = name, .flopsPerSecond = {}, .bytesPerSecond = gigabytes * 1e9, .source = source};
  const auto put = [&](const char* type, double tera) {
    if (tera > 0) out.flopsPerSecond[type] = tera * 1e12;
  };
  put("f64", f64);
  put("f32", f32);
  put("bf16", half);
  put("f16", half);
  for (const char* type : {"f8e4m3", "f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz"}) put(type, f8);
  put("s8", s8);
  put("u8", s8);
  return out;
}

bool sameButCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

double DevicePeaks::computeNs(std::string_view type, double flops) const {
  const auto peak = flopsPerSecond.find(std::string(type));
  return peak != flopsPerSecond.end() && peak->second > 0 ? 1e9 * flops / peak->second : 0;
}

double DevicePeaks::memoryNs(double bytes, double executions) const {
  const double each = executions > 0 ? bytes / executions : bytes;
  for (const MemoryLevel& level : caches)
    if (each <= level.bytes && level.bytesPerSecond > 0) return 1e9 * bytes / level.bytesPerSecond;
  return bytesPerSecond > 0 ? 1e9 * bytes / bytesPerSecond : 0;
}

const std::vector<DevicePeaks>& knownDevices() {
#define DEVICE(...) deviceOf(__VA_ARGS__),
  static const std::vector<DevicePeaks> kAll = {
#include "core/profile/devices.inc"
  };
#undef DEVICE
  return kAll;
}

const DevicePeaks* findDevice(std::string_view name) {
  const auto found =
      std::ranges::find_if(knownDevices(), [&](const DevicePeaks& device) { return sameButCase(device.name, name); });
  return found == knownDevices().end() ? nullptr : &*found;
}

const DevicePeaks* findRecordedDevice(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"TPU v5 lite", "TPU v5e"}, {"TPU v5", "TPU v5p"}, {"TPU v6 lite", "TPU v6e"}};
  for (const auto& [written, known] : kOtherNames)
    if (sameButCase(written, name)) name = known;
  for (const std::string_view maker : {"", "Google ", "NVIDIA ", "AMD "})
    if (const DevicePeaks* found = findDevice(std::string(maker) + std::string(name))) return found;
  return nullptr;
}

}  // namespace tessera
