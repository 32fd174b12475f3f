// The element types of HLO, from one table (element_types.inc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class ElementType : uint8_t {
#define TESSERA_ELEMENT_TYPE(enumerator, name, proto, bits, klass) enumerator,
#include "core/hlo/element_types.inc"
#undef TESSERA_ELEMENT_TYPE
};

enum class ElementClass : uint8_t { Pred, Signed, Unsigned, Float, Complex, Special };

struct ElementTypeInfo {
  std::string_view name;
  int proto;  // number in PrimitiveType
  int bits;   // width of one element; 0 for types that are no array element
  ElementClass klass;
};

inline constexpr ElementTypeInfo kElementTypes[] = {
#define TESSERA_ELEMENT_TYPE(enumerator, name, proto, bits, klass) {name, proto, bits, ElementClass::klass},
#include "core/hlo/element_types.inc"
#undef TESSERA_ELEMENT_TYPE
};

// Here, since conversions ask for every element of an array.
inline const ElementTypeInfo& info(ElementType type) { return kElementTypes[static_cast<size_t>(type)]; }
std::optional<ElementType> elementTypeFromName(std::string_view name);
std::optional<ElementType> elementTypeFromProto(int number);
// The unsigned integers of so many bits; Invalid where there are none.
ElementType unsignedOfWidth(int bits);

inline std::string_view nameOf(ElementType type) { return info(type).name; }
inline bool isArrayElement(ElementType type) { return info(type).bits != 0; }
inline bool isFloat(ElementType type) { return info(type).klass == ElementClass::Float; }
inline bool isComplex(ElementType type) { return info(type).klass == ElementClass::Complex; }
inline bool isSigned(ElementType type) { return info(type).klass == ElementClass::Signed; }
inline bool isUnsigned(ElementType type) { return info(type).klass == ElementClass::Unsigned; }
inline bool isInteger(ElementType type) { return isSigned(type) || isUnsigned(type); }
inline bool isSubByte(ElementType type) { return isArrayElement(type) && info(type).bits < 8; }

// Bytes of one element in a dense unpacked buffer: sub-byte types take one byte each (value in the low bits,
// signed ones sign-extended), pred one byte (0 or 1). Literals, npz files and kernels all use this form.
inline int byteWidth(ElementType type) { return (info(type).bits + 7) / 8; }

}  // namespace tessera
