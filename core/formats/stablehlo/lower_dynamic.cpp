// Operations whose sizes are operands, as jax.export writes them for symbolic dimensions: with sizes that are known
// they are the static operation; under bounds the bounded one, whose sizes are set. Custom calls that stand for such
// operations, too.
#include <algorithm>
#include <optional>

#include "core/formats/stablehlo/lowering_rows.h"
#include "core/hlo/numbers.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

std::string listText(const std::vector<int64_t>& values) {
  std::string out = "[";
  for (int64_t v : values) out += (out.size() > 1 ? ", " : "") + std::to_string(v);
  return out + ']';
}

Attribute arrayOf(const std::vector<int64_t>& values) {
  Attribute out;
  out.kind = Attribute::Kind::Array;
  for (int64_t v : values) {
    Attribute& item = out.items.emplace_back();
    item.kind = Attribute::Kind::Int;
    item.integer = v;
  }
  return out;
}

// Pairs one after the other: [[low, high], …].
Attribute pairsOf(const std::vector<int64_t>& values) {
  Attribute out;
  out.kind = Attribute::Kind::Array;
  for (size_t i = 0; i + 1 < values.size(); i += 2) out.items.push_back(arrayOf({values[i], values[i + 1]}));
  return out;
}

void dropOperand(Operation& op, size_t index) {
  op.operands.erase(op.operands.begin() + static_cast<std::ptrdiff_t>(index));
  if (index < op.operandOffsets.size())
    op.operandOffsets.erase(op.operandOffsets.begin() + static_cast<std::ptrdiff_t>(index));
}

void setAttribute(Operation& op, std::string name, Attribute value) {
  std::erase_if(op.attributes, [&](const auto& entry) { return entry.first == name; });
  op.attributes.emplace_back(std::move(name), std::move(value));
}

// The open sizes of a result are those of an operand; what the type knows must be what the operand says.
Status settleFrom(Lowering& l, const Operation& op, size_t sizesOperand, Shape& type) {
  if (!isOpen(type)) return {};
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, l.knownIntegers(op, sizesOperand));
  bool good = sizes.size() == type.dimensions.size();
  for (size_t d = 0; good && d < sizes.size(); ++d)
    good = sizes[d] >= 0 && (type.dimensions[d] == Shape::kUnbounded || sizes[d] == type.dimensions[d]);
  if (!good)
    return l.fault(op,
                   "the sizes in operand " + std::to_string(sizesOperand) + ", " +
                       std::string(op.operands[sizesOperand]) + ", do not fit the result",
                   toString(type, false), listText(sizes));
  type = Shape::arrayRowMajor(type.type, sizes);
  return {};
}

Status oneArray(Lowering& l, const Operation& op) {
  if (op.types.size() == 1 && op.types[0].isArray()) return {};
  return l.fault(op, "the operation has one array as its result");
}

Status lowerStatic(Lowering& l, const Operation& op, std::string_view row) {
  const LoweringRow* found = findRow(row);
  if (found->lower) return found->lower(l, op, found->opcode);
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  return l.emit(op, found->opcode, operands);
}

// --- under bounds

// Element d of a list, as a scalar.
InstructionId elementAt(Lowering& l, InstructionId list, int64_t d) {
  const ElementType type = l.shapeOf(list).type;
  AttributeSet slice;
  slice.set(Attr::slice, std::vector<SliceDimension>{{d, d + 1, 1}});
  const InstructionId one = l.add(Opcode::Slice, Shape::arrayRowMajor(type, {1}), {list}, std::move(slice));
  return l.add(Opcode::Reshape, Shape::arrayRowMajor(type, {}), {one});
}

// The same of a list of sizes, as s32.
InstructionId sizeAt(Lowering& l, InstructionId sizes, int64_t d) {
  const ElementType type = l.shapeOf(sizes).type;
  const InstructionId scalar = elementAt(l, sizes, d);
  return type == ElementType::S32 ? scalar
                                  : l.add(Opcode::Convert, Shape::arrayRowMajor(ElementType::S32, {}), {scalar});
}

