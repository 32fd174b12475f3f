// Regions and functions as computations: a frame of their own, parameters, and what a region uses from outside.
#include <utility>

#include "core/formats/stablehlo/lowering.h"
#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

// A loop's body gives this carried value back as it took it.
bool staysSame(const Operation& op, size_t carried) {
  if (!op.name.ends_with("while") || op.regions.size() != 2 || op.regions[1].operations.empty()) return false;
  const Region& body = op.regions[1];
  const std::vector<std::string_view>& next = body.operations.back().operands;
  return carried < body.arguments.size() && carried < next.size() && next[carried] == body.arguments[carried].name;
}

}  // namespace

Result<ComputationId> Lowering::regionComputation(const Operation& op, size_t region, std::string name) {
  if (region >= op.regions.size()) return fault(op, "a region is missing");
  Frame frame{module_.addComputation(uniqueComputationName(name)), {}, frame_};
  frame_ = &frame;
  addParameters(op.regions[region]);
  Status status = lowerBlock(op.regions[region], op, false);
  frame_ = frame.outer;
  if (!status) return std::unexpected(std::move(status).error());
  return frame.id;
}

// What the names of a region's tuple are outside: carried operands for its arguments, then the captured values.
Result<std::vector<InstructionId>> Lowering::outerValues(const Operation& op, size_t arguments,
                                                         const std::vector<std::string>& captured) {
  std::vector<InstructionId> out;
  for (size_t i = 0; i < arguments; ++i) {
    TESSERA_ASSIGN_OR_RETURN(InstructionId id, operand(op, i));
    out.push_back(id);
  }
  for (const std::string& outer : captured) {
    TESSERA_ASSIGN_OR_RETURN(InstructionId id, valueNamed(op, outer, 0));
    out.push_back(id);
  }
  return out;
}

Result<ComputationId> Lowering::tupleComputation(const Operation& op, size_t region,
                                                 const std::vector<std::string>& captured, std::string name) {
  if (region >= op.regions.size()) return fault(op, "a region is missing");
  const std::vector<BlockArgument>& arguments = op.regions[region].arguments;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> outer, outerValues(op, arguments.size(), captured));
  std::vector<std::string> names;
  std::vector<Shape> shapes;
  for (const BlockArgument& argument : arguments)
    names.emplace_back(argument.name), shapes.push_back(settledType(argument.type, outer[names.size() - 1]));
  for (const std::string& value : captured) names.push_back(value), shapes.push_back(shapeOf(outer[names.size() - 1]));
  Frame frame{module_.addComputation(uniqueComputationName(name)), {}, frame_};
  frame_ = &frame;
  Instruction parameter;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = 0;
  const std::string parameterName = "arg." + std::to_string(++count_);
  parameter.name = parameterName;
  const InstructionId tuple = module_.add(frame.id, std::move(parameter), Shape::tuple(shapes));
  const bool loop = op.name.ends_with("while");
  for (size_t i = 0; i < names.size(); ++i) {
    const InstructionId value = tupleElement(tuple, i);
    frame.values[names[i]] = value;
    if (i < arguments.size() && !staysSame(op, i)) continue;
    if (const Literal* known = folder_.valueOf(outer[i])) folder_.assume(value, *known);
  }
  // A loop's body hands its captured values on behind the carried ones.
  Status status;
  const Region& body = op.regions[region];
  if (loop && region == 1 && !body.operations.empty()) {
    Region extended = body;
    for (const std::string& value : captured)
      extended.operations.back().operands.push_back(value), extended.operations.back().operandOffsets.push_back(0);
    status = lowerBlock(extended, op, true);
  } else {
    status = lowerBlock(body, op, !loop && op.types.size() != 1);
  }
  frame_ = frame.outer;
  if (!status) return std::unexpected(std::move(status).error());
  return frame.id;
}

Result<ComputationId> Lowering::binaryComputation(const Operation& op, std::string_view applied,
                                                  const std::vector<ElementType>& types) {
  const LoweringRow* row = findRow(applied);
  if (!row || row->lower || row->operands != 2 || types.size() != 1)
    return fault(op, "the reduction " + std::string(applied) + " is no operation of two scalars");
  Frame frame{module_.addComputation(uniqueComputationName("region_" + std::string(nameOf(row->opcode)))), {}, frame_};
  frame_ = &frame;
  Region region;
  const Shape scalar = Shape::arrayRowMajor(types[0], {});
  region.arguments = {{"%a", scalar, {}}, {"%b", scalar, {}}};
  addParameters(region);
  const InstructionId root = add(row->opcode, scalar, {frame.values["%a"], frame.values["%b"]});
  module_.setRoot(frame.id, root);
  frame_ = frame.outer;
  return frame.id;
}

Result<ComputationId> Lowering::lowerFunction(const Operation& function, const std::vector<InstructionId>& operands) {
  if (function.regions.size() != 1) return fault(function, "a function has no body");
  Frame frame{module_.addComputation(uniqueComputationName(std::string(function.symbol))), {}, nullptr};
  Frame* caller = std::exchange(frame_, &frame);
  addParameters(function.regions[0], operands);
  Status status = lowerBlock(function.regions[0], function, false);
  frame_ = caller;
  if (!status) return std::unexpected(std::move(status).error());
  return frame.id;
}

Result<ComputationId> Lowering::functionNamed(const Operation& op, std::string_view name) {
  if (auto done = lowered_.find(name); done != lowered_.end()) return done->second;
  auto found = functions_.find(name);
  if (found == functions_.end()) return fault(op, "there is no function @" + std::string(name));
  if (open_[name] || depth_ >= kMaxCalls)
    return fault(op, "the function @" + std::string(name) + " calls itself, directly or through others");
  open_[name] = true;
  ++depth_;
  auto id = lowerFunction(*found->second);
  --depth_;
  open_[name] = false;
  if (id) lowered_.emplace(name, *id);
  return id;
}

}  // namespace tessera::mlir
