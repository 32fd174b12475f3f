// Gradients of reductions by any function: the reduction is written as a loop that folds in one element after the
// other, and the loop is differentiated. Of a window, the elements are its places.
#include <numeric>

#include "core/gradient/counted_loop.h"
#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"
#include "core/ops/shared/window_math.h"

namespace tessera::gradient {
namespace {

bool isWindowed(const Rule& r) { return r.forward.opcode == Opcode::ReduceWindow; }

int64_t product(const Ints& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies());
}

// --- what a step of the loop folds in: an array of the result's dimensions

// The reduced dimensions in front, as one.
Value stackOfReduced(Value x, const Ints& dims) {
  const Ints kept = otherDims(x.shape().rank(), dims);
  Ints permutation = dims, sizes{1};
  permutation.insert(permutation.end(), kept.begin(), kept.end());
  for (int64_t d : dims) sizes[0] *= x.dims()[static_cast<size_t>(d)];
  for (int64_t d : kept) sizes.push_back(x.dims()[static_cast<size_t>(d)]);
  return reshape(transpose(x, permutation), sizes);
}

Value padded(Value x, Value value, const Window& window) {
  std::vector<PaddingDimension> padding;
  for (const WindowDimension& w : window.dimensions)
    padding.push_back({w.paddingLow, w.paddingHigh, w.baseDilation - 1});
  return pad(x, value, padding);
}

// Of every window the element at its place number `step`, row-major among the places.
Value elementsAt(Value whole, const Window& window, Value step, const Ints& resultSizes) {
  Ints sizes;
  std::vector<SliceDimension> every;
  std::vector<Value> starts(resultSizes.size());
  Value rest = step;
  for (size_t d = resultSizes.size(); d-- > 0;) {
    const WindowDimension& w = window.dimensions[d];
    const Value size = stepNumber(*step.emitter, w.size);
    starts[d] = binary(Opcode::Remainder, rest, size) * stepNumber(*step.emitter, w.windowDilation);
    rest = rest / size;
  }
  for (size_t d = 0; d < resultSizes.size(); ++d) {
    sizes.push_back((resultSizes[d] - 1) * window.dimensions[d].stride + 1);
    every.push_back({0, sizes[d], window.dimensions[d].stride});
  }
  return slice(dynamicSlice(whole, starts, sizes), every);
}

// --- the fold

// (folded, elements) -> folded of one array, as a computation of scalars; the reducer itself where it folds one.
ComputationId foldOfOne(Session& session, ComputationId reducer, size_t k) {
  if (!session.module.shapeOf(session.module.at(reducer).root).isTuple()) return reducer;
  const std::string name = session.module.at(reducer).name + ".element";
  const ComputationId id = session.module.addComputation(session.freeComputationName(name));
  Emitter emit(session, id);
  const LeafParameters parameters = addLeafParameters(emit, reducer);
  finishComputation(emit, emit.element(inlineBody(emit, reducer, parameters.packed), k));
  return id;
}

class Fold {
 public:
  explicit Fold(Rule& r)
      : r_(r), count_(r.operandCount() / 2), results_(leavesOf(*r.forward.shape)[0].shape->dimensions) {
    if (isWindowed(r)) window_ = windowOr(r.attributes(), r.operandShape(0).dimensions.size());
    for (size_t k = 0; k < count_; ++k) folds_.push_back(foldOfOne(r.emit.session, r.callees()[0], k));
  }

  // A computation that gives what the reduction gives.
  ComputationId program() {
    Session& session = r_.emit.session;
    const std::string name = std::string(r_.forward.name) + ".fold";
    const ComputationId id = session.module.addComputation(session.freeComputationName(name));
    Emitter emit(session, id);
    std::vector<Value> operands;
    for (size_t i = 0; i < r_.operandCount(); ++i)
      operands.push_back(addParameter(emit, "operand", r_.operandShape(i)));
    std::vector<Value> state;  // folded, then what is folded in
    for (size_t k = 0; k < count_; ++k) state.push_back(broadcastScalar(operands[count_ + k], results_));
    for (size_t k = 0; k < count_; ++k) state.push_back(stacked(operands[k], operands[count_ + k]));
    std::vector<Value> results(state.begin(), state.begin() + static_cast<int64_t>(count_));
    if (steps() > 0) {  // of no elements there is none that a step could read
      const Value last = countedLoop(emit, name, steps(), state, [&](LoopProgram& p) { return step(p); });
      if (!last) return {};
      for (size_t k = 0; k < count_; ++k) results[k] = emit.element(last, 1 + k);
    }
    finishComputation(emit, r_.forward.shape->isTuple() ? emit.tuple(results) : results[0]);
    return id;
  }

 private:
  int64_t steps() const {
    Ints sizes;
    for (const WindowDimension& w : window_.dimensions) sizes.push_back(w.size);
    if (!isWindowed(r_))
      for (int64_t d : r_.attributes().ints(Attr::dimensions))
        sizes.push_back(r_.operandShape(0).dimensions[static_cast<size_t>(d)]);
    return product(sizes);
  }

  Value stacked(Value x, Value initial) const {
    return isWindowed(r_) ? padded(x, initial, window_) : stackOfReduced(x, r_.attributes().ints(Attr::dimensions));
  }

  std::vector<Value> step(LoopProgram& p) const {
    std::vector<Value> operands, after;
    for (size_t k = 0; k < count_; ++k) operands.push_back(p.at(1 + k));
    for (size_t k = 0; k < count_; ++k) {
      const Value whole = p.at(1 + count_ + k);
      operands.push_back(isWindowed(r_) ? elementsAt(whole, window_, p.step(), results_) : stepOf(whole, p.step()));
    }
    for (size_t k = 0; k < count_; ++k) {
      AttributeSet attributes;
      attributes.set(Attr::dimensions, otherDims(static_cast<int64_t>(results_.size()), {}));
      attributes.set(Attr::to_apply, folds_[k]);
      after.push_back(p.emit.make(Opcode::Map, operands, std::move(attributes)));
    }
    for (size_t k = 0; k < count_; ++k) after.push_back(p.at(1 + count_ + k));
    return after;
  }

  Rule& r_;
  const size_t count_;  // of arrays
  const Ints results_;  // dimensions of each result
  Window window_;       // of a reduce-window
  std::vector<ComputationId> folds_;
};

}  // namespace

Status foldRule(Rule& r) {
  const ComputationId program = Fold(r).program();
  TESSERA_TRY(r.emit.session.status);
  return calledRule(r, program);
}

}  // namespace tessera::gradient
