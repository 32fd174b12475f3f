// See dynamic_view.h. Also the functions of dynamic_values.h that convert arguments and results at the entry.
#include "core/evaluate/dynamic_view.h"

#include <algorithm>

#include "core/evaluate/dynamic_values.h"
#include "core/hlo/index_math.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

Literal sizesLiteral(const Sizes& sizes) {
  const Shape shape = Shape::arrayRowMajor(ElementType::S64, {static_cast<int64_t>(sizes.size())});
  return Literal::fromBytes(shape, std::as_bytes(std::span(sizes))).value();
}

}  // namespace

bool isDynamicValue(const Literal& value, const Shape& declared) {
  return declared.isArray() && value.shape().isTuple();
}

bool needsDynamicEvaluation(const Instruction& instruction, std::span<const Literal> operands,
                            std::span<const Shape* const> shapes) {
  if (instruction.opcode == Opcode::SetDimensionSize || instruction.opcode == Opcode::DynamicReshape) return true;
  for (size_t i = 0; i < operands.size(); ++i)
    if (isDynamicValue(operands[i], *shapes[i])) {
      const OpDef* op = findOp(instruction.opcode);
      return instruction.opcode == Opcode::Bitcast ||
             (op->kind != ExecutionKind::Structure && op->kind != ExecutionKind::Control);
    }
  return false;
}

Literal withSizes(Literal buffer, const Sizes& sizes) {
  if (sizes == buffer.shape().dimensions) return buffer;
  Literal second = sizesLiteral(sizes);
  return Literal::tuple({std::move(buffer), std::move(second)});
}

DynamicView viewOf(const Literal& value, const Shape& declared) {
  DynamicView out;
  const bool pair = isDynamicValue(value, declared);
  out.buffer = pair ? value.elements()[0] : value;
  out.sizes = out.buffer.shape().dimensions;
  if (pair) {
    const auto sizes = value.elements()[1].data<int64_t>();
    out.sizes.assign(sizes.begin(), sizes.end());
  }
  for (size_t d = 0; d < out.sizes.size(); ++d)
    out.dynamic.push_back(declared.isDynamicDimension(static_cast<int64_t>(d)) ||
                          out.sizes[d] != out.buffer.shape().dimensions[d]);
  return out;
}

Sizes clamped(std::span<const int64_t> sizes, std::span<const int64_t> bounds) {
  Sizes out;
  for (size_t d = 0; d < sizes.size(); ++d) out.push_back(std::clamp<int64_t>(sizes[d], 0, bounds[d]));
  return out;
}

void paste(Literal& whole, const Literal& part) {
  copyBlock(part.shape().dimensions, part.bytes().data(), part.shape().dimensions, whole.mutableBytes().data(),
            whole.shape().dimensions, static_cast<size_t>(byteWidth(whole.shape().type)));
}

void copyBlock(std::span<const int64_t> block, const std::byte* from, std::span<const int64_t> fromDims, std::byte* to,
               std::span<const int64_t> toDims, size_t width) {
  const auto fromStrides = rowMajorStrides(fromDims), toStrides = rowMajorStrides(toDims);
  forEachIndex(block, [&](std::span<const int64_t> index, int64_t) {
    copyElement(to, linearIndexOf(index, toStrides), from, linearIndexOf(index, fromStrides), width);
    return true;
  });
}

bool takesArgument(const Shape& parameter, const Shape& given) {
  if (!parameter.isArray() || parameter.type != given.type || parameter.rank() != given.rank()) return false;
  for (int64_t d = 0; d < parameter.rank(); ++d) {
    const int64_t bound = parameter.dimensions[static_cast<size_t>(d)], size = given.dimensions[static_cast<size_t>(d)];
    if (size != bound && !(parameter.isDynamicDimension(d) && (size < bound || bound == Shape::kUnbounded)))
      return false;
  }
  return true;
}

Result<Literal> dynamicArgument(const Literal& argument, const Shape& parameter) {
  if (std::ranges::find(parameter.dimensions, Shape::kUnbounded) != parameter.dimensions.end() ||
      argument.shape().dimensions == parameter.dimensions)
    return argument;
  TESSERA_ASSIGN_OR_RETURN(Literal whole, padTo(argument, parameter));
  return withSizes(std::move(whole), argument.shape().dimensions);
}

Result<Literal> reportedValue(const Literal& value, const Shape& declared) {
  if (!isDynamicValue(value, declared)) return value;
  const DynamicView view = viewOf(value, declared);
  Sizes sizes = view.buffer.shape().dimensions;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (declared.isDynamicDimension(static_cast<int64_t>(d))) sizes[d] = view.sizes[d];
  return cutTo(view.buffer, sizes);
}

Result<Literal> cutTo(const Literal& whole, std::span<const int64_t> sizes) {
  const Sizes inside = clamped(sizes, whole.shape().dimensions);
  if (inside == whole.shape().dimensions) return whole;
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(Shape::arrayRowMajor(whole.shape().type, inside)));
  copyBlock(inside, whole.bytes().data(), whole.shape().dimensions, out.mutableBytes().data(), inside,
            static_cast<size_t>(byteWidth(whole.shape().type)));
  return out;
}

Result<Literal> padTo(const Literal& part, const Shape& whole) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::zeros(withoutLayout(whole)));
  paste(out, part);
  return out;
}

}  // namespace tessera
