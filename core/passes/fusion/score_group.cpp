// See score_group.h.
#include "core/passes/fusion/score_group.h"

#include <algorithm>
#include <cmath>

#include "core/passes/patterns.h"

namespace tessera::attention {

namespace {

using Dims = std::vector<int64_t>;

constexpr size_t kMostReaders = 12;  // products and sums of one group: each computes the scores again

bool isStep(const Instruction& in) {
  return isElementwise(in.opcode) && in.opcode != Opcode::Copy && in.opcode != Opcode::Map;
}

// By result dimension of a transpose or a reshape that keeps the significant dimensions, the operand's that it is; -1:
// of size 1.
Dims operandDims(const Module& module, const Instruction& in) {
  if (in.opcode == Opcode::Transpose) return in.attributes->ints(Attr::dimensions);
  const Dims& from = module.shapeOf(in.operands[0]).dimensions;
  Dims out;
  size_t next = 0;
  for (const int64_t size : in.shape->dimensions) {
    while (size != 1 && from[next] == 1) ++next;
    out.push_back(size == 1 ? -1 : static_cast<int64_t>(next++));
  }
  return out;
}

// Without dimensions of size 1, sorted.
Dims asSet(Dims order) {
  std::erase(order, -1);
  std::ranges::sort(order);
  return order;
}

}  // namespace

bool ScoreGroup::grow(InstructionId power) {
  const Shape& shape = *at(power).shape;
  count_ = shape.elementCount().value_or(0), sizes_ = shape.dimensions;
  if (!isFactorType(shape.type) || !isMadeOfScores(power)) return false;
  Dims order;
  for (size_t d = 0; d < shape.dimensions.size(); ++d)
    order.push_back(shape.dimensions[d] == 1 ? -1 : static_cast<int64_t>(d));
  if (!reach(power, std::move(order))) return false;
  while (!open_.empty()) {
    const InstructionId id = open_.back();
    open_.pop_back();
    if (members_.size() > kMostVisited || isRoot(id) || !reachOperands(id) || !reachUsers(id)) return false;
  }
  if (readers_.size() > kMostReaders || !takeSides()) return false;
  bool hasMaximum = false, hasSum = false, hasProduct = false;
  for (const InstructionId reader : readers_) {
    hasMaximum |= reducesBy(module_, at(reader), Opcode::Maximum, -INFINITY);
    hasSum |= isReduction(at(reader)) && reducesBy(module_, at(reader), Opcode::Add, 0);
    hasProduct |= at(reader).opcode == Opcode::Dot;
    if (!isReduction(at(reader)) && !isBatchSum(at(reader)) && !isLastProduct(at(reader))) return false;
  }
  findStatistics();
  return hasMaximum && hasSum && hasProduct;
}

// Another order of the same dimensions.
bool ScoreGroup::movesScores(const Instruction& in) const {
  return in.opcode == Opcode::Transpose ||
         (in.opcode == Opcode::Reshape &&
          significantDimensions(module_.shapeOf(in.operands[0])) == significantDimensions(*in.shape));
}

// Whether a dot of as many elements can be reached through elementwise steps.
bool ScoreGroup::isMadeOfScores(InstructionId id) {
  if (const auto known = madeOfScores_.find(id.value); known != madeOfScores_.end()) return known->second;
  const Instruction& in = at(id);
  bool out = false;
  if (in.shape->isArray() && in.shape->elementCount() == count_) {
    out = isProduct(in);
    if (!out && (isStep(in) || movesScores(in)) && madeOfScores_.size() < kMostVisited)
      for (const InstructionId operand : in.operands) out = isMadeOfScores(operand) || out;
  }
  return madeOfScores_.emplace(id.value, out).first->second;
}

// Makes it a member; false: it is one in another order.
bool ScoreGroup::reach(InstructionId id, Dims order) {
  const auto [known, isNew] = members_.emplace(id.value, order);
  if (isNew) open_.push_back(id);
  return known->second == order;
}

// Of what a member of this order moves.
Dims ScoreGroup::orderOfOperand(const Instruction& in, const Dims& order) const {
  Dims out(module_.shapeOf(in.operands[0]).dimensions.size(), -1);
  const Dims from = operandDims(module_, in);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] >= 0) out[static_cast<size_t>(from[d])] = order[d];
  return out;
}

// Of what moves a member of this order.
Dims ScoreGroup::orderOfResult(const Instruction& in, const Dims& order) const {
  Dims out;
  for (const int64_t d : operandDims(module_, in)) out.push_back(d < 0 ? -1 : order[static_cast<size_t>(d)]);
  return out;
}

