// DevicePeaks: what a device can do at most: arithmetic a second by element type, bytes a second by level of memory;
// measured on this machine (backends/machine_peaks) or of a table with its sources. What work is held against by
// OpTimes and core/analysis.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct MemoryLevel {
  std::string name;  // "L2"
  double bytes = 0;  // that it holds
  double bytesPerSecond = 0;
};

struct DevicePeaks {
  std::string name;
  std::map<std::string, double> flopsPerSecond;  // by element type; a multiply-add is two
  double bytesPerSecond = 0;                     // of its memory; 0: not known
  std::string source;                            // "measured 2026-11-27", or the document that says it
  std::vector<MemoryLevel> caches = {};          // the smallest first; of devices of the table none

  // Nanoseconds that so much arithmetic takes at least; 0 where the type has no peak.
  double computeNs(std::string_view type, double flops) const;
  // Nanoseconds to move so many bytes: those of one execution that fit into a cache move at its speed.
  double memoryNs(double bytes, double executions = 1) const;
};

// Of the table, by name.
const std::vector<DevicePeaks>& knownDevices();
const DevicePeaks* findDevice(std::string_view name);  // null: the table has none; capitals do not matter
// Of the table, by the name that a profiler writes: "TPU v5 lite", without its maker. Null: the table has none.
const DevicePeaks* findRecordedDevice(std::string_view name);

}  // namespace tessera
