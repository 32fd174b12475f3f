// The peaks of this machine as work is held against them: measured once, kept with their date in the cache folder, and
// read from there by later programs. Used by `tessera machine`, `tessera profile --device=this` and the studio.
#pragma once

#include <optional>
#include <string>

#include "backends/roofline.h"
#include "core/profile/device_peaks.h"

namespace tessera {

// On all cores; `date` as "2026-11-27".
DevicePeaks peaksOf(const Roofline& roofline, const std::string& date);
std::string today();

// $XDG_CACHE_HOME/tessera/machine.json, else in ~/.cache; "" where there is no home or no cache is wanted
// (TESSERA_KERNEL_CACHE=off).
std::string machinePeaksFile();
// Those in the file; nullopt: it has none of this processor and number of cores.
std::optional<DevicePeaks> keptPeaks(const std::string& file = machinePeaksFile());
// What cannot be written is measured again the next time.
void keepPeaks(const DevicePeaks& peaks, const std::string& file = machinePeaksFile());
// Measured now, `seconds` a figure, and kept.
DevicePeaks measurePeaks(double seconds = 0.05, const std::string& file = machinePeaksFile());
// Kept ones, else measured ones.
DevicePeaks machinePeaks();

}  // namespace tessera
