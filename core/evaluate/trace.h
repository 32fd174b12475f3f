// The values of every instruction of one call: of the entry, and of computations that it calls, each in the application
// that a path of callers chooses (the 7th iteration of a loop, the branch taken, the k-th step of a reducer). What is
// incomplete is left out. Used by complete.cpp and the studio's values on nodes.
#pragma once

#include <atomic>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/evaluate/evaluate.h"

namespace tessera {

class CustomCallLibrary;
class FeedArrays;

// One step of the way from the entry: an instruction of the computation before, which of its computations, and which of
// its applications (the last one when there are fewer).
struct CallFrame {
  InstructionId caller;
  ComputationId computation;
  int64_t application = 0;
  bool operator==(const CallFrame&) const = default;
};
using CallPath = std::vector<CallFrame>;

struct CallTrace {
  ComputationId computation;
  std::vector<Literal> arguments;                     // empty when it was not called
  std::unordered_map<InstructionId, Literal> values;  // tuples whole
  int64_t applications = 0;                           // how often the caller applied it; 0: a branch that was not taken
  int64_t application = 0;                            // the one whose values these are
  std::vector<Literal> carried;  // of a while's body: the state before each iteration, the first 1000
};
struct Trace {
  CallTrace entry;
  std::vector<CallTrace> calls;  // parallel to the path; shorter when an application was not reached

  const Literal* find(InstructionId id) const;  // null: it has no value
};

// Fails with the evaluator's error. `arguments` are the entry's leaves. unknown: instructions of the entry whose values
// cannot be had; what depends on them is left out as if it were incomplete. feeds: what infeeds read, each call from
// where the run has come to by then, and what outfeeds give to; null: neither. library: the user's own targets of
// custom calls; null: built-in ones alone.
Result<Trace> traceModule(const Module& module, std::span<const Literal> arguments, const CallPath& path = {},
                          const std::atomic<bool>* cancel = nullptr, std::span<const InstructionId> unknown = {},
                          FeedArrays* feeds = nullptr, const CustomCallLibrary* library = nullptr);

// Instructions of a computation that have all they need and whose shapes agree, operands first.
std::vector<InstructionId> completePart(const Module& module, ComputationId computation,
                                        std::span<const InstructionId> unknown = {});
// The first callers from the entry down to a computation, each in its first application; empty: the entry, or it is
// not called.
CallPath pathTo(const Module& module, ComputationId computation);

}  // namespace tessera
