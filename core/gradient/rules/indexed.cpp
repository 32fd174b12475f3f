// Gradients of reads and writes at computed places. Reads clamp their starts and writes skip what is outside, so that
// the gradient of a read clamps the indices first, and that of a write masks what was skipped.
#include <algorithm>
#include <limits>

#include "core/gradient/rules.h"
#include "core/hlo/numbers.h"
#include "core/ops/shared/scatter_targets.h"

namespace tessera::gradient {
namespace {

std::vector<Value> operandsFrom(Rule& r, size_t first) {
  std::vector<Value> out;
  for (size_t i = first; i < r.operandCount(); ++i) out.push_back(r.operand(i));
  return out;
}

// --- gather and scatter with the same dimension numbers

struct IndexNumbers {
  Ints window, hidden, startMap, batch, indicesBatch;
  int64_t vectorDim = 0;
  bool sorted = false, unique = false;
};

IndexNumbers numbersOfGather(const AttributeSet& a) {
  return {a.ints(Attr::offset_dims),
          a.ints(Attr::collapsed_slice_dims),
          a.ints(Attr::start_index_map),
          a.ints(Attr::operand_batching_dims),
          a.ints(Attr::start_indices_batching_dims),
          a.intOr(Attr::index_vector_dim, 0),
          a.boolOr(Attr::indices_are_sorted, false),
          false};
}

IndexNumbers numbersOfScatter(const AttributeSet& a) {
  return {a.ints(Attr::update_window_dims),
          a.ints(Attr::inserted_window_dims),
          a.ints(Attr::scatter_dims_to_operand_dims),
          a.ints(Attr::input_batching_dims),
          a.ints(Attr::scatter_indices_batching_dims),
          a.intOr(Attr::index_vector_dim, 0),
          a.boolOr(Attr::indices_are_sorted, false),
          a.boolOr(Attr::unique_indices, false)};
}

void setPromises(AttributeSet& attributes, const IndexNumbers& numbers) {
  if (numbers.sorted) attributes.set(Attr::indices_are_sorted, true);
  if (numbers.unique) attributes.set(Attr::unique_indices, true);
}

Value gather(Value from, Value indices, const IndexNumbers& numbers, const Ints& sizes) {
  AttributeSet attributes;
  attributes.set(Attr::offset_dims, numbers.window);
  attributes.set(Attr::collapsed_slice_dims, numbers.hidden);
  attributes.set(Attr::start_index_map, numbers.startMap);
  if (!numbers.batch.empty()) attributes.set(Attr::operand_batching_dims, numbers.batch);
  if (!numbers.batch.empty()) attributes.set(Attr::start_indices_batching_dims, numbers.indicesBatch);
  attributes.set(Attr::index_vector_dim, numbers.vectorDim);
  attributes.set(Attr::slice_sizes, sizes);
  if (numbers.sorted) attributes.set(Attr::indices_are_sorted, true);
  return from.emitter->make(Opcode::Gather, {from, indices}, std::move(attributes));
}

Value scatter(ComputationId combine, Value into, Value indices, Value updates, const IndexNumbers& numbers) {
  AttributeSet attributes;
  attributes.set(Attr::update_window_dims, numbers.window);
  attributes.set(Attr::inserted_window_dims, numbers.hidden);
  attributes.set(Attr::scatter_dims_to_operand_dims, numbers.startMap);
  if (!numbers.batch.empty()) attributes.set(Attr::input_batching_dims, numbers.batch);
  if (!numbers.batch.empty()) attributes.set(Attr::scatter_indices_batching_dims, numbers.indicesBatch);
  attributes.set(Attr::index_vector_dim, numbers.vectorDim);
  setPromises(attributes, numbers);
  attributes.set(Attr::to_apply, combine);
  return into.emitter->make(Opcode::Scatter, {into, indices, updates}, std::move(attributes));
}

Value scatterAdd(Value into, Value indices, Value updates, const IndexNumbers& numbers) {
  return scatter(into.emitter->session.reducer(Opcode::Add, into.type()), into, indices, updates, numbers);
}

// The largest start of each component, over the indices; one scalar where all are equal and `mayBeScalar`.
Value lastStarts(Value indices, const IndexNumbers& numbers, const Ints& operand, const Ints& sizes, bool mayBeScalar) {
  const ElementType type = indices.type();
  const int bits = info(type).bits - (isSigned(type) ? 1 : 0);
  const int64_t largest = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  Ints last;
  for (int64_t d : numbers.startMap)
    last.push_back(std::min(operand[static_cast<size_t>(d)] - sizes[static_cast<size_t>(d)], largest));
  Emitter& emit = *indices.emitter;
  if (std::ranges::adjacent_find(last, std::ranges::not_equal_to()) == last.end()) {
    const Value one = emit.scalar(type, last.empty() ? 0 : static_cast<double>(last[0]));
    return mayBeScalar ? one : broadcastScalar(one, indices.dims());
  }
  Literal literal = Literal::zeros(Shape::arrayRowMajor(type, {static_cast<int64_t>(last.size())})).value();
  for (size_t k = 0; k < last.size(); ++k)
    storeInt(type, literal.mutableBytes().data() + k * static_cast<size_t>(byteWidth(type)), last[k]);
  return broadcast(emit.constant(std::move(literal)), {numbers.vectorDim}, indices.shape());
}

Value clampedIndices(Value indices, const IndexNumbers& numbers, const Ints& operand, const Ints& sizes) {
  Emitter& emit = *indices.emitter;
  const Value last = lastStarts(indices, numbers, operand, sizes, true);
  const Value zero = emit.scalar(indices.type(), 0);
  return emit.make(Opcode::Clamp,
                   {last.shape().isScalar() ? zero : broadcastScalar(zero, indices.dims()), indices, last});
}

// pred over the updates: whether the window that each belongs to is inside the operand.
Value insideMask(Value indices, const IndexNumbers& numbers, const Ints& operand, const Ints& sizes,
                 const Shape& updates) {
  const Value last = lastStarts(indices, numbers, operand, sizes, false);
  Value inside = binary(Opcode::And, compare("GE", indices, indices.emitter->zeros(indices.shape())),
                        compare("LE", indices, last));
  if (numbers.vectorDim < indices.shape().rank()) inside = reduce(Opcode::And, inside, {numbers.vectorDim});
  return broadcast(inside, otherDims(updates.rank(), numbers.window), updates);
}

// --- scatter, by what it does with old and new values

struct ScatterSite {
  Rule& r;
  IndexNumbers numbers;
  Ints sizes;  // of a window in the operand
  Value g, indices;

