// Links: what connects the devices of a machine, as a table of known ones has it (links.inc) or as it was measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"

namespace tessera {

enum class Topology : uint8_t { Switch, Torus2, Torus3 };
std::string_view nameOf(Topology topology);  // "switch", "torus of 2 dimensions"

// Between devices of a node, or of all.
struct LinkTier {
  Topology topology = Topology::Switch;
  double bytesPerSecond = 0;  // one way: of a device into a switch, or of a link of a torus
  double seconds = 0;         // from device to device, or a hop
};

struct Links {
  std::string name, what, source;
  int64_t nodeDevices = 1;  // 1: there are no inner links
  LinkTier inner, outer;
};

std::span<const Links> knownLinks();
// ErrorKind::Usage lists the names.
Result<Links> linksNamed(const std::string& name);

}  // namespace tessera
