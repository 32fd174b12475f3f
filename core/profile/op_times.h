// OpTimes: what was measured as one, unit by unit: an instruction, or a step that computes several, with the members
// that share its time by counted work. The common form of our runs and of other programs' profiles, and what the
// machine would have allowed. Read by op_tree and the profile panel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/profile/device_peaks.h"
#include "core/profile/op_profile.h"
#include "core/profile/profile.h"

namespace tessera {

enum class BoundBy : uint8_t {
  Unknown,   // there is no work, or the device's peaks are not known
  Compute,   // its arithmetic takes longer than its bytes
  Memory,    // its bytes do
  Overhead,  // both together would take less than a tenth of the time
};
std::string_view nameOf(BoundBy bound);

// An instruction as profiles name it.
struct OpFacts {
  InstructionId instruction;  // of the module; invalid: none of its instructions
  std::string name, opcode, category, scope, source, computation;
};

// Part of a unit that computes several instructions: estimated by counted work.
struct OpMember {
  OpFacts facts;
  double timeNs = 0, flops = 0, bytes = 0;
};

// Times, counts and work are of one run (step) where runs are known, else of all that was recorded.
struct OpUnit {
  OpFacts facts;
  double count = 0;
  double selfNs = 0;             // the median of the runs, where each is known
  double totalNs = 0;            // with what a loop or call runs
  double lowNs = 0, highNs = 0;  // of OpTimes::spreadOf; 0 and 0: not known
  double medianNs = 0;           // the same, where selfNs is a mean; else 0
  std::vector<int64_t> runNs;    // selfNs of each run; empty: not known
  double flops = 0, bytes = 0;   // of selfNs
  std::string type;              // of its arithmetic: "f32"
  bool measured = true;          // false: a share of a step that the profile does not name
  BoundBy bound = BoundBy::Unknown;
  double attainableNs = 0;        // 0: not known
  std::vector<OpMember> members;  // their times add up to selfNs; none: it is one instruction
  double wastedNs() const { return attainableNs > 0 && selfNs > attainableNs ? selfNs - attainableNs : 0; }
};

struct OpTimes {
  std::vector<OpUnit> units;
  std::vector<LostTime> lost;  // what landed on no instruction; times as the units'
  double totalNs = 0;          // of all units and what is lost
  int64_t runs = 0;            // 0: not known
  std::string spreadOf;        // "run", "execution"
  std::string entry;           // the name of the module's entry computation; "": no module
};

// Of our own run: its steps. The module is the one that ran, before its passes.
OpTimes opTimesOf(const Profile& profile, const std::shared_ptr<const Module>& module);
// Of any profile: its instructions, where they are the module's. module: null where there is none.
OpTimes opTimesOf(const OpProfile& profile, const std::shared_ptr<const Module>& module);

// Fills bound and attainableNs. A type without a peak of its own is bound by its bytes alone.
void holdAgainst(OpTimes& times, const DevicePeaks& peaks);

// Of sorted or unsorted values; 0 where there are none.
double medianOf(std::vector<int64_t> values);
// The profile of its median run: times of each step and source, without the timeline.
Profile medianRun(const Profile& profile);

}  // namespace tessera
