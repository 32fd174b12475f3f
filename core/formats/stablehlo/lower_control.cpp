// Operations with regions and calls: reduce, sort, map, while, case, if, call, composite. HLO's computations see no
// outer values, so a loop carries what its body captures, and a branch takes it in a tuple.
#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

Shape shapesOf(Lowering& l, const Ids& ids) {
  std::vector<Shape> shapes;
  for (InstructionId id : ids) shapes.push_back(l.shapeOf(id));
  return Shape::tuple(std::move(shapes));
}

Status lowerReduce(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, integers(op, {"dimensions"}));
  if (op.words.empty()) {
    TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.regionComputation(op, 0, "reduce_region"));
    attributes.set(Attr::to_apply, body);
  } else {
    std::vector<ElementType> types;
    for (size_t i = 0; i < operands.size() / 2; ++i) types.push_back(l.shapeOf(operands[i]).type);
    TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.binaryComputation(op, op.words[0], types));
    attributes.set(Attr::to_apply, body);
  }
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerSort(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  int64_t dimension = integer(op, {"dimension"}, -1);
  if (dimension < 0) dimension += l.shapeOf(operands[0]).rank();
  attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
  if (boolean(op, {"is_stable"}, false)) attributes.set(Attr::is_stable, true);
  TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.regionComputation(op, 0, "compare_region"));
  attributes.set(Attr::to_apply, body);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerMap(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, integers(op, {"dimensions"}));
  TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.regionComputation(op, 0, "map_region"));
  attributes.set(Attr::to_apply, body);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerWhile(Lowering& l, const Operation& op, Opcode opcode) {
  if (op.regions.size() != 2) return l.fault(op, "while has a condition and a body");
  TESSERA_ASSIGN_OR_RETURN(Ids carried, l.operands(op));
  for (const Region& region : op.regions)
    if (region.arguments.size() != carried.size())
      return l.fault(op, "a region does not take what the loop carries", std::to_string(carried.size()) + " arguments",
                     std::to_string(region.arguments.size()));
  const std::vector<std::string> captured = l.captures(op);
  for (const std::string& name : captured) {
    TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.valueNamed(op, name, 0));
    carried.push_back(id);
  }
  AttributeSet attributes;
  TESSERA_ASSIGN_OR_RETURN(ComputationId condition, l.tupleComputation(op, 0, captured, "while_condition"));
  TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.tupleComputation(op, 1, captured, "while_body"));
  attributes.set(Attr::condition, condition);
  attributes.set(Attr::body, body);
  const Shape shape = shapesOf(l, carried);
  const InstructionId init = l.add(Opcode::Tuple, shape, carried);
  const InstructionId loop = l.add(opcode, shape, {init}, std::move(attributes));
  for (size_t i = 0; i < op.types.size(); ++i) l.defineResult(op, i, l.tupleElement(loop, i));
  return {};
}

// case (an index) and if (a boolean).
Status lowerBranches(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId selector, l.operand(op, 0));
  if (op.regions.empty()) return l.fault(op, "there is no branch");
  const std::vector<std::string> captured = l.captures(op);
  Ids values;
  for (const std::string& name : captured) {
    TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.valueNamed(op, name, 0));
    values.push_back(id);
  }
  const InstructionId argument = l.add(Opcode::Tuple, shapesOf(l, values), values);
  std::vector<ComputationId> branches;
  Ids operands = {selector};
  for (size_t i = 0; i < op.regions.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(ComputationId branch, l.tupleComputation(op, i, captured, "branch"));
    branches.push_back(branch);
    operands.push_back(argument);
  }
  AttributeSet attributes;
  if (l.shapeOf(selector).type == ElementType::Pred) {
    if (branches.size() != 2)
      return l.fault(op, "a boolean chooses between two branches", "2", std::to_string(branches.size()));
    attributes.set(Attr::true_computation, branches[0]);
    attributes.set(Attr::false_computation, branches[1]);
  } else {
    attributes.set(Attr::branch_computations, std::move(branches));
  }
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerCall(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  TESSERA_ASSIGN_OR_RETURN(ComputationId callee, l.calledFunction(op, op.symbol, operands));
  const Computation& function = l.module().at(callee);
  bool good = function.parameters.size() == operands.size();
  for (size_t i = 0; good && i < operands.size(); ++i)
    good = compatible(l.shapeOf(function.parameters[i]), l.shapeOf(operands[i]));
  if (!good) return l.fault(op, "the operands do not fit the function @" + std::string(op.symbol));
  if (!isOpen(l.resultShape(op)) && !compatible(l.shapeOf(function.root), l.resultShape(op)))
    return l.fault(op, "the results do not fit the function @" + std::string(op.symbol),
                   toString(l.shapeOf(function.root), false), toString(l.resultShape(op), false));
  AttributeSet attributes;
  attributes.set(Attr::to_apply, callee);
  return l.emit(op, opcode, operands, std::move(attributes));
}

// stablehlo.composite "name" %0 {composite_attributes = {…}, decomposition = @f, version = 1 : i32}
Status lowerComposite(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* decomposition = op.find("decomposition");
  if (!decomposition) return l.fault(op, "the decomposition is missing", "decomposition = @function");
  TESSERA_ASSIGN_OR_RETURN(ComputationId callee, l.calledFunction(op, decomposition->text, operands));
  const Attribute* given = op.find("composite_attributes");
  const Attribute* name = findAny(op, {"value", "name"});
  AttributeSet attributes;
  attributes.set(Attr::to_apply, callee);
  attributes.set(Attr::is_composite, true);
  attributes.set(Attr::frontend_attributes,
                 RawText{frontendText({{"composite.attributes", given && !given->text.empty() ? given->text : "{}"},
                                       {"composite.name", name ? name->text : ""},
                                       {"composite.version", std::to_string(integer(op, {"version"}, 0))}}),
                         false});
  return l.emit(op, opcode, operands, std::move(attributes));
}

const LoweringRow kControlRows[] = {
    {"reduce", 2, Opcode::Reduce, lowerReduce},
    {"sort", 1, Opcode::Sort, lowerSort},
    {"map", 1, Opcode::Map, lowerMap},
    {"while", 0, Opcode::While, lowerWhile},
    {"case", 1, Opcode::Conditional, lowerBranches},
    {"if", 1, Opcode::Conditional, lowerBranches},
    {"call", 0, Opcode::Call, lowerCall},
    {"composite", 0, Opcode::Call, lowerComposite},
};

}  // namespace

std::span<const LoweringRow> controlRows() { return kControlRows; }

}  // namespace tessera::mlir
