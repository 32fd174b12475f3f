// Look-ups over the element type table.
#include "core/hlo/element_type.h"

#include <array>

namespace tessera {
namespace {

constexpr auto kTypes = std::to_array<ElementTypeInfo>({
#define TESSERA_ELEMENT_TYPE(enumerator, name, proto, bits, klass) {name, proto, bits, ElementClass::klass},
#include "core/hlo/element_types.inc"
#undef TESSERA_ELEMENT_TYPE
});

}  // namespace

const ElementTypeInfo& info(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromProto(int number) {
  for (size_t i = 1; i < kTypes.size(); ++i)
    if (kTypes[i].proto == number) return static_cast<ElementType>(i);
  return std::nullopt;
}

ElementType unsignedOfWidth(int bits) {
  for (size_t i = 1; i < kTypes.size(); ++i)
    if (kTypes[i].klass == ElementClass::Unsigned && kTypes[i].bits == bits) return static_cast<ElementType>(i);
  return ElementType::Invalid;
}

}  // namespace tessera