  Value gathered(Value from) const { return gather(from, indices, numbers, sizes); }
  Value masked(Value value) const {
    const Shape& updates = r.operandShape(2);
    return select(insideMask(indices, numbers, r.operandShape(0).dimensions, sizes, updates), value,
                  r.emit.zeros(arrayLike(value.shape(), updates.dimensions)));
  }
};

Status addRule(const ScatterSite& s) {
  if (s.r.wants(0)) s.r.give(0, s.g);
  if (s.r.wants(2)) s.r.give(2, s.masked(s.gathered(s.g)));
  return {};
}

// Of several writes to one place the one counts whose number is there in the end.
Status overwriteRule(const ScatterSite& s, ComputationId combine) {
  Emitter& emit = s.r.emit;
  const Shape updates = s.r.operandShape(2), operand = s.r.operandShape(0);
  if (s.r.wants(0))
    s.r.give(0, scatter(combine, s.g, s.indices, emit.zeros(arrayLike(s.g.shape(), updates.dimensions)), s.numbers));
  if (!s.r.wants(2)) return {};
  if (s.numbers.unique) {
    s.r.give(2, s.masked(s.gathered(s.g)));
    return {};
  }
  const int64_t count = updates.elementCount().value_or(0);
  const Value own = reshape(iota(emit, {count}, 0) + 1, updates.dimensions);
  const ComputationId last = emit.session.second(ElementType::S32);
  const Value written =
      scatter(last, emit.zeros(Shape::arrayRowMajor(ElementType::S32, operand.dimensions)), s.indices, own, s.numbers);
  s.r.give(2, select(compare("EQ", s.gathered(written), own), s.gathered(s.g),
                     emit.zeros(arrayLike(s.g.shape(), updates.dimensions))));
  return {};
}

Status multiplyRule(const ScatterSite& s) {
  Emitter& emit = s.r.emit;
  if (s.r.wants(2) && !s.numbers.unique)
    return s.r.refuse("scatter that multiplies has a gradient for its updates only with unique_indices=true");
  if (s.r.wants(0)) {
    const Value ones = emit.filled(s.r.result().shape(), 1);
    const ComputationId product = emit.session.reducer(Opcode::Multiply, ones.type());
    s.r.give(0, s.g * scatter(product, ones, s.indices, s.r.operand(2), s.numbers));
  }
  if (s.r.wants(2)) s.r.give(2, s.masked(s.gathered(s.g * s.r.operand(0))));
  return {};
}

// Shared evenly by all that have the value which won.
Status extremeRule(const ScatterSite& s) {
  const Value r = s.r.result(), old = s.r.operand(0), updates = s.r.operand(2);
  const auto number = [&](Value condition, const Shape& like) { return convert(condition, like.type); };
  const Value oldWins = number(compare("EQ", old, r), r.shape());
  const Value newWins = s.masked(number(compare("EQ", updates, s.gathered(r)), r.shape()));
  const Value share = s.g / (scatterAdd(oldWins, s.indices, newWins, s.numbers));
  if (s.r.wants(0)) s.r.give(0, oldWins * share);
  if (s.r.wants(2)) s.r.give(2, newWins * s.gathered(share));
  return {};
}

bool givesSecond(const Module& module, ComputationId computation) {
  const Computation& c = module.at(computation);
  return c.parameters.size() == 2 && c.root == c.parameters[1];
}

}  // namespace

Status dynamicSliceRule(Rule& r) {
  if (!r.wants(0)) return {};
  const std::vector<Value> starts = operandsFrom(r, 1);
  const Value soFar = r.soFar(0);
  if (!soFar) {
    r.give(0, dynamicUpdate(r.emit.zeros(r.operandShape(0)), convert(r.d(), r.operandShape(0).type), starts));
    return {};
  }
  const Value part = dynamicSlice(soFar, starts, r.attributes().ints(Attr::dynamic_slice_sizes));
  r.replace(0, dynamicUpdate(soFar, part + convert(r.d(), soFar.type()), starts));
  return {};
}

Status dynamicUpdateSliceRule(Rule& r) {
  const std::vector<Value> starts = operandsFrom(r, 2);
  const Shape update = r.operandShape(1);
  if (r.wants(0)) r.give(0, dynamicUpdate(r.d(), r.emit.zeros(arrayLike(r.d().shape(), update.dimensions)), starts));
  if (r.wants(1)) r.give(1, dynamicSlice(r.d(), starts, update.dimensions));
  return {};
}

Status gatherRule(Rule& r) {
  if (!r.wants(0)) return {};
  const IndexNumbers numbers = numbersOfGather(r.attributes());
  const Shape operand = r.operandShape(0);
  const Value indices =
      clampedIndices(r.operand(1), numbers, operand.dimensions, r.attributes().ints(Attr::slice_sizes));
  const Value soFar = r.soFar(0), g = convert(r.d(), operand.type);
  const Value sum = scatterAdd(soFar ? soFar : r.emit.zeros(operand), indices, g, numbers);
  if (soFar && sum)
    r.replace(0, sum);
  else
    r.give(0, sum);
  return {};
}

Status scatterRule(Rule& r) {
  if (r.operandCount() != 3) return r.refuse("scatter of several arrays at once has no gradient here");
  const ComputationId combine = r.callees()[0];
  const ScatterFacts facts = scatterFactsOf(r.attributes(), r.operandShape(0).rank(), r.operandShape(2).rank());
  const ScatterSite site{r, numbersOfScatter(r.attributes()),
                         scatterWindow(facts, r.operandShape(0), r.operandShape(2)), r.d(), r.operand(1)};
  if (givesSecond(r.emit.module, combine)) return overwriteRule(site, combine);
  const auto reducer = operationOf(r.emit.module, combine);
  if (reducer == Opcode::Add) return addRule(site);
  if (reducer == Opcode::Multiply) return multiplyRule(site);
  if (reducer == Opcode::Maximum || reducer == Opcode::Minimum) return extremeRule(site);
  return r.refuse("scatter has a gradient where %" + r.emit.module.at(combine).name +
                  " replaces, adds, multiplies, or gives the larger or smaller");
}

}  // namespace tessera::gradient