bool ScoreGroup::reachOperands(InstructionId id) {
  const Instruction& in = at(id);
  const Dims& order = members_.at(id.value);
  if (in.opcode == Opcode::Dot) return products_.push_back(id), true;
  if (!movesScores(in))
    return std::ranges::all_of(
        in.operands, [&](InstructionId operand) { return !isMadeOfScores(operand) || reach(operand, order); });
  return reach(in.operands[0], orderOfOperand(in, order));
}

bool ScoreGroup::reachUsers(InstructionId id) {
  for (const InstructionId user : users_.users(id)) {
    const Instruction& in = at(user);
    if (isStep(in) && in.shape->isArray() && in.shape->elementCount() == count_) {
      if (!reach(user, members_.at(id.value))) return false;
    } else if (movesScores(in)) {
      if (!reach(user, orderOfResult(in, members_.at(id.value)))) return false;
    } else if (std::ranges::find(readers_, user) == readers_.end()) {
      readers_.push_back(user);
    }
  }
  return true;
}

// A member's dimensions as dimensions of the exponential; -1: of size 1.
Dims ScoreGroup::orderOf(InstructionId id, std::span<const int64_t> dims) const {
  Dims out;
  for (const int64_t d : dims) out.push_back(members_.at(id.value)[static_cast<size_t>(d)]);
  return out;
}

// Queries and keys are what the dots' factors have alone, the same dimensions in all of them.
bool ScoreGroup::takeSides() {
  for (const InstructionId product : products_) {
    const DotDims dims(module_, at(product));
    Dims sides[2];
    for (int64_t d = dims.batch; d < dims.end; ++d) sides[d < dims.middle ? 0 : 1].push_back(d);
    for (Dims& side : sides) side = asSet(orderOf(product, side));
    if (product == products_[0]) std::ranges::copy(sides, sides_);
    const bool isSame = sides[0] == sides_[0] && sides[1] == sides_[1],
               isCrossed = sides[0] == sides_[1] && sides[1] == sides_[0];
    if (!(isSame || isCrossed) || depthOf(module_, at(product)) < kFewestDepth || !hasFactors(module_, at(product)))
      return false;
  }
  for (const Dims& side : sides_) {
    int64_t size = 1;
    for (const int64_t d : side) size *= sizes_[static_cast<size_t>(d)];
    if (size < kFewestColumns) return false;
  }
  return true;
}

// What a reader adds up or takes the largest of, in this order.
Dims ScoreGroup::walkOf(const Instruction& reader) const {
  if (reader.opcode == Opcode::Reduce) return orderOf(reader.operands[0], reader.attributes->ints(Attr::dimensions));
  const size_t scores = 1 - otherFactor(reader.id);
  return orderOf(reader.operands[scores],
                 reader.attributes->ints(scores == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims));
}

// Along all queries or all keys, by maximum or sum.
bool ScoreGroup::isReduction(const Instruction& reader) const {
  if (!reducesBy(module_, reader, Opcode::Maximum, -INFINITY) && !reducesBy(module_, reader, Opcode::Add, 0))
    return false;
  const Dims along = asSet(walkOf(reader));
  return isFactorType(reader.shape->type) && (along == sides_[0] || along == sides_[1]);
}

// Over a part of the batch, of all queries and keys: the gradient of a bias.
bool ScoreGroup::isBatchSum(const Instruction& reader) const {
  if (!reducesBy(module_, reader, Opcode::Add, 0) || !isFactorType(reader.shape->type)) return false;
  const Dims along = asSet(walkOf(reader));
  const auto isOfSides = [&](int64_t d) {
    return std::ranges::any_of(sides_, [&](const Dims& side) { return std::ranges::find(side, d) != side.end(); });
  };
  return !along.empty() && std::ranges::none_of(along, isOfSides);
}

// A dot that sums over all queries or all keys, with another factor that sees none of the other ones.
bool ScoreGroup::isLastProduct(const Instruction& reader) const {
  if (!isProduct(reader) || !hasFactors(module_, reader)) return false;
  const size_t other = otherFactor(reader.id);
  if (contains(reader.operands[other]) || widthOf(module_, reader, other) < kFewestDepth) return false;
  const Dims summed = asSet(walkOf(reader)),
             batch = orderOf(reader.operands[1 - other],
                             reader.attributes->ints(other == 1 ? Attr::lhs_batch_dims : Attr::rhs_batch_dims));
  for (const size_t k : {0, 1}) {
    if (summed != sides_[k]) continue;
    return std::ranges::none_of(batch,
                                [&](int64_t d) { return std::ranges::find(sides_[1 - k], d) != sides_[1 - k].end(); });
  }
  return false;
}