// The bounded dimensions of `type` get their sizes.
InstructionId withSizes(Lowering& l, InstructionId id, InstructionId sizes, const Shape& type) {
  Shape shape = Shape::arrayRowMajor(type.type, type.dimensions);
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (!type.isDynamicDimension(d)) continue;
    shape.dynamic.resize(shape.dimensions.size());
    shape.dynamic[static_cast<size_t>(d)] = true;
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{d});
    id = l.add(Opcode::SetDimensionSize, shape, {id, sizeAt(l, sizes, d)}, std::move(attributes));
  }
  return id;
}

Status needList(Lowering& l, const Operation& op, InstructionId sizes, const Shape& type) {
  const Shape& list = l.shapeOf(sizes);
  if (list.rank() == 1 && list.dimensions[0] == type.rank()) return {};
  return l.fault(op, "the sizes do not fit the rank of the result", "s32[" + std::to_string(type.rank()) + "]",
                 toString(list, false));
}

// --- rows

Status lowerDynamicIota(Lowering& l, const Operation& op, Opcode) {
  TESSERA_TRY(oneArray(l, op));
  Operation fixed = op;
  TESSERA_TRY(settleFrom(l, op, 0, fixed.types[0]));
  if (!fixed.types[0].hasDynamicDimensions()) return lowerStatic(l, fixed, "iota");
  TESSERA_ASSIGN_OR_RETURN(InstructionId sizes, l.operand(op, 0));
  TESSERA_TRY(needList(l, op, sizes, op.types[0]));
  fixed.types[0].dynamic.clear();
  TESSERA_TRY(lowerStatic(l, fixed, "iota"));
  TESSERA_ASSIGN_OR_RETURN(InstructionId whole, l.valueNamed(op, op.results.empty() ? "" : op.results[0].name, 0));
  l.defineResult(op, 0, withSizes(l, whole, sizes, op.types[0]));
  return {};
}

Status lowerDynamicBroadcast(Lowering& l, const Operation& op, Opcode) {
  TESSERA_TRY(oneArray(l, op));
  Operation fixed = op;
  TESSERA_TRY(settleFrom(l, op, 1, fixed.types[0]));
  return lowerStatic(l, fixed, "broadcast_in_dim");
}

Status lowerDynamicReshape(Lowering& l, const Operation& op, Opcode) {
  TESSERA_TRY(oneArray(l, op));
  Operation fixed = op;
  TESSERA_TRY(settleFrom(l, op, 1, fixed.types[0]));
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  if (!fixed.types[0].hasDynamicDimensions()) return l.emit(fixed, Opcode::Reshape, {operands[0]});
  TESSERA_TRY(needList(l, op, operands[1], op.types[0]));
  Ids all = {operands[0]};
  for (int64_t d = 0; d < op.types[0].rank(); ++d) all.push_back(sizeAt(l, operands[1], d));
  return l.emit(op, Opcode::DynamicReshape, all);
}

// Known lists from some operand on, each as long as the operand's rank.
Result<std::vector<std::vector<int64_t>>> knownLists(Lowering& l, const Operation& op, size_t first, size_t count) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  const auto rank = static_cast<size_t>(l.shapeOf(id).rank());
  std::vector<std::vector<int64_t>> out;
  for (size_t i = first; i < first + count; ++i) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> list, l.knownIntegers(op, i));
    if (list.size() != rank)
      return l.fault(op,
                     "operand " + std::to_string(i) + ", " + std::string(op.operands[i]) + ", does not fit the rank",
                     std::to_string(rank) + " integers", std::to_string(list.size()));
    out.push_back(std::move(list));
  }
  return out;
}

Status lowerDynamicPad(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(const auto lists, knownLists(l, op, 2, 3));
  Operation fixed = op;
  for (int i = 0; i < 3; ++i) dropOperand(fixed, 2);
  setAttribute(fixed, "low", arrayOf(lists[0]));
  setAttribute(fixed, "high", arrayOf(lists[1]));
  setAttribute(fixed, "interior", arrayOf(lists[2]));
  return lowerStatic(l, fixed, "pad");
}

// Sizes of a slice whose limit is its start and something known.
std::optional<std::vector<int64_t>> sizesBehind(Lowering& l, InstructionId start, InstructionId limit) {
  const Instruction& sum = l.module().at(limit);
  if (sum.opcode != Opcode::Add) return std::nullopt;
  if (sum.operands[0] == start) return l.known(sum.operands[1]);
  return sum.operands[1] == start ? l.known(sum.operands[0]) : std::nullopt;
}

