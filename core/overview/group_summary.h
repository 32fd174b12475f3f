// What a group of a picture is: its time and share, work, what goes in and out, the parameters it reads, its parts and
// the costliest of them. Used by the studio's inspector.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/overview/workload.h"

namespace tessera {

struct GroupSummary {
  // A value that crosses its edge, or a parameter of the entry that it reads.
  struct Value {
    InstructionId instruction;
    double bytes = 0;
  };
  struct Part {
    std::string title, group;   // group: its path, where it is one
    InstructionId instruction;  // itself, or the costliest inside
    size_t instructions = 1;
    Cost cost;  // of a run
    double weight = 0;
  };
  std::string path, title, subtitle;
  size_t instructions = 0;
  Cost cost;                           // of a run, loops by their trips
  double weight = 0, totalWeight = 0;  // nanoseconds of one run where measured, else on Workload's scale
  bool measured = false;
  std::vector<Value> inputs, outputs, parameters;  // by size
  std::vector<Part> parts;                         // by weight
};

// view: one in which the group is open and what it holds is closed. nullopt: it has no such group, or is of another
// module.
std::optional<GroupSummary> summaryOf(const Workload& work, const GraphView& view, int32_t group);

}  // namespace tessera
