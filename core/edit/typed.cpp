// See typed.h.
#include "core/edit/typed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/formats/hlo_text.h"
#include "core/hlo/element_type.h"

namespace tessera {
namespace {

std::string withoutBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    out.push_back(withoutBlanks(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

// "[6,4]", "6,4"; none: the text is something else.
std::optional<std::vector<int64_t>> typedSizes(std::string text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<int64_t> out;
  for (const std::string& part : parts(text)) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
    if (error != std::errc() || end != part.data() + part.size() || size < -1) return std::nullopt;
    out.push_back(size);
  }
  return std::ranges::count(out, -1) <= 1 ? std::optional(out) : std::nullopt;
}

const Shape* operandOf(const Module& module, const Instruction& instruction) {
  if (instruction.operands.empty() || !module.contains(instruction.operands[0])) return nullptr;
  const Shape& shape = module.shapeOf(instruction.operands[0]);
  return shape.isArray() ? &shape : nullptr;
}

// In place of -1: what makes as many elements as the operand has.
Status settleOpen(std::vector<int64_t>& sizes, const Shape* operand) {
  const auto open = std::ranges::find(sizes, -1);
  if (open == sizes.end()) return {};
  if (!operand) return fail("-1 follows from the operand, which is open");
  int64_t known = 1, all = 1;
  for (int64_t size : sizes) known *= size == -1 ? 1 : size;
  for (int64_t size : operand->dimensions) all *= size;
  if (known == 0 || all % known != 0)
    return fail(fmt::format("{} elements cannot be cut into pieces of {}", all, known));
  *open = all / known;
  return {};
}

}  // namespace

Result<Shape> typedShape(const Module& module, InstructionId id, const std::string& text) {
  const Instruction& instruction = module.at(id);
  const Shape* operand = operandOf(module, instruction);
  const bool converts = instruction.opcode == Opcode::Convert || instruction.opcode == Opcode::BitcastConvert;
  if (const auto type = elementTypeFromName(withoutBlanks(text));
      type && info(*type).bits > 0 && instruction.shape->isArray())
    return Shape::arrayRowMajor(*type, converts && operand ? operand->dimensions : instruction.shape->dimensions);
  if (auto sizes = typedSizes(withoutBlanks(text)); sizes && instruction.shape->isArray()) {
    TESSERA_TRY(settleOpen(*sizes, operand));
    return Shape::arrayRowMajor(operand && !converts ? operand->type : instruction.shape->type, *sizes);
  }
  TESSERA_ASSIGN_OR_RETURN(Shape shape, parseShape(text));
  fillDefaultLayouts(shape);
  return shape;
}

std::string inBraces(Attr name, const std::string& text) {
  if (text.empty() || text.find('{') != std::string::npos) return text;
  if (kindOf(name) == AttributeKind::Ints || kindOf(name) == AttributeKind::IntsOrIntLists) return "{" + text + "}";
  if (kindOf(name) != AttributeKind::Slices) return text;
  std::string out;
  for (const std::string& part : parts(text))
    out += (out.empty() ? "" : ", ") + (part.starts_with('[') ? part : "[" + part + "]");
  return "{" + out + "}";
}

}  // namespace tessera
