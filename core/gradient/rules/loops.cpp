// Gradients of loops that run a known number of times. A first loop runs the steps again and records, step by step,
// what the gradient of a step reads; a second one goes from the last step to the first with the cotangents of the
// state. Values that a loop passes on unchanged are not recorded.
#include <algorithm>

#include "core/gradient/counted_loop.h"
#include "core/gradient/rules.h"
#include "core/ops/inference/trip_count.h"

namespace tessera::gradient {
namespace {

// Leaves of the state that the body passes on unchanged, where the state is a tuple of arrays.
std::vector<bool> invariantLeaves(const Module& module, ComputationId body) {
  const Instruction& root = module.at(module.at(body).root);
  const Shape& state = *root.shape;
  std::vector<bool> out(leavesOf(state).size(), false);
  if (root.opcode != Opcode::Tuple || out.size() != root.operands.size()) return out;
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = elementOf(module, root.operands[k], module.at(body).parameters[0]) == std::optional<size_t>(k);
  return out;
}

// The least set of state leaves that has those of `given` and every leaf whose cotangent a step makes of theirs.
Result<const Pullback*> closedPullback(Session& session, ComputationId body, const std::vector<bool>& wanted,
                                       std::vector<bool>& given) {
  for (;;) {
    TESSERA_ASSIGN_OR_RETURN(const Pullback* pullback, session.pullbackOf(body, wanted, given));
    bool grew = false;
    for (size_t k : pullback->outputs)
      if (!given[k]) given[k] = grew = true;
    if (!grew) return pullback;
  }
}

Shape stackOf(const Shape& part, int64_t steps) {
  Ints dims = part.dimensions;
  dims.insert(dims.begin(), steps);
  return arrayLike(part, dims);
}

class WhileGradient {
 public:
  WhileGradient(Rule& r, int64_t steps)
      : r_(r),
        session_(r.emit.session),
        module_(r.emit.module),
        steps_(steps),
        body_(*r.attributes().get<ComputationId>(Attr::body)),
        invariant_(invariantLeaves(module_, body_)),
        given_(r.given()) {}

  Status run(const std::vector<bool>& wanted) {
    for (size_t k = 0; k < wanted.size(); ++k) given_[k] = given_[k] && wanted[k];
    TESSERA_ASSIGN_OR_RETURN(pullback_, closedPullback(session_, body_, wanted, given_));
    for (size_t k : pullback_->forwardInputs) (invariant_[k] ? kept_ : recorded_).push_back(k);
    const std::vector<Value> stacks = recorded_.empty() ? std::vector<Value>() : record();
    TESSERA_TRY(session_.status);
    goBack(stacks);
    return session_.status;
  }

 private:
  std::string stem(const char* what) const { return std::string(r_.forward.name) + "." + what; }

  // State: the step, the loop's own, and a stack of each recorded leaf.
  std::vector<Value> record() {
    const Shape shape = r_.operandShape(0);
    const std::vector<Value> own = r_.emit.leaves(r_.operand(0));
    const size_t n = own.size();
    std::vector<Value> initial = own;
    for (size_t k : recorded_) initial.push_back(r_.emit.zeros(stackOf(own[k].shape(), steps_)));
    const Value recording = countedLoop(r_.emit, stem("recording"), steps_, initial, [&](LoopProgram& p) {
      std::vector<Value> before, after;
      for (size_t k = 0; k < n; ++k) before.push_back(p.at(1 + k));
      const Value next = inlineBody(p.emit, body_, {p.emit.pack(shape, before)});
      for (size_t k = 0; k < n; ++k) after.push_back(p.emit.leaf(next, k));
      for (size_t i = 0; i < recorded_.size(); ++i)
        after.push_back(withStep(p.at(1 + n + i), p.step(), before[recorded_[i]]));
      return after;
    });
    std::vector<Value> out;
    for (size_t i = 0; i < recorded_.size(); ++i) out.push_back(r_.emit.element(recording, 1 + n + i));
    return out;
  }

  // State: the step, counted from the last, the cotangents, what the loop passes on, and the stacks.
  void goBack(const std::vector<Value>& stacks) {
    std::vector<size_t> carried;
    std::vector<Value> initial;
    const std::vector<ShapeLeaf> shapes = leavesOf(*r_.forward.shape);
    for (size_t k = 0; k < given_.size(); ++k) {
      if (!given_[k]) continue;
      carried.push_back(k);
      initial.push_back(r_.d(k) ? r_.d(k) : r_.emit.zeros(*shapes[k].shape));
    }
    for (size_t k : kept_) initial.push_back(r_.emit.leaf(r_.operand(0), k));
    initial.insert(initial.end(), stacks.begin(), stacks.end());
    const Value back =
        countedLoop(r_.emit, stem("gradient"), steps_, initial, [&](LoopProgram& p) { return stepBack(p, carried); });
    for (size_t i = 0; back && i < carried.size(); ++i) r_.give(0, r_.emit.element(back, 1 + i), carried[i]);
  }

  std::vector<Value> stepBack(LoopProgram& p, const std::vector<size_t>& carried) {
    const Value place = stepNumber(p.emit, steps_ - 1) - p.step();
    const auto placeIn = [](const std::vector<size_t>& list, size_t k) {
      return static_cast<size_t>(std::ranges::find(list, k) - list.begin());
    };
    const size_t afterCotangents = 1 + carried.size(), afterKept = afterCotangents + kept_.size();
    std::vector<Value> inputs;
    for (size_t k : pullback_->forwardInputs)
      inputs.push_back(invariant_[k] ? p.at(afterCotangents + placeIn(kept_, k))
                                     : stepOf(p.at(afterKept + placeIn(recorded_, k)), place));
    for (size_t k : pullback_->cotangentInputs) inputs.push_back(p.at(1 + placeIn(carried, k)));
    const std::vector<Value> given =
        pullback_->computation.valid() ? applyInline(p.emit, *pullback_, inputs) : std::vector<Value>();
    std::vector<Value> after;
    for (size_t i = 0; i < carried.size(); ++i) {
      const size_t j = placeIn(pullback_->outputs, carried[i]);
      const Shape shape = p.at(1 + i).shape();
      after.push_back(j < given.size() ? convert(given[j], shape.type) : p.emit.zeros(shape));
    }
    for (size_t k = afterCotangents; k < p.state.shape().elements.size(); ++k) after.push_back(p.at(k));
    return after;
  }

  Rule& r_;
  Session& session_;
  Module& module_;
  const int64_t steps_;
  const ComputationId body_;
  const std::vector<bool> invariant_;
  std::vector<bool> given_;  // state leaves whose cotangents are carried
  const Pullback* pullback_ = nullptr;
  std::vector<size_t> kept_, recorded_;  // of what a step's gradient reads
};

}  // namespace

Status whileRule(Rule& r) {
  std::vector<bool> wanted(leavesOf(*r.forward.shape).size());
  bool any = false;
  for (size_t k = 0; k < wanted.size(); ++k) {
    wanted[k] = r.isVaried(k);
    any = any || (wanted[k] && r.d(k));
  }
  if (!any) return {};
  const auto steps = countedTrips(r.emit.module, r.forward);
  if (!steps || *steps > INT32_MAX)
    return r.refuse(
        "how often the loop runs is not known beforehand, so that its steps cannot be recorded (a counter "
        "with a constant start, step and bound is)");
  return *steps == 0 ? passOnRule(r) : WhileGradient(r, *steps).run(wanted);
}

}  // namespace tessera::gradient
