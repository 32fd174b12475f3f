// ConcatenatedPieces: an elementwise expression over concatenates of equal pieces, taken apart: each piece of the value
// is the same expression over the pieces of what it reads. Used by the rule that reduces such a value piece by piece.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/passes/simplify/simplify_rules.h"

namespace tessera {

class ConcatenatedPieces {
 public:
  // Finds the concatenate that `value` is computed from; `isValid` when there is one and the expression can be cut.
  ConcatenatedPieces(Site& site, InstructionId value);
  bool isValid() const { return isValid_; }
  int64_t dimension() const { return dimension_; }
  size_t count() const { return sizes_.size(); }
  Shape shapeOfPiece(size_t piece) const { return cut(site_.shapeOf(value_), piece); }
  InstructionId makePiece(size_t piece);

 private:
  bool visit(InstructionId id);
  bool visitConcatenate(const Instruction& in);
  bool isReadByPieces(const Instruction& in) const;
  Shape cut(const Shape& whole, size_t piece) const;
  InstructionId pieceOf(InstructionId id, size_t piece, std::unordered_map<uint32_t, InstructionId>& made);

  Site& site_;
  InstructionId value_;
  bool isValid_ = false;
  int64_t dimension_ = -1;
  std::vector<int64_t> sizes_;                    // of the pieces along the dimension
  std::vector<int64_t> dimensions_;               // of the value
  std::unordered_map<uint32_t, uint32_t> reads_;  // by member: how often the expression reads it
};

}  // namespace tessera
