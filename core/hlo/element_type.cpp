// Look-ups over the element type table.
#include "core/hlo/element_type.h"

#include <iterator>

namespace tessera {

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (size_t i = 1; i < std::size(kElementTypes); ++i)
    if (kElementTypes[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromProto(int number) {
  for (size_t i = 1; i < std::size(kElementTypes); ++i)
    if (kElementTypes[i].proto == number) return static_cast<ElementType>(i);
  return std::nullopt;
}

ElementType unsignedOfWidth(int bits) {
  for (size_t i = 1; i < std::size(kElementTypes); ++i)
    if (kElementTypes[i].klass == ElementClass::Unsigned && kElementTypes[i].bits == bits)
      return static_cast<ElementType>(i);
  return ElementType::Invalid;
}

}  // namespace tessera
