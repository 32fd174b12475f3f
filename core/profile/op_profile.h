// OpProfile: where the time of a profile went, instruction by instruction, whatever wrote it: XLA, Nsight Systems, a
// run of ours, a table. Time that matches no instruction is kept separately. Made by sources/profile_source; shown by
// `tessera profile`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

struct TimeStats {
  int64_t count = 0;
  int64_t totalNs = 0;  // with what is nested in it
  int64_t selfNs = 0;   // without instructions that are nested in it
  int64_t minNs = 0, medianNs = 0, p99Ns = 0, maxNs = 0;
};

struct InstructionTime {
  std::string name, computation, opcode;
  std::string module;
  std::optional<uint64_t> program;  // of the module: several may have one name
  std::string category;             // "dot", "elementwise": the group of its opcode
  std::string scope, source;        // op_name without its last word; file:line
  TimeStats times;
  double flops = 0, bytes = 0;  // over all counts; 0 for a loop or call whose instructions have rows of their own
  bool measured = true;         // false: a share of a step that computes several
  double value = 0;             // the sum, where the profile is of another measure than time
};

struct LostTime {
  std::string name, reason, where;
  TimeStats times;
  double value = 0;  // as InstructionTime's
};

struct ProfiledModule {
  std::string name;
  std::optional<uint64_t> program;
  std::shared_ptr<const Module> module;  // null: the profile does not hold it
};

class Timeline;

struct DevicePeaks;

struct OpProfile {
  std::string format;
  std::string measure;  // what the values are; "": time
  std::vector<std::string> hosts, runs, devices;
  std::vector<ProfiledModule> modules;
  int64_t steps = 0;
  TimeStats stepTimes;  // count 0: steps are not marked
  // The sum of what was recorded: total = placed + unmatched. Nested instructions count in both, as in each row.
  int64_t totalNs = 0, placedNs = 0, unmatchedNs = 0;
  int64_t selfNs = 0;                         // each moment of a thread counts once
  std::vector<InstructionTime> instructions;  // by self time
  std::vector<LostTime> unmatched;            // by time
  std::vector<LostTime> host;                 // of programs around it, in no sum: Python, launches, waiting
  std::vector<std::string> warnings;
  std::shared_ptr<Timeline> timeline;         // null: not requested, or the source has none
  std::shared_ptr<const DevicePeaks> device;  // that was recorded, where the profile says what it can do; else null
  std::shared_ptr<const Profile> run;         // of a run of ours, as it was written; null: another program's
};

enum class ProfileGroup : uint8_t { Opcode, Category, Scope, Source, Computation, Module };

struct GroupTime {
  std::string name;
  int64_t instructions = 0, count = 0, totalNs = 0, selfNs = 0;
  double flops = 0, bytes = 0;
};
// In sums by scope: the scope; without one the computation, as the program calls it, unless that is the entry. "":
// neither. entry: the name of the module's entry computation; "": not known.
const std::string& placeInScopes(const std::string& scope, const std::string& computation, const std::string& entry);
std::string nameOfEntry(const Module& module);
// By self time; what has no such name is one group, "(none)".
std::vector<GroupTime> groupedBy(const OpProfile& profile, ProfileGroup by);

struct SlowerRow {
  std::string name;
  double beforeNs = 0, afterNs = 0;  // self time; of a step, by medians, where both have steps
};
struct ProfileComparison {
  bool perStep = false;
  // The median of the step times, where both have them.
  double beforeNs = 0, afterNs = 0;
  TimeStats beforeSteps, afterSteps;  // count 0: it does not mark them
  size_t shared = 0;                  // names of instructions that both have
  std::vector<SlowerRow> rows;        // what differs, by how much
  double change() const { return beforeNs > 0 ? afterNs / beforeNs - 1 : afterNs > 0 ? 1 : 0; }
};
ProfileComparison compareProfiles(const OpProfile& before, const OpProfile& after);

std::string labelOf(const ProfiledModule& module);  // "jit_step (program 8)"
// The module of the profile whose instructions took longest; null: it holds none.
const ProfiledModule* longestModule(const OpProfile& profile);
// Whether two modules have the same instructions by name, opcode and shape.
bool haveSameInstructions(const Module& a, const Module& b);
// The rows of one module: by its name and, where several modules of the profile have it, by what they hold.
class RowsOfModule {
 public:
  RowsOfModule(const OpProfile& profile, const Module& module);
  bool has(const InstructionTime& row) const;

 private:
  std::string name_;
  std::optional<uint64_t> program_;
};

// Spans of the module lead to its instructions from now on.
void linkTimeline(const OpProfile& profile, const std::shared_ptr<const Module>& module);

// The overlay's form: the times of a module's instructions.
Profile toProfile(const OpProfile& profile, const Module& module);

}  // namespace tessera
