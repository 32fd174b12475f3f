// Titles of nodes: what an instruction does in a few words, as its OpDef::title says, and its result as a second line.
// Read by makeView.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/arrange/arrangement.h"
#include "core/arrange/outline_names.h"
#include "core/base/name_counter.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/argument_path.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kLongestConstant = 28, kLongestArgument = 28;
constexpr int64_t kMaxConstantElements = 6;

std::string list(const std::vector<int64_t>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

// " over 0, 1"; nothing where no dimension is named.
std::string dimensionsAfter(const Instruction& instruction, std::string_view preposition) {
  const auto& dimensions = instruction.attributes->ints(Attr::dimensions);
  return dimensions.empty() ? std::string() : fmt::format(" {} {}", preposition, list(dimensions));
}

// What a reducing computation does: the opcode of its root when that is all it does ("max"), else its name.
std::string reducerTitle(const Module& module, const Instruction& instruction) {
  const auto callees = module.callees(instruction);
  if (callees.empty() || !module.contains(callees.back())) return {};
  const Computation& body = module.at(callees.back());
  if (!module.contains(body.root)) return {};
  const Instruction& root = module.at(body.root);
  if (body.instructions.size() != body.parameters.size() + 1) return body.name;
  switch (root.opcode) {
    case Opcode::Add: return "sum";
    case Opcode::Maximum: return "max";
    case Opcode::Minimum: return "min";
    case Opcode::Multiply: return "product";
    case Opcode::And: return "and";
    case Opcode::Or: return "or";
    default: return std::string(root.opcodeName());
  }
}

std::string windowText(const Instruction& instruction) {
  const Window* window = instruction.attributes->get<Window>(Attr::window);
  if (!window || window->dimensions.empty()) return {};
  std::string out;
  for (const WindowDimension& d : window->dimensions) out += (out.empty() ? " " : "×") + std::to_string(d.size);
  return out;
}

// "cumulative" where the window reaches from the first element to each one, "reverse cumulative" where it reaches from
// each one to the last; "": it is another.
std::string_view cumulativeTitle(const WindowDimension& d, int64_t size) {
  if (d.size != size || d.stride != 1 || d.windowDilation != 1 || d.baseDilation != 1) return {};
  if (d.paddingLow == size - 1 && d.paddingHigh == 0) return "cumulative";
  return d.paddingLow == 0 && d.paddingHigh == size - 1 ? "reverse cumulative" : "";
}

// Of a window over some dimensions: "max pool 2×2", "cumulative sum along 1", else "reduce-window sum 3".
std::string windowedReduction(const Module& module, const Instruction& instruction) {
  const std::string reducer = reducerTitle(module, instruction);
  const Window* window = instruction.attributes->get<Window>(Attr::window);
  const bool open = instruction.operands.empty() || !module.contains(instruction.operands[0]);
  const std::vector<int64_t> from = open ? std::vector<int64_t>() : module.shapeOf(instruction.operands[0]).dimensions;
  std::string sizes;
  std::vector<size_t> windowed;  // dimensions
  for (size_t d = 0; window && d < window->dimensions.size(); ++d) {
    const int64_t size = window->dimensions[d].size;
    if (size == 1) continue;
    windowed.push_back(d);
    sizes += (sizes.empty() ? " " : "×") + std::to_string(size);
  }
  if (windowed.size() == 1 && windowed[0] < from.size())
    if (const auto title = cumulativeTitle(window->dimensions[windowed[0]], from[windowed[0]]); !title.empty())
      return fmt::format("{} {} along {}", title, reducer, windowed[0]);
  return (reducer == "max" && !windowed.empty() ? "max pool" : "reduce-window " + reducer) + sizes;
}

std::string literalText(const Instruction& instruction) {
  if (!instruction.literal) return "constant";
  const auto count = instruction.shape->elementCount();
  if (!instruction.shape->isArray() || !count || *count > kMaxConstantElements || instruction.literal->elided())
    return "constant";
  std::string text = printLiteral(*instruction.literal);
  return text.size() <= kLongestConstant ? text : "constant";
}

std::string sliceText(const Instruction& instruction) {
  const auto* slices = instruction.attributes->get<std::vector<SliceDimension>>(Attr::slice);
  const auto& operands = instruction.shape->dimensions;
  if (!slices || slices->size() != operands.size()) return {};
  std::string out;
  for (size_t d = 0; d < slices->size() && slices->size() <= 3; ++d) {
    const SliceDimension& s = (*slices)[d];
    out += fmt::format("{}{}:{}", d == 0 ? " " : ", ", s.start, s.limit);
    if (s.stride != 1) out += fmt::format(":{}", s.stride);
  }
  return out;
}

std::string relationSign(const Instruction& instruction) {
  const std::string_view direction = instruction.attributes->textOr(Attr::direction, "");
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {{"EQ", "="}, {"NE", "≠"}, {"LT", "<"},
                                                                      {"LE", "≤"}, {"GT", ">"}, {"GE", "≥"}};
  for (auto [name, sign] : kSigns)
    if (name == direction) return " " + std::string(sign);
  return {};
}

// "3" of a constant with one number, or of what it was broadcast to.
std::string numberText(const Module& module, InstructionId id) {
  if (!module.contains(id)) return {};
  const Instruction* source = &module.at(id);
  if (source->opcode == Opcode::Broadcast && source->operands.size() == 1 && module.contains(source->operands[0]))
    source = &module.at(source->operands[0]);
  if (source->opcode != Opcode::Constant || !source->shape->isScalar() || !source->literal) return {};
  const std::string text = literalText(*source);
  return text == "constant" ? std::string() : text;
}

// " = 3": with what is compared, where that is one number.
std::string relationText(const Module& module, const Instruction& instruction) {
  const std::string number = instruction.operands.size() == 2 ? numberText(module, instruction.operands[1]) : "";
  return relationSign(instruction) + (number.empty() ? "" : " " + number);
}

bool isRelu(const Module& module, const Instruction& instruction) {
  return instruction.opcode == Opcode::Maximum && isFloat(instruction.shape->type) &&
         std::ranges::any_of(instruction.operands, [&](InstructionId id) { return numberText(module, id) == "0"; });
}

// What a slice leaves, where that is a part along one dimension and all of the others.
const SliceDimension* partAlong(const Module& module, InstructionId id, int64_t dimension) {
  if (!module.contains(id) || module.at(id).opcode != Opcode::Slice) return nullptr;
  const Instruction& slice = module.at(id);
  const auto* ranges = slice.attributes->get<std::vector<SliceDimension>>(Attr::slice);
  if (!ranges || !module.contains(slice.operands[0])) return nullptr;
  const std::vector<int64_t>& sizes = module.shapeOf(slice.operands[0]).dimensions;
  if (ranges->size() != sizes.size() || dimension < 0 || static_cast<size_t>(dimension) >= sizes.size()) return nullptr;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (static_cast<int64_t>(d) != dimension && (*ranges)[d] != SliceDimension{0, sizes[d], 1}) return nullptr;
  return &(*ranges)[static_cast<size_t>(dimension)];
}

// The end of an array before its start: "roll 1 along 0"; "" where it is something else.
std::string rollTitle(const Module& module, const Instruction& instruction) {
  const auto& dimensions = instruction.attributes->ints(Attr::dimensions);
  if (instruction.opcode != Opcode::Concatenate || instruction.operands.size() != 2 || dimensions.size() != 1)
    return {};
  const SliceDimension *end = partAlong(module, instruction.operands[0], dimensions[0]),
                       *start = partAlong(module, instruction.operands[1], dimensions[0]);
  if (!end || !start || end->stride != 1 || start->stride != 1) return {};
  const InstructionId whole = module.at(instruction.operands[0]).operands[0];
  if (module.at(instruction.operands[1]).operands[0] != whole) return {};
  const int64_t size = module.shapeOf(whole).dimensions[static_cast<size_t>(dimensions[0])];
  if (end->limit != size || start->start != 0 || start->limit != end->start || end->start == 0 || end->start == size)
    return {};
  const int64_t forward = size - end->start;
  return fmt::format("roll {}{}", forward <= size / 2 ? forward : -end->start, dimensionsAfter(instruction, "along"));
}

// The dimensions along which values are repeated; of one number it is all of them, which goes without saying.
std::string newDimensions(const Instruction& instruction) {
  const auto& kept = instruction.attributes->ints(Attr::dimensions);
  std::vector<int64_t> out;
  for (int64_t d = 0; d < static_cast<int64_t>(instruction.shape->dimensions.size()); ++d)
    if (std::ranges::find(kept, d) == kept.end()) out.push_back(d);
  return kept.empty() || out.empty() ? std::string() : " along " + list(out);
}

std::string quotedAfter(std::string_view text, std::string_view key) {
  const size_t found = text.find(key);
  if (found == std::string_view::npos) return {};
  text.remove_prefix(found + key.size());
  return std::string(text.substr(0, text.find('"')));
}

// block.linear.v1: "linear"; block.linear.v1.gradient: "gradient of linear"; relu.3: "relu".
std::string readable(std::string_view computation) {
  constexpr std::string_view kGradient = ".gradient", kBlock = "block.";
  if (computation.ends_with(kGradient))
    return "gradient of " + readable(computation.substr(0, computation.size() - kGradient.size()));
  if (!computation.starts_with(kBlock)) return std::string(withoutNumber(computation));
  computation.remove_prefix(kBlock.size());
  return std::string(computation.substr(0, computation.rfind(".v")));
}

std::string calleeName(const Module& module, const Instruction& instruction) {
  const auto callees = module.callees(instruction);
  const bool named = callees.size() == 1 && module.contains(callees[0]);
  return readable(named ? module.at(callees[0]).name : instruction.name);
}

// Of a long path the last steps, which tell it from its neighbours: …['Dense_0']['kernel'].
std::string shortPath(std::string path) {
  if (path.size() <= kLongestArgument) return path;
  size_t from = path.find('[', path.size() - kLongestArgument);
  if (from == std::string::npos) from = path.rfind('[');
  return from == std::string::npos || from == 0 ? path : "…" + path.substr(from);
}

// {attribute}: its number or text.
std::string attributeText(const Instruction& instruction, std::string_view name) {
  const auto attr = attrFromName(name);
  if (!attr) return {};
  const std::string_view text = instruction.attributes->textOr(*attr, "");
  if (!text.empty() || kindOf(*attr) != AttributeKind::Int) return std::string(text);
  return std::to_string(instruction.attributes->intOr(*attr, 0));
}

// The parts that OpDef::title may name in braces; what is none of these is an attribute.
std::string partText(const Module& module, const Instruction& instruction, std::string_view part) {
  if (part == "argument") return shortPath(argumentPath(instruction));
  if (part == "literal") return literalText(instruction);
  if (part == " relation") return relationText(module, instruction);
  if (part == " along new") return newDimensions(instruction);
  if (part == "reducer") return reducerTitle(module, instruction);
  if (part == " window") return windowText(instruction);
  if (part == "windowed reduction") return windowedReduction(module, instruction);
  if (part == " slice") return sliceText(instruction);
  if (part == "callee") return calleeName(module, instruction);
  if (part.ends_with(" dimensions")) return dimensionsAfter(instruction, part.substr(0, part.find(' ')));
  return attributeText(instruction, part);
}

std::string filledIn(const Module& module, const Instruction& instruction, std::string_view title) {
  std::string out;
  while (!title.empty()) {
    const size_t open = std::min(title.find('{'), title.size());
    out += title.substr(0, open);
    title.remove_prefix(open);
    if (title.empty()) break;
    const size_t close = title.find('}');
    out += partText(module, instruction, title.substr(1, close - 1));
    title.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

BlockName blockNameOf(const Instruction& call) {
  if (call.opcode != Opcode::Call || !call.attributes->boolOr(Attr::is_composite, false)) return {};
  const auto* raw = call.attributes->get<RawText>(Attr::frontend_attributes);
  if (!raw) return {};
  const std::string name = quotedAfter(raw->text, "composite.name=\"");
  return {name.substr(name.rfind('.') + 1), quotedAfter(raw->text, "composite.version=\"")};
}

std::string titleOf(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  const OpDef* op = findOp(instruction.opcode);
  if (!op) return fmt::format("{} (unknown)", instruction.opcodeName());
  if (instruction.opcode == Opcode::Fusion) return fusionTitle(module, instruction);
  if (isRelu(module, instruction)) return "relu";
  if (std::string roll = rollTitle(module, instruction); !roll.empty()) return roll;
  if (BlockName block = blockNameOf(instruction); !block.name.empty()) return std::move(block.name);
  return op->title.empty() ? std::string(instruction.opcodeName()) : filledIn(module, instruction, op->title);
}

SizedText arrayText(const Shape& shape, std::span<const std::string> names) {
  SizedText out{std::string(nameOf(shape.type)), {}};
  for (size_t d = 0; d < shape.dimensions.size(); ++d) {
    out.text += d == 0 ? " " : "×";
    const auto begin = static_cast<uint32_t>(out.text.size());
    if (d < names.size() && !names[d].empty()) out.text += names[d] + "=";
    if (shape.dimensions[d] == Shape::kUnbounded)
      out.text += "?";
    else if (shape.isDynamicDimension(static_cast<int64_t>(d)))
      out.text += "≤" + std::to_string(shape.dimensions[d]);
    else
      out.text += std::to_string(shape.dimensions[d]);
    out.sizes.push_back({begin, static_cast<uint32_t>(out.text.size())});
  }
  if (shape.layout && !shape.layout->isRowMajor()) out.text += " " + toString(*shape.layout);
  return out;
}

std::string subtitleOf(const Module& module, InstructionId id) {
  const Shape& shape = module.shapeOf(id);
  if (shape.isTuple()) {
    const size_t n = shape.elements.size();
    if (n == 0) return "empty tuple";
    if (n > 2) return fmt::format("tuple of {}", n);
    std::string out = "(";
    for (const Shape& element : shape.elements)
      out += (out.size() > 1 ? ", " : "") +
             (element.isArray() ? arrayText(element).text : std::string(nameOf(element.type)));
    return out + ")";
  }
  return shape.isArray() ? arrayText(shape).text : std::string(nameOf(shape.type));
}

std::string chipText(const ViewNode& node) { return (node.instructionCount > 1 ? "▸ " : "") + node.subtitle; }

}  // namespace tessera
