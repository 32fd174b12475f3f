// See dimension_relations.h.
#include "core/ops/shared/dimension_relations.h"

#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

bool changesNothing(const WindowDimension& w) {
  return w.size == 1 && w.stride == 1 && w.paddingLow == 0 && w.paddingHigh == 0 && w.baseDilation == 1;
}

DimensionRelations opaqueRelations() {
  DimensionRelations out;
  out.opaque = true;
  return out;
}

}  // namespace

DimensionRef DimensionRef::operand(size_t k, size_t d, size_t leaf) {
  return {Of::Operand, 0, static_cast<uint32_t>(k), static_cast<uint32_t>(leaf), static_cast<uint32_t>(d)};
}
DimensionRef DimensionRef::result(size_t d, size_t leaf) {
  return {Of::Result, 0, 0, static_cast<uint32_t>(leaf), static_cast<uint32_t>(d)};
}

void DimensionRelations::sameArray(DimensionRef to, const Shape& toShape, DimensionRef from, const Shape& fromShape) {
  if (toShape.dimensions.size() != fromShape.dimensions.size()) return;
  for (uint32_t d = 0; d < toShape.dimensions.size(); ++d) {
    to.dimension = from.dimension = d;
    same(to, from);
  }
}

void DimensionRelations::sameLeaves(DimensionRef to, const Shape& toShape, DimensionRef from, const Shape& fromShape) {
  if (toShape.isArray() && fromShape.isArray()) return sameArray(to, toShape, from, fromShape);
  const auto toLeaves = leavesOf(toShape), fromLeaves = leavesOf(fromShape);
  for (size_t i = 0; i < std::min(toLeaves.size(), fromLeaves.size()); ++i) {
    sameArray(to, *toLeaves[i].shape, from, *fromLeaves[i].shape);
    ++to.leaf, ++from.leaf;
  }
}

void DimensionRelations::windowed(DimensionRef to, DimensionRef from, const WindowDimension& window,
                                  std::string_view fixed) {
  rows.push_back({to, DimensionRule::Windowed, from, changesNothing(window), fixed, window});
}

void DimensionRelations::passedTo(const InferContext& context, size_t callee, size_t p, size_t k) {
  const DimensionRef parameter{DimensionRef::Of::Parameter, static_cast<uint32_t>(callee), static_cast<uint32_t>(p)};
  sameLeaves(parameter, context.computations[callee].parameters[p], DimensionRef::operand(k, 0), context.operand(k));
}

void DimensionRelations::givenBy(const InferContext& context, size_t callee) {
  const DimensionRef root{DimensionRef::Of::Root, static_cast<uint32_t>(callee)};
  sameLeaves(DimensionRef::result(0), *context.written, root, context.computations[callee].result);
}

DimensionRelations relationsOfElementwise(const InferContext& context) {
  DimensionRelations out;
  const auto leaves = leavesOf(*context.written);
  size_t number = 0, count = 0;
  for (const Shape* operand : context.operands) count += leavesOf(*operand).size();
  for (size_t k = 0; k < context.operands.size(); ++k) {
    const auto parts = leavesOf(context.operand(k));
    for (size_t i = 0; i < parts.size(); ++i, ++number) {
      const size_t leaf = leaves.size() == count ? number : 0;
      if (leaf < leaves.size())
        out.sameArray(DimensionRef::result(0, leaf), *leaves[leaf].shape, DimensionRef::operand(k, 0, i),
                      *parts[i].shape);
    }
  }
  return out;
}

DimensionRelations dimensionRelationsOf(const InferContext& context) {
  if (!context.op || !context.written) return opaqueRelations();
  if (context.op->dimensions) return context.op->dimensions(context);
  return context.op->category.has(kElementwise) ? relationsOfElementwise(context) : opaqueRelations();
}

DimensionRelations dimensionRelationsOf(const Module& module, const Instruction& instruction) {
  return dimensionRelationsOf(inferContextOf(module, instruction));
}

std::vector<int64_t> alignedDimensions(const Module& module, const Instruction& instruction, size_t k) {
  std::vector<int64_t> out(instruction.shape->isArray() ? instruction.shape->dimensions.size() : 0, -1);
  for (const DimensionRelation& row : dimensionRelationsOf(module, instruction).rows)
    if (row.aligned && row.to.of == DimensionRef::Of::Result && row.to.dimension < out.size() &&
        row.from.of == DimensionRef::Of::Operand && row.from.value == k)
      out[row.to.dimension] = static_cast<int64_t>(row.from.dimension);
  return out;
}

}  // namespace tessera
