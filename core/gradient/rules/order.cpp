// Gradients of sort and topk: the order itself does not move, so that cotangents go back to where elements came from.
#include <algorithm>

#include "core/gradient/rules.h"

namespace tessera::gradient {
namespace {

// The comparator of a sort with one more operand, of s32, which it does not look at.
ComputationId withPlaces(Rule& r, ComputationId comparator) {
  Session& session = r.emit.session;
  const ComputationId id =
      session.module.addComputation(session.freeComputationName(session.module.at(comparator).name + ".places"));
  Emitter emit(session, id);
  std::vector<Value> parameters;
  for (InstructionId each : std::vector<InstructionId>(session.module.at(comparator).parameters))
    parameters.push_back(addParameter(emit, std::string(session.module.at(each).name), session.module.shapeOf(each)));
  for (const char* name : {"place", "other_place"})
    addParameter(emit, name, Shape::arrayRowMajor(ElementType::S32, {}));
  finishComputation(emit, inlineBody(emit, comparator, parameters));
  return id;
}

// Ascending by the first operand, of s32; the others, of these types, move along.
ComputationId byFirst(Rule& r, const std::vector<ElementType>& others) {
  Session& session = r.emit.session;
  const ComputationId id = session.module.addComputation(session.freeComputationName("by_place"));
  Emitter emit(session, id);
  const Shape place = Shape::arrayRowMajor(ElementType::S32, {});
  const Value a = addParameter(emit, "place", place), b = addParameter(emit, "other_place", place);
  for (ElementType type : others)
    for (const char* name : {"value", "other_value"}) addParameter(emit, name, Shape::arrayRowMajor(type, {}));
  session.module.setRoot(id, compare("LT", a, b).id);
  return id;
}

Value sortBy(Emitter& emit, const std::vector<Value>& operands, int64_t along, ComputationId comparator, bool stable) {
  AttributeSet attributes;
  attributes.set(Attr::dimensions, Ints{along});
  if (stable) attributes.set(Attr::is_stable, true);
  attributes.set(Attr::to_apply, comparator);
  return emit.make(Opcode::Sort, operands, std::move(attributes));
}

// Where each element of the result came from: an iota that was sorted along, or the sort again with one.
Value placesOf(Rule& r, int64_t along) {
  std::vector<Value> operands;
  for (size_t i = 0; i < r.operandCount(); ++i) {
    const Instruction& in = r.emit.module.at(r.forward.operands[i]);
    const bool counts = in.opcode == Opcode::Iota && in.shape->type == ElementType::S32;
    if (counts && in.attributes->intOr(Attr::iota_dimension, -1) == along) return r.emit.leaf(r.result(), i);
    operands.push_back(r.operand(i));
  }
  operands.push_back(iota(r.emit, operands[0].dims(), along));
  const Value again =
      sortBy(r.emit, operands, along, withPlaces(r, r.callees()[0]), r.attributes().boolOr(Attr::is_stable, false));
  return again ? r.emit.element(again, operands.size() - 1) : Value();
}

// Along the last dimension, values are added at their places, line by line.
Status scatterLines(Rule& r, Value values, Value places) {
  const Shape operand = r.operandShape(0);
  const int64_t last = operand.rank() - 1;
  Ints lines;
  for (int64_t d = 0; d < last; ++d) lines.push_back(d);
  AttributeSet attributes;
  attributes.set(Attr::update_window_dims, Ints{});
  attributes.set(Attr::inserted_window_dims, Ints{last});
  attributes.set(Attr::scatter_dims_to_operand_dims, Ints{last});
  if (!lines.empty()) attributes.set(Attr::input_batching_dims, lines);
  if (!lines.empty()) attributes.set(Attr::scatter_indices_batching_dims, lines);
  attributes.set(Attr::index_vector_dim, operand.rank());
  attributes.set(Attr::unique_indices, true);
  attributes.set(Attr::to_apply, r.emit.session.reducer(Opcode::Add, operand.type));
  r.give(0, r.emit.make(Opcode::Scatter, {r.emit.zeros(operand), places, values}, std::move(attributes)));
  return {};
}

}  // namespace

Status sortRule(Rule& r) {
  const int64_t along = r.attributes().ints(Attr::dimensions)[0];
  std::vector<size_t> moved;
  std::vector<ElementType> types;
  std::vector<Value> operands(1);
  for (size_t i = 0; i < r.operandCount(); ++i) {
    if (!r.d(i) || !r.wants(i)) continue;
    moved.push_back(i);
    operands.push_back(r.d(i));
    types.push_back(r.d(i).type());
  }
  if (moved.empty()) return {};
  operands[0] = placesOf(r, along);
  const Value back = sortBy(r.emit, operands, along, byFirst(r, types), false);
  if (!back) return {};
  for (size_t k = 0; k < moved.size(); ++k) r.give(moved[k], r.emit.element(back, k + 1));
  return {};
}

Status topkRule(Rule& r) {
  return r.wants(0) && r.d(0) ? scatterLines(r, r.d(0), r.emit.leaf(r.result(), 1)) : Status();
}

}  // namespace tessera::gradient
