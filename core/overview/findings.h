// Findings: what a performance engineer would point at in a module, each with a number, a place and a sentence. Used by
// `tessera findings`, `tessera overview` and the studio's overview.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/overview/workload.h"

namespace tessera {

struct Finding {
  std::string_view rule;                    // "copies", "padding" …; the rows of rulesOfFindings()
  std::string text;                         // a sentence with its numbers
  std::vector<InstructionId> instructions;  // where; the worst first
  double bytes = 0, flops = 0;              // of one run: moved, wasted or computed for it; 0: no such number
  double timeNs = 0;                        // measured, of one run; 0: not measured
  bool estimated = true;  // the numbers come from shapes and trip counts; false: from a profile, or they are facts
  double weight = 0;      // what it costs on the scale of Workload::estimatedNs: the order of the list
};

struct FindingRule {
  std::string_view name, about;
  void (*find)(const Workload& work, std::vector<Finding>& out);
  bool measurable;  // the time of its instructions is what it costs
};
const std::vector<FindingRule>& rulesOfFindings();

// Those that cost a thousandth of the module's work or more, the costliest first. With a profile (of a run of this
// module) times take the place of estimates, where the rule has instructions of its own.
std::vector<Finding> findingsOf(const Workload& work);

}  // namespace tessera
