// Regions become computations: their captured values and arguments are parameters.
#include "core/formats/stablehlo/lowering.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/stablehlo/lowering_rows.h"
#include "core/ops/op.h"

namespace tessera::mlir {
namespace {

bool isTerminator(std::string_view name) { return name.ends_with("return"); }

// The value that "%0#1" is one of.
std::string_view baseName(std::string_view name) { return name.substr(0, name.find('#')); }

void defined(const Region& region, std::set<std::string_view>& out) {
  for (const BlockArgument& argument : region.arguments) out.insert(argument.name);
  for (const Operation& op : region.operations)
    for (const auto& result : op.results) out.insert(result.name);
}

void collectFree(const Region& region, std::set<std::string_view> known, std::vector<std::string>& out) {
  defined(region, known);
  for (const Operation& op : region.operations) {
    for (std::string_view operand : op.operands)
      if (!known.contains(baseName(operand)) && std::ranges::find(out, operand) == out.end()) out.emplace_back(operand);
    for (const Region& inner : op.regions) collectFree(inner, known, out);
  }
}

}  // namespace

std::vector<std::string> Lowering::captures(const Operation& op) const {
  std::vector<std::string> names, out;
  for (const Region& region : op.regions) collectFree(region, {}, names);
  for (std::string& name : names) {
    bool constant = false;
    for (const Frame* frame = frame_; frame; frame = frame->outer)
      if (auto found = frame->values.find(name); found != frame->values.end()) {
        constant = module_.at(found->second).literal != nullptr;
        break;
      }
    if (!constant) out.push_back(std::move(name));
  }
  return out;
}

void Lowering::addParameters(const Region& region, const std::vector<InstructionId>& operands) {
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(i);
    const std::string name = text::asName(region.arguments[i].name.substr(1)) + "." + std::to_string(++count_);
    parameter.name = name;
    const Shape& type = region.arguments[i].type;
    const InstructionId id =
        module_.add(frame_->id, std::move(parameter), i < operands.size() ? settledType(type, operands[i]) : type);
    frame_->values[std::string(region.arguments[i].name)] = id;
    if (i >= operands.size()) continue;
    if (const Literal* value = folder_.valueOf(operands[i])) folder_.assume(id, *value);
  }
}

Status Lowering::setRoot(const Operation& terminator, bool alwaysTuple) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> values, operands(terminator));
  InstructionId root;
  if (values.size() == 1 && !alwaysTuple) {
    root = values[0];
  } else {
    std::vector<Shape> shapes;
    for (InstructionId id : values) shapes.push_back(shapeOf(id));
    root = add(Opcode::Tuple, Shape::tuple(std::move(shapes)), values);
  }
  module_.setRoot(frame_->id, root);
  return {};
}

Status Lowering::lowerBlock(const Region& region, const Operation& owner, bool alwaysTuple) {
  for (const Operation& op : region.operations) {
    if (isTerminator(op.name)) return setRoot(op, alwaysTuple);
    TESSERA_TRY(lowerOperation(op));
  }
  return fault(owner, "a region ends without return");
}

}  // namespace tessera::mlir
