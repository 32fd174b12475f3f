// Constants, shapes and data movement: broadcasts, reshapes, slices, pads, gather and scatter's dimension numbers.
#include <algorithm>

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

Status oneResult(Lowering& l, const Operation& op) {
  if (op.types.size() == 1 && op.types[0].isArray()) return {};
  return l.fault(op, "the operation has one array as its result");
}

Status lowerConstant(Lowering& l, const Operation& op, Opcode) {
  TESSERA_TRY(oneResult(l, op));
  const Attribute* value = op.find("value");
  if (!value) return l.fault(op, "the value is missing", "dense<…>");
  if (value->dialect == "dense_resource") {
    const std::string* blob = l.resource(value->text);
    if (!blob) return l.fault(op, "there is no resource " + value->text);
    auto literal = resourceLiteral(*blob, op.types[0]);
    if (!literal) return l.fault(op, literal.error().message, literal.error().expected, literal.error().found);
    return l.defineResult(op, 0, l.addConstant(std::move(*literal))), Status();
  }
  auto literal = denseLiteral(value->text, op.types[0]);
  if (!literal) {
    if (literal.error().kind != ErrorKind::Invalid) return std::unexpected(std::move(literal).error());
    return l.fault(op, literal.error().message, literal.error().expected, literal.error().found);
  }
  l.defineResult(op, 0, l.addConstant(std::move(*literal)));
  return {};
}

Status lowerIota(Lowering& l, const Operation& op, Opcode opcode) {
  AttributeSet attributes;
  attributes.set(Attr::iota_dimension, integer(op, {"dim", "iota_dimension"}, 0));
  return l.emit(op, opcode, {}, std::move(attributes));
}

Status lowerBroadcast(Lowering& l, const Operation& op, Opcode) {
  TESSERA_TRY(oneResult(l, op));
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  const std::vector<int64_t> dims = integers(op, {"dims", "broadcast_dimensions"});
  const Shape& from = l.shapeOf(id);
  bool good = dims.size() == from.dimensions.size();
  for (int64_t d : dims) good = good && d >= 0 && d < op.types[0].rank();
  if (!good) return l.fault(op, "the dimensions do not match the operand and the result");
  l.defineResult(op, 0, l.broadcast(id, op.types[0], dims));
  return {};
}

// Operations with one list of dimensions.
Status lowerWithDimensions(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, integers(op, {"dims", "permutation", "dimensions", "dim", "dimension"}));
  return l.emit(op, opcode, operands, std::move(attributes));
}

// "[0:1, 0:128:2]", or three lists.
Status lowerSlice(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  std::vector<SliceDimension> slices;
  if (const Attribute* ranges = op.find("value")) {
    text::Lexer lexer(ranges->text);
    lexer.accept('[');
    while (!lexer.accept(']')) {
      if (!slices.empty() && !lexer.accept(',')) return l.fault(op, "the ranges are not understood");
      SliceDimension& s = slices.emplace_back();
      if (!lexer.integer(s.start, "a start") || !lexer.accept(':') || !lexer.integer(s.limit, "a limit") ||
          (lexer.accept(':') && !lexer.integer(s.stride, "a stride")))
        return l.fault(op, "the ranges are not understood", "[start:limit:stride, …]");
    }
  } else {
    const std::vector<int64_t> starts = integers(op, {"start_indices"}), limits = integers(op, {"limit_indices"}),
                               strides = integers(op, {"strides"});
    if (starts.size() != limits.size() || starts.size() != strides.size())
      return l.fault(op, "the lists of the slice differ in length");
    for (size_t d = 0; d < starts.size(); ++d) slices.push_back({starts[d], limits[d], strides[d]});
  }
  AttributeSet attributes;
  attributes.set(Attr::slice, std::move(slices));
  return l.emit(op, opcode, {id}, std::move(attributes));
}

Status lowerPad(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const std::vector<int64_t> low = integers(op, {"low", "edge_padding_low"}),
                             high = integers(op, {"high", "edge_padding_high"}),
                             interior = integers(op, {"interior", "interior_padding"});
  if (low.size() != high.size() || low.size() != interior.size())
    return l.fault(op, "the lists of the padding differ in length");
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < low.size(); ++d) padding.push_back({low[d], high[d], interior[d]});
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerDynamicSlice(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, integers(op, {"sizes", "slice_sizes"}));
  return l.emit(op, opcode, operands, std::move(attributes));
}

// One field of #stablehlo.gather<…>; batching dimensions are written only where there are some.
void setNumbers(AttributeSet& out, const Attribute& numbers, Attr attr, std::string_view name, bool always = true) {
  std::vector<int64_t> values = integersOf(numbers.find(name));
  if (always || !values.empty()) out.set(attr, std::move(values));
}

int64_t indexVectorDimension(const Attribute& numbers) {
  const Attribute* found = numbers.find("index_vector_dim");
  return found ? found->integer : 0;
}

