// scan: runs a computation over the slices of N arrays along one dimension, in order, and hands carries from each step
// to the next. The results are the stacked outputs of the steps and the last carries. core/passes/expand/expand_scan
// makes a while loop of it for code generation.
#include <cstring>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kScanOperands[] = {
    {"inputs", "arrays of equal size along the dimension"},
    {"inits", "num_carries values: what the first step gets"},
};

constexpr AttributeRow kScanAttributes[] = {
    {Attr::dimensions, true, "", "the one dimension of inputs and outputs along which the steps run"},
    {Attr::num_carries, true, "", "how many of the last operands, and of the last results, are carried"},
    {Attr::is_reverse, false, "false", "the last slice comes first"},
    {Attr::is_associative, false, "",
     "says that the steps may be combined in another order; the values are those in order", "true false"},
    {Attr::to_apply, true, "", "computation (slices, carries) -> (output slices, carries)"},
};

constexpr Constraint kScanConstraints[] = {
    {"C1", "`num_carries` is between 0 and the number of operands."},
    {"C2", "`dimensions` names one dimension, which every input has, of the same size in all."},
    {"C3", "`to_apply` takes a slice of each input, without the dimension, and the carries."},
    {"C4", "The last results of `to_apply` are the carries, of the same shapes."},
    {"C5", "There is an input, or else an output in the written shape, to say how many steps there are."},
};

Shape withoutDimension(Shape shape, int64_t dimension) {
  shape.dimensions.erase(shape.dimensions.begin() + dimension);
  if (!shape.dynamic.empty()) shape.dynamic.erase(shape.dynamic.begin() + dimension);
  shape.layout.reset();
  return shape;
}

// How operands and results are shared out between slices and carries.
struct Parts {
  size_t inputs = 0, carries = 0, outputs = 0;
};

Result<Parts> partsOf(const InferContext& context) {
  const int64_t carries = context.attributes->intOr(Attr::num_carries, -1);
  const auto operands = static_cast<int64_t>(context.operands.size());
  if (carries < 0 || carries > operands)
    return context.violated("C1", "num_carries does not fit the operands", fmt::format("0 to {}", operands),
                            std::to_string(carries));
  Parts out{static_cast<size_t>(operands - carries), static_cast<size_t>(carries), 0};
  const size_t results = context.computations.empty() ? 0 : resultLeaves(context.computations[0].result).size();
  if (results < out.carries || results == 0)
    return context.violated("C4", "to_apply gives fewer results than there are carries", std::to_string(carries),
                            std::to_string(results));
  out.outputs = results - out.carries;
  return out;
}

Result<int64_t> dimensionOf(const InferContext& context, const Parts& parts) {
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (dims.size() != 1 || dims[0] < 0)
    return context.violated("C2", "scan runs along one dimension", "one number",
                            fmt::format("{{{}}}", fmt::join(dims, ",")));
  for (size_t i = 0; i < parts.inputs; ++i) {
    const Shape& input = context.operand(i);
    if (!input.isArray() || input.rank() <= dims[0])
      return context.violated("C2", fmt::format("input {} has no dimension {}", i, dims[0]), "an array with it",
                              toString(input, false));
    const int64_t size = input.dimensions[static_cast<size_t>(dims[0])],
                  first = context.operand(0).dimensions[static_cast<size_t>(dims[0])];
    if (size != first)
      return context.violated("C2", fmt::format("inputs 0 and {} differ along dimension {}", i, dims[0]),
                              std::to_string(first), std::to_string(size));
  }
  return dims[0];
}

Status checkCallee(const InferContext& context, const Parts& parts, int64_t dimension) {
  const ProgramShape& program = context.computations[0];
  bool fits = program.parameters.size() == context.operands.size();
  for (size_t i = 0; fits && i < program.parameters.size(); ++i) {
    const Shape& operand = context.operand(i);
    fits = sameIgnoringLayout(program.parameters[i], i < parts.inputs ? withoutDimension(operand, dimension) : operand);
  }
  if (!fits) return context.violated("C3", "the computation does not take the slices and carries");
  const std::vector<Shape> results = resultLeaves(program.result);
  for (size_t i = 0; i < parts.carries; ++i) {
    const Shape &carry = context.operand(parts.inputs + i), &result = results[parts.outputs + i];
    if (!sameIgnoringLayout(carry, result))
      return context.violated("C4", fmt::format("carry {} changes its shape from step to step", i),
                              toString(carry, false), toString(result, false));
  }
  return {};
}

