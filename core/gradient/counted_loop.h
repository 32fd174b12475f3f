// A while that runs a known number of times, over a flat tuple whose first element counts the steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/gradient/emitter.h"

namespace tessera::gradient {

// A computation that runs inside of the loop.
struct LoopProgram {
  Emitter emit;
  Value state;

  LoopProgram(Session& session, const std::string& name, const Shape& shape);
  Value at(size_t k) { return emit.element(state, k); }
  Value step() { return at(0); }
};

Value stepNumber(Emitter& emit, int64_t value);
// initial: the state behind the counter. next: in the body, gives the state behind the counter after a step. The
// result is the whole state.
Value countedLoop(Emitter& emit, const std::string& stem, int64_t steps, std::vector<Value> initial,
                  const std::function<std::vector<Value>(LoopProgram&)>& next);

}  // namespace tessera::gradient
