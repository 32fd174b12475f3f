// The scheduled computations of a module as one sequence of time: each is executed from one place, and a loop or a
// conditional lasts as long as what it calls. Used by AliasAnalysis.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// Who executes a computation.
struct CallSite {
  enum Role : uint8_t { Entry, Body, Condition, Branch };
  Role role = Entry;
  InstructionId caller;
  uint32_t operand = 0;  // Branch: the operand of the conditional that it takes
};

struct FlatSchedule {
  // Fails when the module is not flat (a body with two callers) or a call is left.
  static Result<FlatSchedule> of(const Module& module);

  std::vector<ComputationId> computations;           // callers first
  std::unordered_map<uint32_t, CallSite> callSites;  // by computation
  std::unordered_map<uint32_t, int64_t> lastTime;    // by computation: after all of its instructions
  std::vector<uint32_t> position;                    // by instruction: within its computation
  std::vector<int64_t> begin, end;                   // by instruction: time
};

}  // namespace tessera
