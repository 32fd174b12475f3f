// See tuning.h. Part of libtessera_runtime.a as well, so it uses the C++ library alone.
#include "core/base/tuning.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace tessera {
namespace {

struct CacheLevel {
  int level = 0;
  bool holdsData = false;
  int64_t bytes = 0;
};

CacheLevel cacheLevel(int index) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
  CacheLevel out;
  std::string type;
  char unit = 0;
  std::ifstream(folder + "level") >> out.level;
  std::ifstream(folder + "type") >> type;
  if (std::ifstream size(folder + "size"); size >> out.bytes >> unit) out.bytes <<= unit == 'M' ? 20 : 10;
  out.holdsData = type != "Instruction";
  return out;
}

Tuning& processTuning() {
  static Tuning tuning = tuningFor(measuredCaches());
  return tuning;
}

}  // namespace

Caches measuredCaches() {
  Caches out;
  int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const CacheLevel found = cacheLevel(index);
    if (found.level == 0) break;
    if (!found.holdsData || found.bytes < int64_t{4} << 10 || found.bytes >= int64_t{1} << 30) continue;
    if (found.level == 1) out.firstBytes = found.bytes;
    if (found.level == 2) out.secondBytes = found.bytes;
    largest = std::max(largest, found.bytes);
  }
  if (largest > 0) out.lastBytes = largest;
  return out;
}

Tuning tuningFor(const Caches& caches) {
  Tuning out;
  out.caches = caches;
#define TESSERA_TUNING_GROUP(name, what) \
  {                                      \
    auto& group = out.name;
#define TESSERA_TUNING(type, name, value, least, most, decides, chosenBy) \
  group.name = static_cast<type>(std::clamp<double>(static_cast<double>(value), least, most));
#define TESSERA_TUNING_END(name) }
#include "core/base/tuning.inc"
  return out;
}

const Tuning& tuning() { return processTuning(); }

void setTuning(const Tuning& tuning) { processTuning() = tuning; }

}  // namespace tessera
