// See dynamic_rules.h. A rule leaves the operation as it is over bounds where padding does no harm, and fills or moves
// elements where it would. The values are those of XLA's dynamic padder.
#include "core/passes/dynamic/dynamic_rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/custom_calls/custom_calls.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

bool changesShapeOnly(Opcode opcode) { return opcode == Opcode::Reshape || opcode == Opcode::Bitcast; }

// Sizes are passed on with the value; a bitcast has others.
bool isIdentity(Opcode opcode) {
  if (hasTrait(opcode, kPassesOn)) return opcode != Opcode::Bitcast;
  return opcode == Opcode::Copy || opcode == Opcode::CopyStart || opcode == Opcode::CopyDone ||
         opcode == Opcode::AllReduce;
}

}  // namespace

void DynamicRule::keepLeaves(LeafSizes result) {
  Module& module = rewriter_.module();
  if (!std::ranges::equal(operands_, module.at(id_).operands)) module.setOperands(id_, operands_);
  if (*module.at(id_).shape != shape_) module.setShape(id_, shape_);
  rewriter_.touch(module.at(id_).computation);
  sizes_.set(id_, std::move(result));
}

void DynamicRule::standIn(InstructionId by, DimensionSizes result) {
  sizes_.set(by, {std::move(result)});
  rewriter_.replace(id_, by);
}

Status DynamicRule::unsupported() const {
  return fail(
      placedAt(original_, {.kind = ErrorKind::Unsupported,
                           .message = fmt::format("{} ({}) of values with dynamic dimensions cannot be compiled",
                                                  original_.name, original_.opcodeName())}));
}

bool DynamicRule::isAnnotation() const {
  if (original_.opcode != Opcode::CustomCall) return false;
  const std::string_view target = attributes().textOr(Attr::custom_call_target, "");
  return std::ranges::any_of(annotationTargets(), [&](const CustomCallTarget& each) { return each.name == target; });
}

// The last dimensions are computed as one (a matrix, a line, the axes of a transform), the others number them: results
// keep their sizes, and nothing looks at what is made of lines that do not count.
Status DynamicRule::byLines(size_t inner) {
  for (size_t i = 0; i < operands_.size(); ++i)
    for (size_t d = dims(i).size() - inner; d < dims(i).size(); ++d)
      if (isDynamic(i, d)) return unsupported();
  keepLeaves(leavesByRelation());
  return {};
}

// Over the operands unchanged now; the result as it was declared.
DimensionRelations DynamicRule::relations() const {
  Instruction now = original_;
  now.operands = operands_;
  return dimensionRelationsOf(rewriter_.module(), now);
}

DimensionSizes DynamicRule::sizesByRelation(size_t leaf) {
  const Shape bounds = *leavesOf(shape_)[leaf].shape;
  DimensionSizes out(bounds.dimensions.size());
  const DimensionRelations all = relations();
  for (const DimensionRelation& row : all.rows) {
    if (row.to.of != DimensionRef::Of::Result || row.to.leaf != leaf || row.from.of != DimensionRef::Of::Operand ||
        row.rule == DimensionRule::Sum || row.rule == DimensionRule::Fixed)
      continue;
    const size_t k = row.from.value, d = row.from.dimension;
    if (!isDynamic(k, d) || staysBound(row, dims(k)[d], bounds.dimensions[row.to.dimension])) continue;
    const InstructionId made = sizeByRule(build_, row, size(k, d), dims(k)[d]);
    InstructionId& known = out[row.to.dimension];
    known = known.valid() && known != made ? build_.minimum(known, made) : made;
  }
  for (const ReshapeGroup& group : all.groups)
    if (group.open) out[*group.open] = sizeOfGroup(group);
  return out;
}

LeafSizes DynamicRule::leavesByRelation() {
  LeafSizes out;
  const size_t count = leavesOf(shape_).size();
  for (size_t leaf = 0; leaf < count; ++leaf) out.push_back(sizesByRelation(leaf));
  return out;
}

// Not valid: no dimension of the operand is dynamic.
InstructionId DynamicRule::sizeOfGroup(const ReshapeGroup& group) {
  InstructionId count;
  int64_t fixed = 1;
  for (size_t d : group.from) {
    if (!isDynamic(0, d))
      fixed *= dims(0)[d];
    else
      count = count.valid() ? build_.multiply(count, size(0, d)) : size(0, d);
  }
  if (!count.valid()) return count;
  if (fixed != 1) count = build_.multiply(count, build_.number(fixed));
  return group.others > 1 ? build_.divide(count, build_.number(group.others)) : count;
}

void DynamicRule::getSize() {
  const auto d = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  rewriter_.replace(id_, build_.sizeOr(sizes(0), d, dims(0)[d]));
}

void DynamicRule::setSize() {
  const auto d = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  DimensionSizes result = sizes(0);
  result.resize(dims(0).size());
  result[d] = operands_[1];
  const Instruction& given = rewriter_.module().at(operands_[1]);
  if (given.opcode == Opcode::Constant && given.literal && given.literal->data<int32_t>()[0] == dims(0)[d])
    result[d] = {};
  standIn(build_.make(Opcode::Copy, shape_, {operands_[0]}), std::move(result));
}

