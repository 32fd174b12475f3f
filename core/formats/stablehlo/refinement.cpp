// Sizes that a file leaves open ("?") and that its callers or constants tell: results are inferred from what operands
// really are, and a function with open sizes is lowered once for each set of argument shapes and known arguments.
#include <algorithm>
#include <utility>

#include "core/base/name_counter.h"
#include "core/formats/stablehlo/lowering.h"
#include "core/formats/stablehlo/lowering_rows.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"

namespace tessera::mlir {
namespace {

constexpr size_t kMaxCopies = 4096;  // of functions for their callers' sizes

// Has a size that only its operands' values tell.
bool takesSizes(const Operation& op) {
  if (std::ranges::any_of(op.types, isOpen) || op.name.find(".dynamic_") != std::string_view::npos) return true;
  return op.name.ends_with("real_dynamic_slice") || op.symbol.starts_with("stablehlo.dynamic_") ||
         op.symbol == "shape_assertion" || op.find("indices_of_shape_operands");
}

void calledNames(const Operation& op, std::vector<std::string_view>& out) {
  if (op.name.ends_with("call") && !op.symbol.empty()) out.push_back(op.symbol);
  if (const Attribute* callee = op.find("decomposition")) out.push_back(callee->text);
}

}  // namespace

// A result whose type leaves sizes open is what inference says.
void Lowering::settle(InstructionId id) {
  auto inferred = inferInstruction(module_, id);
  if (!inferred || inferred->type != module_.shapeOf(id).type) return;
  fillDefaultLayouts(*inferred);
  module_.setShape(id, *inferred);
}

bool Lowering::regionTakesSizes(const Region& region) {
  for (const BlockArgument& argument : region.arguments)
    if (isOpen(argument.type)) return true;
  for (const Operation& op : region.operations) {
    if (takesSizes(op) || std::ranges::any_of(op.regions, [&](const Region& r) { return regionTakesSizes(r); }))
      return true;
    std::vector<std::string_view> called;
    calledNames(op, called);
    for (std::string_view name : called)
      if (auto found = functions_.find(name); found != functions_.end() && functionTakesSizes(*found->second))
        return true;
  }
  return false;
}

bool Lowering::functionTakesSizes(const Operation& function) {
  if (depth_ >= kMaxCalls) return false;
  auto [at, fresh] = takesSizes_.try_emplace(function.symbol, false);
  if (!fresh) return at->second;
  ++depth_;
  const bool takes = std::ranges::any_of(function.regions, [&](const Region& r) { return regionTakesSizes(r); });
  --depth_;
  return takesSizes_[function.symbol] = takes;
}

Shape Lowering::settledType(const Shape& type, InstructionId operand) const {
  const Shape& given = shapeOf(operand);
  if (!isOpen(type) || given.rank() != type.rank() || given.type != type.type) return type;
  Shape out = type;
  for (size_t d = 0; d < out.dimensions.size(); ++d)
    if (out.dimensions[d] == Shape::kUnbounded) {
      out.dimensions[d] = given.dimensions[d];
      out.dynamic[d] = given.isDynamicDimension(static_cast<int64_t>(d));
    }
  if (std::ranges::find(out.dynamic, true) == out.dynamic.end()) out.dynamic.clear();
  return out;
}

Result<ComputationId> Lowering::calledFunction(const Operation& op, std::string_view name,
                                               const std::vector<InstructionId>& operands) {
  auto found = functions_.find(name);
  if (found == functions_.end() || found->second->regions.size() != 1 ||
      found->second->regions[0].arguments.size() != operands.size() || !functionTakesSizes(*found->second))
    return functionNamed(op, name);
  std::string key(name);
  for (InstructionId id : operands) {
    key += ' ' + toString(shapeOf(id), false);
    if (const Literal* value = folder_.valueOf(id))
      key.append("=").append(reinterpret_cast<const char*>(value->bytes().data()), value->bytes().size());
  }
  if (auto done = copies_.find(key); done != copies_.end()) return done->second;
  if (copies_.size() >= kMaxCopies)
    return fault(op, "functions are called with too many different sizes", "at most " + std::to_string(kMaxCopies));
  if (open_[name] || depth_ >= kMaxCalls)
    return fault(op, "the function @" + std::string(name) + " calls itself, directly or through others");
  open_[name] = true;
  ++depth_;
  auto id = lowerFunction(*found->second, operands);
  --depth_;
  open_[name] = false;
  if (id) copies_.emplace(std::move(key), *id);
  return id;
}

Result<std::vector<int64_t>> Lowering::knownIntegers(const Operation& op, size_t index) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, operand(op, index));
  if (auto values = known(id)) return std::move(*values);
  const Literal* value = folder_.valueOf(id);
  return fault(op, "operand " + std::to_string(index) + ", " + std::string(op.operands[index]) + ", is no constant",
               "integers that follow from constants and static sizes",
               value ? toString(value->shape(), false) : causeText());
}

std::optional<std::vector<int64_t>> Lowering::known(InstructionId id) {
  const Literal* value = folder_.valueOf(id);
  if (!value || (!isInteger(value->shape().type) && value->shape().type != ElementType::Pred)) return std::nullopt;
  std::vector<int64_t> out;
  for (int64_t i = 0; i < value->elementCount(); ++i)
    out.push_back(loadInt(value->shape().type, value->bytes().data() + i * byteWidth(value->shape().type)));
  return out;
}

std::string Lowering::causeText() const {
  const Instruction& cause = module_.at(folder_.cause());
  const std::string name = "%" + std::string(withoutNumber(cause.name));
  if (cause.opcode == Opcode::Parameter)
    return "a value that depends on the argument " + name + ", " + toString(*cause.shape, false);
  if (cause.opcode == Opcode::GetDimensionSize)
    return "a value that depends on a size of " + toString(shapeOf(cause.operands[0]), false) + ", which is not fixed";
  return "a value that depends on the result of " + std::string(cause.opcodeName());
}

}  // namespace tessera::mlir