// Slices of known sizes and stride 1 from anywhere are dynamic slices; false where this is none.
Result<bool> lowerMovingSlice(Lowering& l, const Operation& op) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const auto rank = static_cast<size_t>(l.shapeOf(operands[0]).rank());
  const Shape starts = l.shapeOf(operands[1]);
  const auto sizes = sizesBehind(l, operands[1], operands[2]), strides = l.known(operands[3]);
  const bool good = !l.known(operands[1]) && sizes && strides && sizes->size() == rank && starts.rank() == 1 &&
                    op.types.size() == 1 && starts.dimensions[0] == static_cast<int64_t>(rank) &&
                    std::ranges::all_of(*strides, [](int64_t s) { return s == 1; });
  if (!good) return false;
  Ids all = {operands[0]};
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) all.push_back(elementAt(l, operands[1], d));
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, *sizes);
  TESSERA_TRY(l.emit(op, Opcode::DynamicSlice, all, std::move(attributes)));
  return true;
}

Status lowerRealDynamicSlice(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(const bool moving, lowerMovingSlice(l, op));
  if (moving) return {};
  TESSERA_ASSIGN_OR_RETURN(const auto lists, knownLists(l, op, 1, 3));
  Operation fixed = op;
  for (int i = 0; i < 3; ++i) dropOperand(fixed, 1);
  setAttribute(fixed, "start_indices", arrayOf(lists[0]));
  setAttribute(fixed, "limit_indices", arrayOf(lists[1]));
  setAttribute(fixed, "strides", arrayOf(lists[2]));
  return lowerStatic(l, fixed, "slice");
}

Status lowerDynamicGather(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(const auto lists, knownLists(l, op, 2, 1));
  Operation fixed = op;
  dropOperand(fixed, 2);
  setAttribute(fixed, "slice_sizes", arrayOf(lists[0]));
  return lowerStatic(l, fixed, "gather");
}

Status lowerDynamicConvolution(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> padding, l.knownIntegers(op, 2));
  Operation fixed = op;
  dropOperand(fixed, 2);
  setAttribute(fixed, "padding", pairsOf(padding));
  for (auto& [name, value] : fixed.attributes)
    if (name == "window") {
      std::erase_if(value.entries, [](const auto& entry) { return entry.first == "pad"; });
      value.entries.emplace_back("pad", pairsOf(padding));
    }
  return lowerStatic(l, fixed, "convolution");
}

// --- custom calls

// "… {0} …" with the operands behind the condition in the places of their numbers.
std::string assertionText(Lowering& l, const Operation& op) {
  const Attribute* message = op.find("error_message");
  std::string out = message ? message->text : "the sizes are not as the program needs them";
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const std::string place = "{" + std::to_string(i - 1) + "}";
    auto value = l.knownIntegers(op, i);
    const std::string text = value && value->size() == 1 ? std::to_string(value->front()) : "?";
    for (size_t at = out.find(place); at != std::string::npos; at = out.find(place, at + text.size()))
      out.replace(at, place.size(), text);
  }
  return out;
}

// A condition on sizes that holds leaves nothing behind.
Status lowerShapeAssertion(Lowering& l, const Operation& op) {
  TESSERA_TRY(l.need(op, 1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> holds, l.knownIntegers(op, 0));
  if (holds.size() != 1) return l.fault(op, "a shape assertion takes one condition", "pred[]");
  return holds[0] != 0 ? Status() : l.fault(op, assertionText(l, op));
}

Status lowerDynamicTopK(Lowering& l, const Operation& op) {
  TESSERA_TRY(l.need(op, 2));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> k, l.knownIntegers(op, 1));
  if (k.size() != 1) return l.fault(op, "k is one integer");
  Operation fixed = op;
  dropOperand(fixed, 1);
  setAttribute(fixed, "k", arrayOf(k).items[0]);
  return lowerStatic(l, fixed, "chlo.top_k");
}

