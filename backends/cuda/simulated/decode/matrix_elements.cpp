#include "backends/cuda/simulated/decode/matrix_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "backends/cuda/simulated/decode/decoder.h"
#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

constexpr ElementName kElements[] = {{"f64", Element::F64},   {"tf32", Element::Tf32}, {"f16", Element::F16},
                                     {"bf16", Element::BF16}, {"e4m3", Element::E4M3}, {"e5m2", Element::E5M2},
                                     {"s8", Element::S8},     {"u8", Element::U8}};

}  // namespace

int bitsOf(Element element) {
  switch (element) {
    case Element::F64: return 64;
    case Element::Tf32: return 32;
    case Element::F16:
    case Element::BF16: return 16;
    default: return 8;
  }
}

int elementsInRegister(Element element) { return element == Element::F64 ? 1 : 32 / bitsOf(element); }

double valueOf(Element element, uint64_t bits) {
  switch (element) {
    case Element::F64: return std::bit_cast<double>(bits);
    case Element::Tf32: return std::bit_cast<float>(static_cast<uint32_t>(bits) & ~0x1fffu);
    case Element::F16: return toDouble(Half{static_cast<uint16_t>(bits)});
    case Element::BF16: return toDouble(BFloat{static_cast<uint16_t>(bits)});
    case Element::E4M3: return smallFloatToDouble(ElementType::F8E4M3FN, static_cast<uint8_t>(bits));
    case Element::E5M2: return smallFloatToDouble(ElementType::F8E5M2, static_cast<uint8_t>(bits));
    case Element::S8: return static_cast<int8_t>(bits);
    case Element::U8: return static_cast<uint8_t>(bits);
  }
  return 0;
}

bool isInteger(Element element) { return element == Element::S8 || element == Element::U8; }

uint32_t integerResult(double sum, bool saturates) {
  if (saturates) sum = std::fmin(std::fmax(sum, -0x1p31), 0x1p31 - 1);
  return static_cast<uint32_t>(static_cast<int64_t>(sum));
}

const ElementName* elementNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(kElements), std::end(kElements), [&](auto& e) { return e.name == name; });
  return found == std::end(kElements) ? nullptr : found;
}

std::vector<std::string_view> takeTypeWords(Decoder& decoder) {
  std::vector<std::string_view> words;
  decoder.takeWhere([&](std::string_view m) {
    const bool isType = m == "f32" || m == "s32" || elementNamed(m);
    if (isType) words.push_back(m);
    return isType;
  });
  return words;
}

}  // namespace tessera::cuda::simulated
