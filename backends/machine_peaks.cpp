// See machine_peaks.h.
#include "backends/machine_peaks.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/formats/file_content.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kForm = 1;  // another number where what is measured has changed

std::string valueOf(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int coresOfThisMachine() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

Json toJson(const DevicePeaks& peaks) {
  Json out{{"form", kForm},
           {"name", peaks.name},
           {"cores", coresOfThisMachine()},
           {"source", peaks.source},
           {"flops_per_second", peaks.flopsPerSecond},
           {"bytes_per_second", peaks.bytesPerSecond}};
  out["caches"] = Json::array();
  for (const MemoryLevel& level : peaks.caches)
    out["caches"].push_back({{"name", level.name}, {"bytes", level.bytes}, {"bytes_per_second", level.bytesPerSecond}});
  return out;
}

DevicePeaks fromJson(const Json& json) {
  DevicePeaks out{.name = json.at("name"),
                  .flopsPerSecond = json.at("flops_per_second"),
                  .bytesPerSecond = json.at("bytes_per_second"),
                  .source = json.at("source")};
  for (const Json& level : json.at("caches"))
    out.caches.push_back({level.at("name"), level.at("bytes"), level.at("bytes_per_second")});
  return out;
}

bool isOfThisMachine(const Json& json) {
  return json.is_object() && json.value("form", 0) == kForm && json.value("cores", 0) == coresOfThisMachine() &&
         json.value("name", "") == processorName();
}

// Several cores that together are no quicker than one: others had them, or they are threads of one core.
bool coresWereBusy(const Roofline& roofline) {
  constexpr double kQuicker = 1.2;
  return roofline.cores > 1 && !roofline.arithmetic.empty() &&
         std::ranges::all_of(roofline.arithmetic,
                             [](const ArithmeticPeak& peak) { return peak.allCores < kQuicker * peak.oneCore; });
}

}  // namespace

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

DevicePeaks peaksOf(const Roofline& roofline, const std::string& date) {
  DevicePeaks out{.name = roofline.processor, .source = "measured " + date};
  if (coresWereBusy(roofline)) out.source += ", all cores no quicker than one: was the machine busy?";
  for (const ArithmeticPeak& peak : roofline.arithmetic)
    out.flopsPerSecond[peak.type] = std::max(peak.oneCore, peak.allCores);
  for (const MemoryPeak& peak : roofline.memory) {
    const double rate = std::max(peak.oneCore, peak.allCores);
    if (peak.level == "memory")
      out.bytesPerSecond = std::max(out.bytesPerSecond, rate);
    else if (peak.capacity > 0)
      out.caches.push_back({peak.level, static_cast<double>(peak.capacity), rate});
  }
  // A level that is no quicker than memory is another virtual machine's, or was busy.
  std::erase_if(out.caches, [&](const MemoryLevel& level) { return level.bytesPerSecond <= out.bytesPerSecond; });
  return out;
}

std::string machinePeaksFile() {
  if (valueOf("TESSERA_KERNEL_CACHE") == "off") return {};
  if (const std::string caches = valueOf("XDG_CACHE_HOME"); caches.starts_with('/'))
    return caches + "/tessera/machine.json";
  const std::string home = valueOf("HOME");
  return home.starts_with('/') ? home + "/.cache/tessera/machine.json" : "";
}

std::optional<DevicePeaks> keptPeaks(const std::string& file) {
  if (file.empty()) return std::nullopt;
  const auto text = readFile(file);
  if (!text) return std::nullopt;
  try {  // the file may hold anything
    const Json json = Json::parse(*text);
    if (isOfThisMachine(json)) return fromJson(json);
  } catch (const Json::exception&) {
  }
  return std::nullopt;
}

void keepPeaks(const DevicePeaks& peaks, const std::string& file) {
  if (file.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  (void)writeFileAtomically(file, toJson(peaks).dump(1) + "\n");
}

DevicePeaks measurePeaks(double seconds, const std::string& file) {
  DevicePeaks out = peaksOf(measureRoofline(seconds), today());
  keepPeaks(out, file);
  return out;
}

DevicePeaks machinePeaks() {
  auto kept = keptPeaks();
  return kept ? *std::move(kept) : measurePeaks();
}

}  // namespace tessera
