// Position of an attribute's computation among an instruction's callees; the order is that of Module::callees.
#include "core/ops/callee_index.h"

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

}  // namespace tessera
