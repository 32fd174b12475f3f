// The gradient of scan: a scan that records the carries which a step's gradient reads, and one the other way round over
// slices, records and cotangents, which carries the carries' cotangents.
#include <algorithm>

#include "core/gradient/rules.h"

namespace tessera::gradient {
namespace {

class ScanGradient {
 public:
  explicit ScanGradient(Rule& r)
      : r_(r),
        session_(r.emit.session),
        callee_(r.callees()[0]),
        carries_(static_cast<size_t>(r.attributes().intOr(Attr::num_carries, 0))),
        inputs_(r.operandCount() - carries_),
        given_(r.given()),
        outputs_(given_.size() - carries_),
        along_(r.attributes().ints(Attr::dimensions)[0]) {}

  Status run() {
    std::vector<bool> wanted;
    for (size_t i = 0; i < r_.operandCount(); ++i)
      wanted.push_back(i < inputs_ ? r_.wants(i) : isDifferentiable(r_.operandShape(i).type));
    TESSERA_TRY(close(wanted));
    for (size_t k : pullback_->forwardInputs)
      if (k >= inputs_) recorded_.push_back(k);
    const std::vector<Value> records = recorded_.empty() ? std::vector<Value>() : record();
    TESSERA_TRY(session_.status);
    goBack(records);
    return session_.status;
  }

 private:
  // Carries take in what a step's gradient makes of the others.
  Status close(const std::vector<bool>& wanted) {
    for (bool grew = true; grew;) {
      grew = false;
      TESSERA_ASSIGN_OR_RETURN(pullback_, session_.pullbackOf(callee_, wanted, given_));
      for (size_t k : pullback_->outputs)
        if (k >= inputs_ && !given_[outputs_ + k - inputs_]) given_[outputs_ + k - inputs_] = grew = true;
    }
    return {};
  }

  // Carries that are scalars, or of few dimensions, cannot have the dimension that inputs have: records have it first.
  Value scan(const std::vector<Value>& inputs, const std::vector<Value>& initial, ComputationId callee, bool reverse) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, Ints{0});
    attributes.set(Attr::num_carries, static_cast<int64_t>(initial.size()));
    if (reverse) attributes.set(Attr::is_reverse, true);
    attributes.set(Attr::to_apply, callee);
    std::vector<Value> operands = inputs;
    operands.insert(operands.end(), initial.begin(), initial.end());
    return r_.emit.make(Opcode::Scan, operands, std::move(attributes));
  }

  // The dimension of the steps as the first, and back.
  Value stepsFirst(Value a) const {
    Ints permutation{along_};
    for (int64_t d = 0; d < a.shape().rank(); ++d)
      if (d != along_) permutation.push_back(d);
    return transpose(a, permutation);
  }
  Value stepsBack(Value a) const {
    Ints permutation;
    for (int64_t d = 1; d < a.shape().rank(); ++d) permutation.push_back(d);
    permutation.insert(permutation.begin() + along_, 0);
    return transpose(a, permutation);
  }

  bool isReverse() const { return r_.attributes().boolOr(Attr::is_reverse, false); }

  // What every scan can count its steps by.
  Value anyInput() { return stepsFirst(inputs_ > 0 ? r_.operand(0) : r_.emit.leaf(r_.result(), 0)); }

  std::vector<Value> record() {
    const std::string name = session_.module.at(callee_).name + ".recording";
    const ComputationId id = session_.module.addComputation(session_.freeComputationName(name));
    Emitter emit(session_, id);
    std::vector<Value> inputs, carries, arguments, results;
    for (size_t i = 0; i < inputs_; ++i) inputs.push_back(stepsFirst(r_.operand(i)));
    if (inputs.empty()) inputs.push_back(anyInput());
    for (const Value& input : inputs) arguments.push_back(parameterFor(emit, input));
    if (inputs_ == 0) arguments.clear();
    for (size_t c = 0; c < carries_; ++c) {
      carries.push_back(r_.operand(inputs_ + c));
      arguments.push_back(addParameter(emit, "carry", carries.back().shape()));
    }
    for (size_t k : recorded_) results.push_back(arguments[k]);
    const Value next = inlineBody(emit, callee_, arguments);
    for (size_t c = 0; c < carries_; ++c) results.push_back(emit.leaf(next, outputs_ + c));
    finishComputation(emit, emit.tuple(results));
    const Value recording = scan(inputs, carries, id, isReverse());
    std::vector<Value> out;
    for (size_t i = 0; i < recorded_.size(); ++i) out.push_back(r_.emit.element(recording, i));
    return out;
  }