Status lowerDynamicRngBits(Lowering& l, const Operation& op) {
  TESSERA_TRY(l.need(op, 2));
  if (op.types.size() != 2)
    return l.fault(op, "the generator gives its state and the bits", "2 results", std::to_string(op.types.size()));
  Operation fixed = op;
  TESSERA_TRY(settleFrom(l, op, 1, fixed.types[1]));
  return lowerStatic(l, fixed, "rng_bit_generator");
}

// Operands: inputs, initial values, then sizes, strides, dilations of base and window, and padding.
Status lowerDynamicReduceWindow(Lowering& l, const Operation& op) {
  constexpr size_t kLists = 5;
  const size_t arrays = op.operands.size() - std::min(op.operands.size(), kLists);
  const Attribute* called = op.find("called_computations");
  if (arrays < 2 || arrays % 2 != 0)
    return l.fault(op, "the operands are arrays, as many initial values, and five lists");
  if (!called || called->items.size() != 1)
    return l.fault(op, "called_computations names the one function that combines");
  TESSERA_ASSIGN_OR_RETURN(const auto lists, knownLists(l, op, arrays, kLists - 1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> padding, l.knownIntegers(op, arrays + kLists - 1));
  if (padding.size() != 2 * lists[0].size()) return l.fault(op, "the padding does not fit the rank");
  Window window;
  for (size_t d = 0; d < lists[0].size(); ++d) {
    WindowDimension& w = window.dimensions.emplace_back();
    w.size = lists[0][d], w.stride = lists[1][d], w.baseDilation = lists[2][d], w.windowDilation = lists[3][d];
    w.paddingLow = padding[2 * d], w.paddingHigh = padding[2 * d + 1];
  }
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  operands.resize(arrays);
  AttributeSet attributes;
  attributes.set(Attr::window, std::move(window));
  TESSERA_ASSIGN_OR_RETURN(ComputationId combiner, l.functionNamed(op, called->items[0].text));
  attributes.set(Attr::to_apply, combiner);
  return l.emit(op, Opcode::ReduceWindow, operands, std::move(attributes));
}

}  // namespace

DynamicCall dynamicCallNamed(std::string_view target) {
  if (target == "shape_assertion") return lowerShapeAssertion;
  if (target == "stablehlo.dynamic_top_k") return lowerDynamicTopK;
  if (target == "stablehlo.dynamic_rng_bit_generator") return lowerDynamicRngBits;
  return target == "stablehlo.dynamic_reduce_window" ? lowerDynamicReduceWindow : nullptr;
}

// The last operands tell the sizes of the results, one a result; the call itself does not take them.
Status settleCall(Lowering& l, Operation& op) {
  const std::vector<int64_t> given = integers(op, {"indices_of_shape_operands"});
  if (given.empty()) return {};
  bool good = given.size() == op.types.size();
  for (int64_t i : given) good = good && i >= 0 && static_cast<size_t>(i) < op.operands.size();
  if (!good) return l.fault(op, "indices_of_shape_operands does not name an operand for each result");
  for (size_t i = 0; i < given.size(); ++i) TESSERA_TRY(settleFrom(l, op, static_cast<size_t>(given[i]), op.types[i]));
  std::vector<int64_t> order = given;
  std::ranges::sort(order, std::greater());
  order.erase(std::ranges::unique(order).begin(), order.end());
  for (int64_t i : order) {
    dropOperand(op, static_cast<size_t>(i));
    for (auto& [name, value] : op.attributes)
      if (name == "operand_layouts" && static_cast<size_t>(i) < value.items.size())
        value.items.erase(value.items.begin() + i);
  }
  return {};
}

const LoweringRow kDynamicRows[] = {
    {"dynamic_iota", 1, Opcode::Iota, lowerDynamicIota},
    {"dynamic_broadcast_in_dim", 2, Opcode::Broadcast, lowerDynamicBroadcast},
    {"dynamic_reshape", 2, Opcode::Reshape, lowerDynamicReshape},
    {"dynamic_pad", 5, Opcode::Pad, lowerDynamicPad},
    {"real_dynamic_slice", 4, Opcode::Slice, lowerRealDynamicSlice},
    {"dynamic_gather", 3, Opcode::Gather, lowerDynamicGather},
    {"dynamic_conv", 3, Opcode::Convolution, lowerDynamicConvolution},
};

std::span<const LoweringRow> dynamicRows() { return kDynamicRows; }

}  // namespace tessera::mlir
