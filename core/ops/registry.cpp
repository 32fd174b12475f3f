// The list of all operations: opcodes.inc as a table from Opcode to OpDef. Everything that needs to know an operation
// (reader, verifier, evaluation, code generation, palette, help) asks here.
#include <algorithm>
#include <array>

#include "core/base/sorting.h"
#include "core/ops/op.h"

namespace tessera {

namespace {

// In the order of Opcode.
constexpr std::array<const OpDef*, kOpcodeCount> kByOpcode = {
#define TESSERA_OPCODE(enumerator, name, arity) &k##enumerator,
#include "core/hlo/opcodes.inc"
#undef TESSERA_OPCODE
};

}  // namespace

const OpDef* findOp(Opcode opcode) {
  const auto slot = static_cast<size_t>(opcode);
  return slot < kByOpcode.size() ? kByOpcode[slot] : nullptr;
}

std::span<const OpDef* const> allOps() {
  static const auto byName = [] {
    auto all = kByOpcode;
    sortBy(all, [](const OpDef* op) { return nameOf(op->opcode); });
    return all;
  }();
  return byName;
}

bool hasTrait(Opcode opcode, unsigned any) {
  const OpDef* op = findOp(opcode);
  return op && op->category.has(any);
}

bool executesCallees(Opcode opcode) {
  const OpDef* op = findOp(opcode);
  return op && op->kind == ExecutionKind::Control && opcode != Opcode::Fusion;
}

std::span<const AttributeRow> attributeRowsOf(Opcode opcode) {
  const OpDef* op = findOp(opcode);
  return op ? op->attributes : std::span<const AttributeRow>{};
}

bool takesAttribute(Opcode opcode, Attr attr) {
  return isCommon(attr) ||
         std::ranges::find(attributeRowsOf(opcode), attr, &AttributeRow::name) != attributeRowsOf(opcode).end();
}

const std::vector<Attr>& requiredAttributesOf(Opcode opcode) {
  static const auto table = [] {
    std::array<std::vector<Attr>, kOpcodeCount + 1> all;
    for (size_t k = 0; k < all.size(); ++k)
      for (const AttributeRow& row : attributeRowsOf(static_cast<Opcode>(k)))
        if (row.required) all[k].push_back(row.name);
    return all;
  }();
  return table[static_cast<size_t>(opcode)];
}

std::string_view nameOf(OpCategory category) {
  switch (category) {
    case OpCategory::Elementwise: return "Elementwise";
    case OpCategory::DataMovement: return "Data movement";
    case OpCategory::Reduction: return "Reduction";
    case OpCategory::LinearAlgebra: return "Linear algebra";
    case OpCategory::Control: return "Control";
    case OpCategory::Structure: return "Structure";
    case OpCategory::Communication: return "Communication";
    case OpCategory::Random: return "Random";
    case OpCategory::Normalization: return "Normalization";
    case OpCategory::DynamicShapes: return "Dynamic shapes";
  }
  return "";
}

}  // namespace tessera
