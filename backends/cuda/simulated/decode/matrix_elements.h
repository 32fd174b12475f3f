// Elements of matrices that tensor cores multiply: their bits, values and names. Used by matrices.cpp and
// warpgroup_products.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::cuda::simulated {

class Decoder;

enum class Element : uint8_t { F64, Tf32, F16, BF16, E4M3, E5M2, S8, U8 };

int bitsOf(Element element);
// Of 32 bits, of 64 for F64.
int elementsInRegister(Element element);
// Of the lowest bits.
double valueOf(Element element, uint64_t bits);
bool isInteger(Element element);
// A sum of integers as a result of 32 bits: saturated, or its lowest bits.
uint32_t integerResult(double sum, bool saturates);

struct ElementName {
  std::string_view name;
  Element element;
};
// Null: no element has the name.
const ElementName* elementNamed(std::string_view name);
// The types among the modifiers of the statement, in order; of results (f32, s32), too.
std::vector<std::string_view> takeTypeWords(Decoder& decoder);

}  // namespace tessera::cuda::simulated
