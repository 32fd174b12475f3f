// Which lines of a device's plane are its work, and what their names say, as the profilers of XLA write them. Used by
// the readers of xplane.pb and of its Chrome traces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile/sources/recorded.h"

namespace tessera {

bool isDevicePlane(std::string_view plane);    // "/device:GPU:0", "/device:TPU:1"
bool isMetadataPlane(std::string_view plane);  // whose events are modules
bool isTaskPlane(std::string_view plane);      // about the process that was profiled
bool isOpsLine(std::string_view line);         // an event for each instruction, derived or TPU's own

// The instruction that an event of such a line is: its short name, or what "%NAME = …" defines.
std::string_view instructionNamed(std::string_view shortName, std::string_view name);
// Of "jit_step(8)".
std::pair<std::string, std::optional<uint64_t>> moduleAndProgram(std::string_view name);

struct DeviceLine {
  std::string name;
  std::vector<SeenEvent> events;
};
// Streams where their events name instructions, else the line of instructions too. Lines that repeat the same time
// under other names (modules, name scopes) are not added; modules determine whose instructions the events of that time
// are. baseNs: when their time 0 is.
void addDeviceLines(std::string_view plane, std::vector<DeviceLine> lines, Recorder& recorder, int64_t baseNs = 0);

}  // namespace tessera