InstructionId ScoreGroup::takeReader(InstructionId reader, FusionMembers& members) const {
  members.take(reader);
  const bool isDot = at(reader).opcode == Opcode::Dot;
  const InstructionId last = isDot || isBatchSum(at(reader)) ? members.takeEnd(reader) : reader;
  if (isDot)
    members.takeFactor(reader, otherFactor(reader));
  else
    members.takeLeaf(at(reader).operands[1]);
  takeScores(at(reader).operands[isDot ? 1 - otherFactor(reader) : 0], members);
  return last;
}

// The operand of a last product that is not made of scores.
size_t ScoreGroup::otherFactor(InstructionId reader) const { return contains(at(reader).operands[0]) ? 1 : 0; }

bool ScoreGroup::areAlike(InstructionId reader, InstructionId other) const {
  if (at(reader).opcode != at(other).opcode || walkOf(at(reader)) != walkOf(at(other))) return false;
  const std::unordered_set<uint32_t> none;
  FusionMembers members(module_, users_, none);
  const bool isDot = at(reader).opcode == Opcode::Dot;
  const auto formOf = [&](InstructionId id) { return module_.shapeOf(isDot ? members.takeEnd(id) : id).dimensions; };
  return formOf(reader) == formOf(other);
}

bool ScoreGroup::isSumBehind(InstructionId sum, InstructionId most) const {
  if (!reducesBy(module_, at(sum), Opcode::Add, 0) || !reducesBy(module_, at(most), Opcode::Maximum, -INFINITY) ||
      walkOf(at(sum)) != walkOf(at(most)) || at(sum).shape->dimensions != at(most).shape->dimensions)
    return false;
  const auto behindConverts = [&](InstructionId id) {
    while (at(id).opcode == Opcode::Convert) id = at(id).operands[0];
    return id;
  };
  const InstructionId power = behindConverts(at(sum).operands[0]);
  if (at(power).opcode != Opcode::Exponential || at(at(power).operands[0]).opcode != Opcode::Subtract) return false;
  const Instruction& shifted = at(at(power).operands[0]);
  if (behindConverts(shifted.operands[0]) != behindConverts(at(most).operands[0])) return false;
  InstructionId id = shifted.operands[1];
  while (id != most) {
    const Opcode opcode = at(id).opcode;
    const bool isRepeated = opcode == Opcode::Broadcast || opcode == Opcode::Reshape || opcode == Opcode::Convert;
    if (!isRepeated && (opcode != Opcode::Maximum || splatValue(module_, at(id).operands[1]) != -INFINITY))
      return false;
    id = at(id).operands[0];
  }
  return true;
}

// The member with all that it is made of.
void ScoreGroup::takeScores(InstructionId id, FusionMembers& out) const {
  if (out.contains(id)) return;
  out.take(id);
  if (at(id).opcode == Opcode::Dot) {
    for (const size_t k : {0, 1}) out.takeFactor(id, k);
    return;
  }
  for (const InstructionId operand : at(id).operands) {
    if (contains(operand))
      takeScores(operand, out);
    else if (statistics_.contains(operand.value))
      takeStatistic(operand, out);
    else
      out.takeLeaf(operand);
  }
}

// What is made of rows' maxima and sums step by step, outside of the group.
void ScoreGroup::findStatistics() {
  std::vector<InstructionId> open;
  const auto reach = [&](InstructionId id) {
    if (!contains(id) && statistics_.size() < kMostVisited && statistics_.insert(id.value).second) open.push_back(id);
  };
  for (const InstructionId reader : readers_)
    if (isReduction(at(reader))) reach(reader);
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    for (const InstructionId user : users_.users(id))
      if (const Opcode opcode = at(user).opcode;
          isStep(at(user)) || opcode == Opcode::Broadcast || opcode == Opcode::Reshape)
        reach(user);
  }
}

// The repetition of a row's value along the row, with what costs next to nothing; what costs more is computed once a
// row, outside.
void ScoreGroup::takeStatistic(InstructionId id, FusionMembers& out) const {
  constexpr Opcode kCheap[] = {Opcode::Broadcast, Opcode::Reshape,  Opcode::Convert, Opcode::Negate,
                               Opcode::Maximum,   Opcode::Multiply, Opcode::Add,     Opcode::Subtract};
  while (std::ranges::find(kCheap, at(id).opcode) != std::end(kCheap)) {
    InstructionId next;
    for (const InstructionId operand : at(id).operands) {
      if (splatValue(module_, operand)) continue;
      if (next.valid()) return;
      next = operand;
    }
    if (!next.valid()) return;
    out.take(id);
    for (const InstructionId operand : at(id).operands)
      if (operand != next) out.takeLeaf(operand);
    id = next;
  }
}

}  // namespace tessera::attention