Status lowerGather(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* numbers = op.find("dimension_numbers");
  if (!numbers) return l.fault(op, "the dimension numbers are missing", "dimension_numbers = #stablehlo.gather<…>");
  AttributeSet attributes;
  setNumbers(attributes, *numbers, Attr::offset_dims, "offset_dims");
  setNumbers(attributes, *numbers, Attr::collapsed_slice_dims, "collapsed_slice_dims");
  setNumbers(attributes, *numbers, Attr::start_index_map, "start_index_map");
  setNumbers(attributes, *numbers, Attr::operand_batching_dims, "operand_batching_dims", false);
  setNumbers(attributes, *numbers, Attr::start_indices_batching_dims, "start_indices_batching_dims", false);
  attributes.set(Attr::index_vector_dim, indexVectorDimension(*numbers));
  attributes.set(Attr::slice_sizes, integers(op, {"slice_sizes"}));
  if (boolean(op, {"indices_are_sorted"}, false)) attributes.set(Attr::indices_are_sorted, true);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerScatter(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* numbers = op.find("scatter_dimension_numbers");
  if (!numbers) numbers = op.find("dimension_numbers");
  if (!numbers)
    return l.fault(op, "the dimension numbers are missing", "scatter_dimension_numbers = #stablehlo.scatter<…>");
  AttributeSet attributes;
  setNumbers(attributes, *numbers, Attr::update_window_dims, "update_window_dims");
  setNumbers(attributes, *numbers, Attr::inserted_window_dims, "inserted_window_dims");
  setNumbers(attributes, *numbers, Attr::scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims");
  setNumbers(attributes, *numbers, Attr::input_batching_dims, "input_batching_dims", false);
  setNumbers(attributes, *numbers, Attr::scatter_indices_batching_dims, "scatter_indices_batching_dims", false);
  attributes.set(Attr::index_vector_dim, indexVectorDimension(*numbers));
  if (boolean(op, {"indices_are_sorted"}, false)) attributes.set(Attr::indices_are_sorted, true);
  if (boolean(op, {"unique_indices"}, false)) attributes.set(Attr::unique_indices, true);
  TESSERA_ASSIGN_OR_RETURN(ComputationId combiner, l.regionComputation(op, 0, "scatter_region"));
  attributes.set(Attr::to_apply, combiner);
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerTuple(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  std::vector<Shape> shapes;
  for (InstructionId id : operands) shapes.push_back(l.shapeOf(id));
  l.defineResult(op, 0, l.add(opcode, Shape::tuple(std::move(shapes)), operands));
  return {};
}

Status lowerTupleElement(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  int64_t index = integer(op, {"index"}, 0);
  if (const Attribute* bracket = op.find("value")) {
    text::Lexer lexer(bracket->text);
    if (!lexer.accept('[') || !lexer.integer(index, "an index"))
      return l.fault(op, "the index is not understood", "[0]");
  }
  const Shape& tuple = l.shapeOf(id);
  if (!tuple.isTuple() || index < 0 || static_cast<size_t>(index) >= tuple.elements.size())
    return l.fault(op, "the tuple has no such element");
  l.defineResult(op, 0, l.tupleElement(id, static_cast<size_t>(index)));
  return {};
}

Status lowerDimensionSize(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, std::vector<int64_t>{integer(op, {"dim", "dimension"}, 0)});
  return l.emit(op, opcode, operands, std::move(attributes));
}

const LoweringRow kMovementRows[] = {
    {"constant", 0, Opcode::Constant, lowerConstant},
    {"iota", 0, Opcode::Iota, lowerIota},
    {"broadcast_in_dim", 1, Opcode::Broadcast, lowerBroadcast},
    {"reshape", 1, Opcode::Reshape},
    {"transpose", 1, Opcode::Transpose, lowerWithDimensions},
    {"reverse", 1, Opcode::Reverse, lowerWithDimensions},
    {"concatenate", 1, Opcode::Concatenate, lowerWithDimensions},
    {"slice", 1, Opcode::Slice, lowerSlice},
    {"pad", 2, Opcode::Pad, lowerPad},
    {"dynamic_slice", 1, Opcode::DynamicSlice, lowerDynamicSlice},
    {"dynamic_update_slice", 2, Opcode::DynamicUpdateSlice},
    {"gather", 2, Opcode::Gather, lowerGather},
    {"scatter", 3, Opcode::Scatter, lowerScatter},
    {"tuple", 0, Opcode::Tuple, lowerTuple},
    {"get_tuple_element", 1, Opcode::GetTupleElement, lowerTupleElement},
    {"get_dimension_size", 1, Opcode::GetDimensionSize, lowerDimensionSize},
    {"set_dimension_size", 2, Opcode::SetDimensionSize, lowerDimensionSize},
};

}  // namespace

std::span<const LoweringRow> movementRows() { return kMovementRows; }

}  // namespace tessera::mlir
