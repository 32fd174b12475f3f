// See device_times.h.
#include "backends/device_times.h"

#include <map>

#include "backends/backend.h"
#include "core/profile/op_times.h"

namespace tessera {

namespace {

Result<Profile> profileOn(const std::string& device, const Module& module, std::span<const Literal> arguments, int runs,
                          const std::atomic<bool>* cancel) {
  CompileOptions options;
  options.cancel = cancel;
  options.kernelCache = defaultKernelCache();
  TESSERA_ASSIGN_OR_RETURN(const auto executable, compileOn(device, module, options));
  RunOptions run;
  run.cancel = cancel;
  std::vector<Literal> outputs;
  Profile profile;
  TESSERA_TRY(executable->runInto(arguments, outputs, run));
  for (int i = 0; i < runs; ++i) TESSERA_TRY(executable->runInto(arguments, outputs, run, &profile));
  return medianRun(profile);
}

}  // namespace

Result<DeviceTimes> timesOnDevices(const Module& module, std::span<const Literal> arguments, const std::string& left,
                                   const std::string& right, int runs, const std::atomic<bool>* cancel) {
  TESSERA_ASSIGN_OR_RETURN(const Profile first, profileOn(left, module, arguments, runs, cancel));
  TESSERA_ASSIGN_OR_RETURN(const Profile second, profileOn(right, module, arguments, runs, cancel));
  DeviceTimes out{static_cast<double>(first.totalNs), static_cast<double>(second.totalNs), {}};
  std::map<InstructionId, NodeTimes> nodes;
  for (const SourceProfile& source : first.sources) {
    NodeTimes& node = nodes[source.instruction];
    node.leftNs = source.timeNs;
    node.leftMeasured = source.measured;
  }
  for (const SourceProfile& source : second.sources) {
    NodeTimes& node = nodes[source.instruction];
    node.rightNs = source.timeNs;
    node.rightMeasured = source.measured;
  }
  for (auto& [id, node] : nodes) {
    node.instruction = id;
    out.nodes.push_back(node);
  }
  return out;
}

}  // namespace tessera
