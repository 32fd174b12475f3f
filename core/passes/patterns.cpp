// Patterns: reading constants and classes of opcodes.
#include "core/passes/patterns.h"
#include "core/ops/op.h"

#include <cmath>
#include <cstring>

namespace tessera {
namespace {

template <class T>
T load(const Literal& literal) {
  T value;
  std::memcpy(&value, literal.bytes().data(), sizeof(T));
  return value;
}

std::optional<double> firstElement(const Literal& literal) {
  switch (literal.shape().type) {
    case ElementType::F32: return load<float>(literal);
    case ElementType::F64: return load<double>(literal);
    case ElementType::BF16: {
      uint32_t bits = static_cast<uint32_t>(load<uint16_t>(literal)) << 16;
      float value;
      std::memcpy(&value, &bits, 4);
      return value;
    }
    case ElementType::F16: {
      uint16_t bits = load<uint16_t>(literal);
      int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
      if (exponent == 31) return std::nullopt;
      double magnitude = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
      return bits & 0x8000 ? -magnitude : magnitude;
    }
    case ElementType::S32: return load<int32_t>(literal);
    case ElementType::U32: return load<uint32_t>(literal);
    case ElementType::S16: return load<int16_t>(literal);
    case ElementType::U16: return load<uint16_t>(literal);
    case ElementType::S8: return load<int8_t>(literal);
    case ElementType::U8: return load<uint8_t>(literal);
    case ElementType::Pred: return load<uint8_t>(literal) ? 1 : 0;
    case ElementType::S64: {
      int64_t value = load<int64_t>(literal);
      if (value > (1ll << 53) || value < -(1ll << 53)) return std::nullopt;
      return static_cast<double>(value);
    }
    case ElementType::U64: {
      uint64_t value = load<uint64_t>(literal);
      if (value > (1ull << 53)) return std::nullopt;
      return static_cast<double>(value);
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<double> splatValue(const Module& module, InstructionId id) {
  const Instruction* instruction = &module.at(id);
  while (instruction->opcode == Opcode::Broadcast || instruction->opcode == Opcode::Reshape)
    instruction = &module.at(instruction->operands[0]);
  if (instruction->opcode != Opcode::Constant || !instruction->literal || instruction->literal->elided())
    return std::nullopt;
  if (!instruction->shape->isArray() || instruction->shape->elementCount() != 1) return std::nullopt;
  return firstElement(*instruction->literal);
}

bool isIota(std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != static_cast<int64_t>(i)) return false;
  return true;
}

std::vector<int64_t> significantDimensions(const Shape& shape) {
  std::vector<int64_t> out;
  for (int64_t d : shape.dimensions)
    if (d != 1) out.push_back(d);
  return out;
}

bool isElementwise(Opcode opcode) {
  const OpDef* op = findOp(opcode);
  return op && op->category.has(kElementwise) && op->element;
}

bool keepsBytes(const Shape& from, const Shape& to) {
  auto dense = [](const Shape& s) {
    return s.isArray() && !s.hasDynamicDimensions() && (!s.layout || s.layout->isRowMajor());
  };
  if (from.type != to.type || from.elementCount() != to.elementCount()) return false;
  return dense(from) && dense(to);
}

std::optional<PrefixSum> runningTotal(const Module& module, const Instruction& instruction) {
  const auto* window = instruction.attributes->get<Window>(Attr::window);
  if (instruction.opcode != Opcode::ReduceWindow || instruction.operands.size() != 2 || !window) return std::nullopt;
  const Shape& input = module.shapeOf(instruction.operands[0]);
  if (window->dimensions.size() != input.dimensions.size() || input.type != instruction.shape->type)
    return std::nullopt;
  std::optional<PrefixSum> out;
  for (size_t d = 0; d < window->dimensions.size(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    if (w.stride != 1 || w.windowDilation != 1 || w.baseDilation != 1) return std::nullopt;
    if (w.size == 1 && w.paddingLow == 0 && w.paddingHigh == 0) continue;
    const int64_t others = input.dimensions[d] - 1;
    const bool forward = w.paddingLow == others && w.paddingHigh == 0,
               reversed = w.paddingLow == 0 && w.paddingHigh == others;
    if (out || w.size != input.dimensions[d] || !(forward || reversed)) return std::nullopt;
    out = PrefixSum{d, !forward};
  }
  return out;
}

}  // namespace tessera