// Steps: the size of the inputs, else of the first output as written.
Result<int64_t> lengthOf(const InferContext& context, const Parts& parts, int64_t dimension) {
  const auto d = static_cast<size_t>(dimension);
  if (parts.inputs > 0) return context.operand(0).dimensions[d];
  if (parts.outputs > 0 && context.written) {
    const std::vector<Shape> written = resultLeaves(*context.written);
    if (!written.empty() && written[0].isArray() && d < written[0].dimensions.size()) return written[0].dimensions[d];
  }
  return context.violated("C5", "no operand has the number of steps of the scan",
                          "an input, or an output with a shape in the text");
}

Result<Shape> inferScan(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const Parts parts, partsOf(context));
  TESSERA_ASSIGN_OR_RETURN(const int64_t dimension, dimensionOf(context, parts));
  TESSERA_TRY(checkCallee(context, parts, dimension));
  TESSERA_ASSIGN_OR_RETURN(const int64_t length, lengthOf(context, parts, dimension));
  Shape result = withoutLayout(context.computations[0].result);
  std::vector<Shape> leaves = resultLeaves(result);
  for (size_t i = 0; i < parts.outputs; ++i) {
    Shape& leaf = leaves[i];
    if (!leaf.isArray() || leaf.rank() < dimension)
      return context.violated("C2", fmt::format("output {} has no place for dimension {}", i, dimension),
                              "an array with it", toString(leaf, false));
    leaf.dimensions.insert(leaf.dimensions.begin() + dimension, length);
    if (!leaf.dynamic.empty()) leaf.dynamic.insert(leaf.dynamic.begin() + dimension, false);
  }
  return result.isTuple() ? Shape::tuple(std::move(leaves)) : leaves[0];
}

// An array seen as [outer, length, inner] around the dimension.
struct Rows {
  size_t outer = 1, length = 1, innerBytes = 1;
};

Rows rowsOf(const Shape& shape, int64_t dimension) {
  Rows out;
  const auto d = static_cast<size_t>(dimension);
  const std::span<const int64_t> dims(shape.dimensions);
  out.outer = static_cast<size_t>(productOf(dims.first(d)));
  out.length = static_cast<size_t>(dims[d]);
  out.innerBytes = static_cast<size_t>(productOf(dims.subspan(d + 1))) * static_cast<size_t>(byteWidth(shape.type));
  return out;
}

Result<Literal> sliceAt(const Literal& input, int64_t dimension, size_t step) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutDimension(input.shape(), dimension)));
  const Rows rows = rowsOf(input.shape(), dimension);
  for (size_t o = 0; o < rows.outer && rows.innerBytes; ++o)
    std::memcpy(out.mutableBytes().data() + o * rows.innerBytes,
                input.bytes().data() + (o * rows.length + step) * rows.innerBytes, rows.innerBytes);
  return out;
}

void storeSlice(Literal& output, int64_t dimension, size_t step, const Literal& slice) {
  const Rows rows = rowsOf(output.shape(), dimension);
  for (size_t o = 0; o < rows.outer && rows.innerBytes; ++o)
    std::memcpy(output.mutableBytes().data() + (o * rows.length + step) * rows.innerBytes,
                slice.bytes().data() + o * rows.innerBytes, rows.innerBytes);
}

