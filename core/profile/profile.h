// Profile: what one or more runs of an Executable took. Steps are measured; source instructions get their share by
// provenance (apportioned). Times in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace tessera {

// One step of the plan, over all runs; refers to the optimised module.
struct StepProfile {
  InstructionId instruction;  // in the optimised module
  std::string name;           // its HLO name
  std::string what;           // "kernel", "dot (oneDNN)", "while" …
  int64_t count = 0;
  int64_t totalNs = 0;  // exclusive of nested steps
  int64_t minNs = 0;
  double flops = 0;  // over all counts; transcendentals count one each
  double bytes = 0;
  std::vector<int64_t> runNs;  // totalNs of each run; empty: not known
};

// Share of one instruction of the source module. measured: a step of its own computed it alone.
struct SourceProfile {
  InstructionId instruction;  // in the source module
  double timeNs = 0;
  double flops = 0;
  double bytes = 0;
  bool measured = false;
};

// What one step spent on one instruction of the source module, over all runs: counted, not measured, where a step has
// several.
struct StepShare {
  int32_t step = 0;  // index into steps
  InstructionId instruction;
  double timeNs = 0;
  double flops = 0;
  double bytes = 0;
};

struct TimelineEvent {
  int32_t thread = 0;
  int32_t step = 0;                // index into steps
  int64_t beginNs = 0, endNs = 0;  // since the start of the first run
};

struct Profile {
  std::string module;
  int64_t runs = 0;
  int64_t totalNs = 0;
  std::vector<int64_t> runNs;  // of each run; empty: not known
  std::vector<StepProfile> steps;
  std::vector<SourceProfile> sources;  // sorted by instruction id
  std::vector<StepShare> shares;       // by step
  std::vector<TimelineEvent> timeline;
  std::vector<std::string> threadNames;  // of the timeline's rows: "stream 1"; "" and what is missing: "thread N"

  std::string nameOfThread(size_t thread) const {
    const bool isNamed = thread < threadNames.size() && !threadNames[thread].empty();
    return isNamed ? threadNames[thread] : "thread " + std::to_string(thread);
  }
};

// Chrome trace JSON (Perfetto opens it) that also carries steps and sources, so that it reads back whole.
std::string toChromeTrace(const Profile& profile);
Result<Profile> readChromeTrace(const std::string& text);

}  // namespace tessera
