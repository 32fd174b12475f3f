// See alone_profile.h.
#include "backends/alone_profile.h"

#include <algorithm>

#include "core/evaluate/device_values.h"
#include "core/passes/partition/partition.h"

namespace tessera {

Result<AloneProfile> profileAlone(const Module& module, const RunRequest& request) {
  AloneProfile out;
  TESSERA_ASSIGN_OR_RETURN(out.grid, gridOf(module, request.replicas, request.partitions));
  TESSERA_ASSIGN_OR_RETURN(const Module program, partitionedFor(module, out.grid));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsBy(request.arguments, program, out.grid, 0));
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(request.backend));
  CompileOptions options = request.compile;
  if (options.threads == 0) options.threads = 1;
  TESSERA_ASSIGN_OR_RETURN(const auto executable, backend->compile(program, options));
  EchoCommunicator communicator(out.grid);
  RunOptions run;
  run.cancel = request.compile.cancel;
  run.communicator = &communicator;
  std::vector<Literal> results;
  TESSERA_TRY(executable->runInto(arguments, results, run));
  run.argumentsStay = run.resultsStay = true;  // between the steps of a training or of a decoding they do
  for (int64_t i = 0; i < std::max<int64_t>(request.profiledRuns, 1); ++i) {
    Profile profile;
    TESSERA_TRY(executable->runInto(arguments, results, run, &profile));
    if (i == 0 || profile.totalNs < out.profile.totalNs) out.profile = std::move(profile);
  }
  out.optimized = executable->optimized();
  return out;
}

}  // namespace tessera
