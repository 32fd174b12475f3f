// Position of an attribute's computation among an instruction's callees; the order is that of Module::callees.
#include "core/ops/inference/callee_index.h"

namespace tessera {

std::optional<size_t> calleeIndex(const AttributeSet& attributes, Attr name) {
  size_t index = 0;
  for (const Attribute& attribute : attributes.items()) {
    if (attribute.name == name) return index;
    if (std::holds_alternative<ComputationId>(attribute.value)) ++index;
    if (const auto* many = std::get_if<std::vector<ComputationId>>(&attribute.value)) index += many->size();
  }
  return std::nullopt;
}

std::vector<ComputationId> branchesOf(const AttributeSet& attributes) {
  if (const auto* list = attributes.get<std::vector<ComputationId>>(Attr::branch_computations)) return *list;
  const auto* whenTrue = attributes.get<ComputationId>(Attr::true_computation);
  const auto* whenFalse = attributes.get<ComputationId>(Attr::false_computation);
  if (!whenTrue || !whenFalse) return {};
  return {*whenTrue, *whenFalse};
}

}  // namespace tessera
