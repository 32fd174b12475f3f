// Gradients of collectives: each device holds the cotangent of its own part, and what is summed is the loss over all
// devices.
#include <algorithm>

#include "core/gradient/rules.h"

namespace tessera::gradient {
namespace {

void copyGroups(const Rule& r, AttributeSet& to) {
  for (Attr name : {Attr::channel_id, Attr::replica_groups, Attr::use_global_device_ids, Attr::mode})
    if (const AttributeValue* value = r.attributes().find(name)) to.set(name, *value);
}

// Each operand by itself, from the cotangent of its result.
Status eachOperand(Rule& r, Opcode opcode, const AttributeSet& attributes, bool summed) {
  for (size_t i = 0; i < r.operandCount(); ++i) {
    if (!r.d(i) || !r.wants(i)) continue;
    AttributeSet own = attributes;
    if (summed) own.set(Attr::to_apply, r.emit.session.reducer(Opcode::Add, r.d(i).type()));
    const Shape like = r.operandShape(i);
    r.give(i, r.emit.make(opcode, {r.d(i)}, std::move(own), &like));
  }
  return {};
}

bool adds(const Rule& r) { return operationOf(r.emit.module, r.callees()[0]) == Opcode::Add; }

}  // namespace

Status allReduceRule(Rule& r) {
  if (!adds(r)) return r.refuse("a reduction over devices has a gradient here only where it adds");
  AttributeSet attributes;
  copyGroups(r, attributes);
  return eachOperand(r, Opcode::AllReduce, attributes, true);
}

Status allGatherRule(Rule& r) {
  AttributeSet attributes;
  copyGroups(r, attributes);
  attributes.set(Attr::dimensions, r.attributes().ints(Attr::dimensions));
  return eachOperand(r, Opcode::ReduceScatter, attributes, true);
}

Status reduceScatterRule(Rule& r) {
  if (!adds(r)) return r.refuse("a reduction over devices has a gradient here only where it adds");
  AttributeSet attributes;
  copyGroups(r, attributes);
  attributes.set(Attr::dimensions, r.attributes().ints(Attr::dimensions));
  return eachOperand(r, Opcode::AllGather, attributes, false);
}

// Block j of device i went to device j as block i, and goes back the same way.
Status allToAllRule(Rule& r) {
  AttributeSet attributes;
  copyGroups(r, attributes);
  const Ints& cut = r.attributes().ints(Attr::dimensions);
  if (!cut.empty()) {
    attributes.set(Attr::dimensions, cut);
    return eachOperand(r, Opcode::AllToAll, attributes, false);
  }
  std::vector<Value> blocks;
  const std::vector<bool> given = r.given();
  for (size_t i = 0; i < r.operandCount(); ++i) blocks.push_back(given[i] ? r.d(i) : r.emit.zeros(r.operandShape(i)));
  const Value back = r.emit.make(Opcode::AllToAll, blocks, std::move(attributes));
  for (size_t i = 0; back && i < blocks.size(); ++i)
    if (r.wants(i)) r.give(i, r.emit.leaf(back, i));
  return {};
}

Status collectivePermuteRule(Rule& r) {
  const auto* pairs = r.attributes().get<std::vector<std::vector<int64_t>>>(Attr::source_target_pairs);
  if (!pairs || r.operandCount() != 1) return r.refuse("this form of collective-permute has no gradient here");
  auto back = *pairs;
  for (auto& pair : back) std::ranges::reverse(pair);
  AttributeSet attributes;
  copyGroups(r, attributes);
  attributes.set(Attr::source_target_pairs, std::move(back));
  return eachOperand(r, Opcode::CollectivePermute, attributes, false);
}

}  // namespace tessera::gradient
