// Shardy's shardings, which are strings in frontend attributes of a program that no partitioner has
// seen: meshes (xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=4]>}), shardings of values and manual axes. They become
// the Tilings of sharding.h. Used by manual regions and by `tessera run` on several devices.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/devices/sharding.h"
#include "core/hlo/module.h"

namespace tessera {

struct Mesh {
  std::vector<std::pair<std::string, int64_t>> axes;  // name and size, the major one first
  std::vector<int64_t> devices;                       // in row-major order of the axes
};
using Meshes = std::map<std::string, Mesh, std::less<>>;

// The value of a key in frontend attributes' text ({a="…",b={…}}), strings without quotes and escapes; "" when
// absent.
std::string frontendAttribute(std::string_view attributes, std::string_view key);
// All meshes of a module's frontend attributes; none when there are none.
Result<Meshes> meshesOf(const Module& module);
// "#sdy<manual_axes{"x", "y"}>".
Result<std::vector<std::string>> manualAxesOf(std::string_view text);
// "#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, …]>", a Tiling each; only the named axes cut, all others copy.
Result<std::vector<Tiling>> shardyTilings(std::string_view text, const Meshes& meshes,
                                          const std::vector<std::string>& axes);

}  // namespace tessera