  Value parameterFor(Emitter& emit, Value input) const {
    Ints dims = input.dims();
    dims.erase(dims.begin());
    return addParameter(emit, "slice", arrayLike(input.shape(), dims));
  }

  void goBack(const std::vector<Value>& records) {
    const std::string name = session_.module.at(callee_).name + ".gradient_step";
    const ComputationId id = session_.module.addComputation(session_.freeComputationName(name));
    Emitter emit(session_, id);
    std::vector<Value> inputs, carried, forward, cotangents;
    const auto take = [&](Value whole) {
      inputs.push_back(whole);
      return parameterFor(emit, whole);
    };
    for (size_t k : pullback_->forwardInputs)
      forward.push_back(k < inputs_
                            ? take(stepsFirst(r_.operand(k)))
                            : take(records[static_cast<size_t>(std::ranges::find(recorded_, k) - recorded_.begin())]));
    std::vector<Value> outs(given_.size());
    for (size_t k : pullback_->cotangentInputs)
      if (k < outputs_) outs[k] = take(stepsFirst(r_.d(k)));
    if (inputs.empty()) take(anyInput());
    const std::vector<ShapeLeaf> shapes = leavesOf(*r_.forward.shape);
    for (size_t k = outputs_; k < given_.size(); ++k) {
      if (!given_[k]) continue;
      carried.push_back(r_.d(k) ? r_.d(k) : r_.emit.zeros(*shapes[k].shape));
      outs[k] = addParameter(emit, "d_carry", *shapes[k].shape);
    }
    for (size_t k : pullback_->cotangentInputs) cotangents.push_back(outs[k]);
    giveBack(emit, inputs, carried, forward, cotangents);
  }

  void giveBack(Emitter& emit, const std::vector<Value>& inputs, const std::vector<Value>& carried,
                std::vector<Value> forward, const std::vector<Value>& cotangents) {
    forward.insert(forward.end(), cotangents.begin(), cotangents.end());
    const std::vector<Value> made =
        pullback_->computation.valid() ? applyInline(emit, *pullback_, forward) : std::vector<Value>();
    std::vector<Value> results;
    std::vector<size_t> slices;
    for (size_t j = 0; j < made.size(); ++j)
      if (pullback_->outputs[j] < inputs_) slices.push_back(pullback_->outputs[j]), results.push_back(made[j]);
    const std::vector<ShapeLeaf> shapes = leavesOf(*r_.forward.shape);
    std::vector<size_t> carries;
    for (size_t k = outputs_; k < given_.size(); ++k) {
      if (!given_[k]) continue;
      const size_t own = inputs_ + k - outputs_;
      const auto j = static_cast<size_t>(std::ranges::find(pullback_->outputs, own) - pullback_->outputs.begin());
      results.push_back(j < made.size() ? made[j] : emit.zeros(*shapes[k].shape));
      carries.push_back(own);
    }
    finishComputation(emit, emit.tuple(results));
    const Value back = scan(inputs, carried, emit.computation, !isReverse());
    if (!back) return;
    for (size_t i = 0; i < slices.size(); ++i) r_.give(slices[i], stepsBack(r_.emit.element(back, i)));
    for (size_t i = 0; i < carries.size(); ++i)
      if (r_.wants(carries[i])) r_.give(carries[i], r_.emit.element(back, slices.size() + i));
  }

  Rule& r_;
  Session& session_;
  const ComputationId callee_;
  const size_t carries_, inputs_;
  std::vector<bool> given_;  // by leaf of the result; carries whose cotangents a step makes come to it
  const size_t outputs_;
  const int64_t along_;
  const Pullback* pullback_ = nullptr;
  std::vector<size_t> recorded_;  // parameters of the computation that are carries and are read
};

}  // namespace

Status scanRule(Rule& r) {
  for (size_t i = 0; i < r.operandCount(); ++i)
    if (!r.operandShape(i).isArray()) return r.refuse("scan with carries that are tuples has no gradient here");
  return ScanGradient(r).run();
}

}  // namespace tessera::gradient
