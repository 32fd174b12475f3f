// See counted_loop.h.
#include "core/gradient/counted_loop.h"

namespace tessera::gradient {

LoopProgram::LoopProgram(Session& session, const std::string& name, const Shape& shape)
    : emit(session, session.module.addComputation(session.freeComputationName(name))),
      state(addParameter(emit, "state", shape)) {}

Value stepNumber(Emitter& emit, int64_t value) { return emit.scalar(ElementType::S32, static_cast<double>(value)); }

Value countedLoop(Emitter& emit, const std::string& stem, int64_t steps, std::vector<Value> initial,
                  const std::function<std::vector<Value>(LoopProgram&)>& next) {
  initial.insert(initial.begin(), stepNumber(emit, 0));
  const Value init = emit.tuple(initial);
  if (!init) return {};
  const Shape state = init.shape();
  LoopProgram condition(emit.session, stem + ".condition", state);
  finishComputation(condition.emit, compare("LT", condition.step(), stepNumber(condition.emit, steps)));
  LoopProgram body(emit.session, stem + ".body", state);
  std::vector<Value> after = next(body);
  if (!emit.session.status) return {};
  after.insert(after.begin(), body.step() + stepNumber(body.emit, 1));
  finishComputation(body.emit, body.emit.tuple(after));
  AttributeSet attributes;
  attributes.set(Attr::condition, condition.emit.computation);
  attributes.set(Attr::body, body.emit.computation);
  return emit.make(Opcode::While, {init}, std::move(attributes));
}

}  // namespace tessera::gradient