Result<Literal> evaluateScan(const EvaluateContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  const int64_t dimension = attributes.ints(Attr::dimensions)[0];
  const auto carries = static_cast<size_t>(attributes.intOr(Attr::num_carries, 0));
  const bool reverse = attributes.boolOr(Attr::is_reverse, false);
  const size_t inputs = context.operands.size() - carries;
  const std::vector<Shape> leaves = resultLeaves(context.shape);
  std::vector<Literal> outputs,
      carried(context.operands.begin() + static_cast<int64_t>(inputs), context.operands.end());
  for (size_t i = 0; i + carries < leaves.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(leaves[i]));
    outputs.push_back(std::move(output));
  }
  const size_t steps =
      inputs ? rowsOf(context.operands[0].shape(), dimension).length : rowsOf(leaves[0], dimension).length;
  for (size_t n = 0; n < steps; ++n) {
    if (isCancelled(context)) return failCancelled();
    const size_t step = reverse ? steps - 1 - n : n;
    std::vector<Literal> arguments;
    for (size_t i = 0; i < inputs; ++i) {
      TESSERA_ASSIGN_OR_RETURN(Literal slice, sliceAt(context.operands[i], dimension, step));
      arguments.push_back(std::move(slice));
    }
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    TESSERA_ASSIGN_OR_RETURN(const Literal root, context.call(0, arguments));
    const auto result = [&](size_t i) -> const Literal& { return root.shape().isTuple() ? root.elements()[i] : root; };
    for (size_t i = 0; i < outputs.size(); ++i) storeSlice(outputs[i], dimension, step, result(i));
    for (size_t i = 0; i < carries; ++i) carried[i] = result(outputs.size() + i);
  }
  outputs.insert(outputs.end(), carried.begin(), carried.end());
  return context.shape.isTuple() ? Literal::tuple(std::move(outputs)) : std::move(outputs[0]);
}

// Slices lose the dimension of the steps, which is the same in all inputs and outputs; carries keep their shapes.
DimensionRelations scanDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto parts = partsOf(context);
  out.opaque = !parts;
  if (out.opaque) return out;
  const auto along = static_cast<size_t>(context.attributes->ints(Attr::dimensions)[0]);
  const DimensionRef steps = parts->inputs > 0 ? DimensionRef::operand(0, along) : DimensionRef::result(along);
  const auto sliced = [&](DimensionRef whole, const Shape& shape, DimensionRef slice) {
    for (uint32_t d = 0; d < shape.dimensions.size(); ++d) {
      whole.dimension = d;
      slice.dimension = d < along ? d : d - 1;
      if (d == along)
        out.same(whole, steps, false);
      else
        out.same(slice, whole);
    }
  };
  for (size_t k = 0; k < context.operands.size(); ++k) {
    if (k < parts->inputs)
      sliced(DimensionRef::operand(k, 0), context.operand(k),
             {DimensionRef::Of::Parameter, 0, static_cast<uint32_t>(k)});
    else
      out.passedTo(context, 0, k, k);
  }
  const auto results = leavesOf(*context.written);
  for (uint32_t k = 0; k < results.size(); ++k) {
    const Shape& shape = *results[k].shape;
    const DimensionRef root{DimensionRef::Of::Root, 0, 0, k}, result = DimensionRef::result(0, k);
    if (k < parts->outputs) {
      sliced(result, shape, root);
    } else {
      const size_t from = parts->inputs + k - parts->outputs;
      out.sameArray(result, shape, root, shape);
      out.sameArray(result, shape, DimensionRef::operand(from, 0), context.operand(from));
    }
  }
  if (parts->inputs == 0) out.fixed(steps, "only what is written says how many steps there are");
  return out;
}

}  // namespace

const OpDef kScan = {
    .opcode = Opcode::Scan,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Reduction},
    .summary = "Steps along a dimension with carried values",
    .doc =
        "For each index $i$ along the dimension, in order (or from the last down with `is_reverse`), $(out_i, c) = "
        "f(in_i, c)$, where $f$ is `to_apply`, $in_i$ are the slices of the inputs at $i$, without the dimension, and "
        "$c$ the carries, at first the initial values. The results are all $out_i$ along the dimension, and the last "
        "carries. A running sum is a scan whose computation gives the sum twice.",
    .operands = kScanOperands,
    .attributes = kScanAttributes,
    .constraints = kScanConstraints,
    .inferShape = inferScan,
    .evaluate = evaluateScan,
    .dimensions = scanDimensions,
};

}  // namespace tessera
