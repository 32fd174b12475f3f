// ValueFlow: where values go and where they come from, across calls, loops, fusions, conditionals and tuples: cones,
// neighbourhoods and shortest paths. Used by `tessera path` and the studio.
//
// A walk passes a call as one step and goes into the computation that it runs, or out to those that call it: out first,
// then in, so that what goes in at one call does not come out at another.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/hlo/module.h"
#include "core/tools/flow/call_summaries.h"
#include "core/tools/flow/flow_values.h"

namespace tessera {

enum class FlowDirection : uint8_t { Up, Down };  // to what it comes from, to what comes from it

struct FlowStep {
  InstructionId instruction;
  enum class How : uint8_t {
    Start,
    Use,            // reads the one before as an operand
    Enter,          // is a parameter of a computation that a user of the one before runs
    Leave,          // runs the computation whose result the one before is
    NextIteration,  // is the parameter of the loop whose result the one before is
  } how = How::Start;
  std::vector<int64_t> element = {};  // of a tuple: which of its arrays; empty: it is an array
};

class ValueFlow {
 public:
  // Takes a sweep over the module, which must stay as it is.
  explicit ValueFlow(const Module& module);

  // All that the results come from, or that comes from them; with the instructions themselves, sorted.
  std::vector<InstructionId> cone(std::span<const InstructionId> from, FlowDirection direction) const;
  // What is on some path between the two; empty: there is none.
  std::vector<InstructionId> between(InstructionId from, InstructionId to) const;
  // What is at most so many steps away, up or down.
  std::vector<InstructionId> neighbourhood(std::span<const InstructionId> from, int64_t hops) const;
  // A shortest one, down from the first to the second; empty: no value of it gets there.
  std::vector<FlowStep> path(InstructionId from, InstructionId to) const;
  // Through the instructions in their order.
  std::vector<FlowStep> path(std::span<const InstructionId> through) const;

 private:
  // What a walk has reached: a value, and whether it has gone into a call and may not come out any more.
  struct Place {
    ValueNumber value;
    bool inside;
  };
  using Visit = std::function<void(ValueNumber value, bool inside, FlowStep::How how)>;
  struct Site {
    InstructionId call;
    CallBinding binding;
  };
  class Walk;
  std::vector<int64_t> elementOf(ValueNumber value) const;

  void each(Place from, FlowDirection direction, const Visit& visit) const;
  void eachInRow(const Instruction& in, const std::function<void(ValueNumber, uint32_t row)>& take) const;
  void sources(ValueNumber value, const Visit& visit, bool inside) const;
  void targets(ValueNumber value, const Visit& visit, bool inside) const;
  void use(const Instruction& user, size_t operand, uint32_t leaf, const Visit& visit, bool inside) const;
  void outUp(ValueNumber value, const Visit& visit, bool inside) const;
  void outDown(ValueNumber value, const Visit& visit, bool inside) const;
  void inUp(ValueNumber value, const Visit& visit) const;
  void inDown(ValueNumber value, const Visit& visit) const;
  void oneOrAll(InstructionId id, uint32_t leaf, uint32_t of, const std::function<void(ValueNumber)>& take) const;

  const Module& module_;
  FlowValues values_;
  CallSummaries summaries_;
  UserTable users_;
  std::vector<std::vector<Site>> sites_;  // by computation
};

}  // namespace tessera
