// One way to run a module: what is run, with which arguments, on how many devices, with which feeds, how often, and
// what is measured. Used by `tessera run`, the studio and tests, which read files before and write them after.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/engine.h"
#include "backends/hardware_counters.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/evaluate/argument_rules.h"
#include "core/evaluate/feed_arrays.h"
#include "core/profile/profile.h"
#include "core/trust/file_access.h"

namespace tessera {

// Stages of progress after those of compiling: "run", "run 1 of 5" where there are several, "profiled run 1
// of 5".
inline constexpr std::string_view kRunStage = "run", kProfileStage = "profiled run";

struct RunRequest {
  std::string backend = "cpu";
  // Its cancel and progress are those of the whole request. Of several devices each has one thread, but for an engine's
  // if it is more precise.
  CompileOptions compile;
  int64_t replicas = 0, partitions = 0;  // 0: from the module
  // Null: the devices are threads of this process. Else it is rank() of the engine, computes that device, and rank 0
  // reports for all.
  Engine* engine = nullptr;
  bool gathersOutputs = true;  // rank 0 gets those of all devices
  ArgumentRules arguments;
  std::optional<NamedArrays> infeed;  // feed0 …; absent: there is no source
  bool keepsOutfeed = false;          // false: there is no sink
  FeedForm feedForm;
  std::shared_ptr<const CustomCallLibrary> library;  // null: built-in targets only

  // Of devices with a memory of their own: from the second run on arguments and results stay there, so that copies to
  // and from the host are not timed.
  bool resident = false;

  // In this order. The first run of all gives the outputs: a program with a random state gives others later.
  int64_t warmUps = 0, runs = 1, profiledRuns = 0;
  // A first run that takes longer leaves one of each; 0: never.
  double longRunMs = 0;
  bool quickestProfile = false;  // of the profiled runs the quickest one's; false: their sum
  bool counters = false;         // of the processor, over the runs, or the profiled ones where there are no others
};

struct RunReport {
  DeviceGrid grid;
  Module program;                         // of each device: the module, or what the partitioner made of it
  DeviceArrays outputs;                   // leaves of the entry's root
  NamedArrays outfeed;                    // of the first run
  double compileMs = 0, firstRunMs = 0;   // compileMs: of a backend whose library is loaded
  std::vector<double> runMs, profiledMs;  // of each run; of a profiled one without what writing the profile took
  Profile profile;                        // of all devices together
  KernelCounts kernels;
  std::vector<DeviceReport> deviceReports;                    // what simulated devices complain of
  int64_t peakBytes = 0, argumentBytes = 0, outputBytes = 0;  // of all devices together
  size_t arguments = 0;
  std::vector<CounterValue> counters;  // of one run: the processor's, and the kernel's account of the process
  std::string countersAbsent;  // why the processor's are not there; empty: they were not asked for, or are there
  std::vector<std::string> reordered;  // instructions that an engine reduces in another order than threads do

  double medianMs() const;  // of runs, or of profiled ones where there are no others
  double quickestMs() const;
};

// The results with the shapes of the module that was given: where the partitioner has cut it, now or before, blocks are
// joined, one program a replica; else each device's own. Fails where the blocks are not those of the given module.
Result<DeviceArrays> outputsAsGiven(const Module& module, const RunReport& ran);

// Fails with what any device fails with, and with ErrorKind::Runtime when it is cancelled.
Result<RunReport> runModule(const Module& module, const RunRequest& request);

// With the files of settings, as far as they may be used: the library is loaded, the infeed read; sources are read when
// the run needs them.
Result<RunRequest> requestOf(const RunSettings& settings, const FileAccess& files);
// The library alone; null: the settings name none.
Result<std::shared_ptr<const CustomCallLibrary>> libraryOf(const RunSettings& settings, const FileAccess& files);
// The arguments alone, which touch no feed and no library; with inputs.npz beside the file.
Result<ArgumentRules> argumentRulesOf(const RunSettings& settings, const FileAccess& files);

}  // namespace tessera
