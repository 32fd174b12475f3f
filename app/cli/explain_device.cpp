// See explain_device.h.
#include "app/cli/explain_device.h"

#include <bit>
#include <sstream>

#include <fmt/format.h>

namespace tessera::cli {

void tellMachineCode(const MachineCode& code, const StepListing& step, nlohmann::ordered_json& out, Report& report) {
  for (KernelFigures kernel : code.kernels) {
    if (kernel.name != step.kernel) continue;
    kernel.sharedBytes += step.dynamicSharedBytes;
    const double occupancy = kernel.occupancy(step.blockThreads);
    out["figures"] = {{"architecture", code.architecture},
                      {"registers", kernel.registers},
                      {"spilled_bytes", kernel.spilledBytes},
                      {"shared_bytes", kernel.sharedBytes},
                      {"instructions", kernel.instructions},
                      {"block_threads", step.blockThreads},
                      {"blocks", step.blocks},
                      {"occupancy", occupancy}};
    report.line(fmt::format(
        "ptxas for {}: {} registers, {} bytes spilled, {} bytes of shared memory, {} instructions, occupancy {:.0f} %",
        code.architecture, kernel.registers, kernel.spilledBytes, kernel.sharedBytes, kernel.instructions,
        100 * occupancy));
  }
  const std::string sass = sassOf(code, step.kernel);
  if (sass.empty()) {
    out["sass"] = "";
    out["no_sass"] = code.without;
    return report.line("machine code: none; " + code.without);
  }
  out["sass"] = sass;
  report.line("machine code:");
  std::istringstream lines(sass);
  for (std::string line; std::getline(lines, line);) report.line("  " + line);
}

void tellWarp(const std::vector<WarpAccess>& accesses, nlohmann::ordered_json& out, Report& report) {
  out["accesses"] = nlohmann::ordered_json::array();
  for (const WarpAccess& access : accesses) {
    nlohmann::ordered_json lanes = nlohmann::ordered_json::array();
    for (size_t lane = 0; lane < access.offsets.size(); ++lane)
      lanes.push_back(access.lanes >> lane & 1 ? nlohmann::ordered_json(access.offsets[lane]) : nullptr);
    out["accesses"].push_back({{"kernel", access.kernel},
                               {"place", access.place},
                               {"array", access.array},
                               {"writes", access.isWrite},
                               {"bytes", access.bytes},
                               {"offsets", std::move(lanes)},
                               {access.isShared ? "bank_rounds" : "sectors", access.units},
                               {"needed", access.needed}});
    report.line(fmt::format("{}: {} lanes {} {} bytes of {}: {} {}, {} needed", access.place,
                            std::popcount(access.lanes), access.isWrite ? "write" : "read", access.bytes, access.array,
                            access.units, access.isShared ? "rounds of the banks" : "sectors", access.needed));
  }
  if (accesses.empty()) report.line("the warp touches no memory");
}

}  // namespace tessera::cli
