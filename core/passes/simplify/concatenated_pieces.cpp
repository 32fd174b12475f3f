// See concatenated_pieces.h. Every member of the expression is read by it alone, so that nothing is computed twice.
#include "core/passes/simplify/concatenated_pieces.h"

#include <algorithm>

#include "core/base/tuning.h"

namespace tessera {
ConcatenatedPieces::ConcatenatedPieces(Site& site, InstructionId value)
    : site_(site), value_(value), dimensions_(site.shapeOf(value).dimensions) {
  if (!visit(value) || dimension_ < 0 || reads_.size() * sizes_.size() > tuning().simplify.maxPieceCopies) return;
  isValid_ = std::ranges::all_of(
      reads_, [&](const auto& member) { return site_.useCount(InstructionId{member.first}) <= member.second; });
}

bool ConcatenatedPieces::visit(InstructionId id) {
  const Instruction& in = site_.module.at(id);
  if (in.shape->isScalar() && !dimensions_.empty()) return true;
  if (in.shape->dimensions != dimensions_) return false;
  if (in.opcode != Opcode::Concatenate && isReadByPieces(in)) return true;
  if (++reads_[id.value] > 1) return true;
  if (in.opcode == Opcode::Concatenate) return visitConcatenate(in);
  if (!isElementwise(in.opcode) || in.opcode == Opcode::Map || reads_.size() > tuning().simplify.maxPieceMembers)
    return false;
  return std::ranges::all_of(in.operands, [&](InstructionId operand) { return visit(operand); });
}

bool ConcatenatedPieces::visitConcatenate(const Instruction& in) {
  std::vector<int64_t> sizes;
  const int64_t dimension = in.attributes->ints(Attr::dimensions)[0];
  for (InstructionId piece : in.operands)
    sizes.push_back(site_.shapeOf(piece).dimensions[static_cast<size_t>(dimension)]);
  if (dimension_ < 0)
    dimension_ = dimension, sizes_ = std::move(sizes);
  else if (dimension_ != dimension || sizes_ != sizes)
    return false;
  return true;
}

// An array in memory, of which a piece is a slice, or one scalar repeated.
bool ConcatenatedPieces::isReadByPieces(const Instruction& in) const {
  return in.opcode == Opcode::Parameter || in.opcode == Opcode::GetTupleElement || in.opcode == Opcode::Broadcast;
}

Shape ConcatenatedPieces::cut(const Shape& whole, size_t piece) const {
  std::vector<int64_t> dimensions = whole.dimensions;
  dimensions[static_cast<size_t>(dimension_)] = sizes_[piece];
  return withDimensions(whole, std::move(dimensions));
}

InstructionId ConcatenatedPieces::makePiece(size_t piece) {
  std::unordered_map<uint32_t, InstructionId> made;
  return pieceOf(value_, piece, made);
}

InstructionId ConcatenatedPieces::pieceOf(InstructionId id, size_t piece,
                                          std::unordered_map<uint32_t, InstructionId>& made) {
  if (const auto known = made.find(id.value); known != made.end()) return known->second;
  const Instruction in = site_.module.at(id);
  InstructionId out = id;
  if (in.opcode == Opcode::Concatenate) {
    out = in.operands[piece];
  } else if (const InstructionId scalar = site_.repeatedScalar(id); scalar.valid()) {
    out = site_.broadcast(scalar, cut(*in.shape, piece));
  } else if (isReadByPieces(in) && !in.shape->isScalar()) {
    std::vector<SliceDimension> ranges;
    for (int64_t size : in.shape->dimensions) ranges.push_back({0, size, 1});
    SliceDimension& range = ranges[static_cast<size_t>(dimension_)];
    for (size_t before = 0; before < piece; ++before) range.start += sizes_[before];
    range.limit = range.start + sizes_[piece];
    out = site_.slice(id, ranges);
  } else if (!in.shape->isScalar()) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : in.operands) operands.push_back(pieceOf(operand, piece, made));
    out = site_.make(in.opcode, cut(*in.shape, piece), operands, *in.attributes, id);
  }
  return made[id.value] = out;
}

}  // namespace tessera