// Identities: every leaf as in operand 0; tuples take theirs from all operands.
void DynamicRule::passOn() {
  LeafSizes result;
  const auto append = [&](const LeafSizes& more, size_t count) {
    result.insert(result.end(), more.begin(), more.end());
    result.resize(result.size() + count - more.size());
  };
  if (original_.opcode == Opcode::Tuple) {
    for (InstructionId operand : operands_) append(sizes_.leaves(operand), leavesOf(build_.shapeOf(operand)).size());
  } else if (original_.opcode == Opcode::GetTupleElement) {
    const Shape& tuple = build_.shapeOf(operands_[0]);
    const auto index = static_cast<size_t>(attributes().intOr(Attr::index, 0));
    size_t first = 0;
    for (size_t i = 0; i < index; ++i) first += leavesOf(tuple.elements[i]).size();
    for (size_t i = 0; i < leavesOf(shape_).size(); ++i) result.push_back(sizes(0, first + i));
  } else {
    result = sizes_.leaves(operands_[0]);
  }
  keepLeaves(std::move(result));
}

// Sizes that differ meet in the smaller one; a single element meets any size.
void DynamicRule::elementwise() {
  DimensionSizes result = noSizes();
  for (size_t d = 0; d < result.size(); ++d)
    for (size_t i = 0; i < operands_.size(); ++i) {
      const InstructionId one = size(i, d);
      if (!one.valid() || one == result[d]) continue;
      if (!result[d].valid()) {
        result[d] = one;
        continue;
      }
      const InstructionId a = result[d], single = build_.number(1);
      const InstructionId other =
          build_.make(Opcode::Select, build_.shapeOf(a), {build_.equal(one, single), a, build_.minimum(a, one)});
      result[d] = build_.make(Opcode::Select, build_.shapeOf(a), {build_.equal(a, single), one, other});
    }
  repeatSingles(result);
  keep(std::move(result));
}

void DynamicRule::repeatSingles(const DimensionSizes& result) {
  for (size_t i = 0; i < operands_.size(); ++i)
    for (size_t d = 0; d < result.size(); ++d) {
      if (!isDynamic(i, d) || size(i, d) == result[d]) continue;
      const InstructionId operand = operands_[i];
      const std::vector<int64_t> whole = dims(i);
      if (whole[d] == 0) continue;
      std::vector<int64_t> kept = whole, to;
      kept.erase(kept.begin() + static_cast<int64_t>(d));
      for (int64_t k = 0; k < static_cast<int64_t>(whole.size()); ++k)
        if (k != static_cast<int64_t>(d)) to.push_back(k);
      const InstructionId first = build_.reshape(build_.slice(operand, d, 0, 1), kept);
      const InstructionId single = build_.broadcast(build_.equal(size(i, d), build_.number(1)), whole);
      operands_[i] = carry(build_.select(single, build_.broadcast(first, whole, to), operand), operand);
    }
}

Status DynamicRule::apply() {
  if (original_.opcode == Opcode::GetDimensionSize) return getSize(), Status();
  if (original_.opcode == Opcode::SetDimensionSize) return setSize(), Status();
  if (original_.opcode == Opcode::DynamicReshape)
    return reshape(DimensionSizes(operands_.begin() + 1, operands_.end())), Status();
  const OpDef* op = findOp(original_.opcode);
  const bool isEffect = op && op->kind == ExecutionKind::Effect;
  if (!anyDynamic() && isEffect && shape_ != *original_.shape) return unsupported();
  if (!anyDynamic()) return keepLeaves({}), Status();
  if (isIdentity(original_.opcode) || isAnnotation()) return passOn(), Status();
  if (changesShapeOnly(original_.opcode)) return reshape(sizesByRelation()), Status();
  switch (original_.opcode) {
    case Opcode::Broadcast:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Gather: return keep(sizesByRelation()), Status();  // nothing that counts meets what does not
    case Opcode::Reduce: return reduce(), Status();
    case Opcode::Dot: return dot(), Status();
    case Opcode::Convolution: return convolve(), Status();
    case Opcode::Concatenate: return concatenate(), Status();
    case Opcode::Pad: return pad(), Status();
    case Opcode::Reverse: return reverse(), Status();
    case Opcode::DynamicUpdateSlice: return dynamicUpdateSlice(), Status();
    case Opcode::Scatter: return scatter(), Status();
    case Opcode::Sort: return sort(), Status();
    case Opcode::ReduceWindow: return reduceWindow(), Status();
    case Opcode::SelectAndScatter: return selectAndScatter(), Status();
    case Opcode::Cholesky:
    case Opcode::TriangularSolve: return byLines(2);
    case Opcode::Fft: return byLines(attributes().ints(Attr::fft_length).size());
    case Opcode::Topk: return byLines(1);
    case Opcode::AfterAll: return keepLeaves({}), Status();
    default: break;
  }
  if (op && op->category.has(kElementwise | kReinterprets) && shape_.isArray()) return elementwise(), Status();
  return unsupported();
}

const DimensionSizes& DynamicSizes::of(InstructionId id, size_t leaf) const {
  static const DimensionSizes none;
  const LeafSizes& all = leaves(id);
  return leaf < all.size() ? all[leaf] : none;
}

const LeafSizes& DynamicSizes::leaves(InstructionId id) const {
  static const LeafSizes none;
  const auto found = sizes_.find(id.value);
  return found == sizes_.end() ? none : found->second;
}

void DynamicSizes::set(InstructionId id, LeafSizes sizes) {
  const auto isSet = [](const DimensionSizes& each) { return std::ranges::any_of(each, &InstructionId::valid); };
  if (std::ranges::any_of(sizes, isSet)) sizes_[id.value] = std::move(sizes);
}

Shape staticShape(Shape shape) {
  shape.dynamic.clear();
  for (Shape& element : shape.elements) element = staticShape(std::move(element));
  return shape;
}

Status makeStatic(Rewriter& rewriter, DynamicSizes& sizes, InstructionId id) {
  return DynamicRule(rewriter, sizes, id).apply();
}

}  // namespace tessera
