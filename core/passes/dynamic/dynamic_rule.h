// One instruction under the padding pass: what its rules share, and a function for each family of operations. The rules
// are in dynamic_rules.cpp (dispatch, sizes, elementwise), dynamic_movement.cpp, dynamic_reductions.cpp (reductions,
// products, windows) and dynamic_indices.cpp (slices at run-time places, gather, scatter, sort).
#pragma once

#include <algorithm>

#include "core/ops/shared/dimension_relations.h"
#include "core/passes/dynamic/dynamic_rules.h"

namespace tessera {

class DynamicRule {
 public:
  DynamicRule(Rewriter& rewriter, DynamicSizes& sizes, InstructionId id)
      : rewriter_(rewriter),
        sizes_(sizes),
        id_(id),
        original_(rewriter.module().at(id)),
        operands_(original_.operands.begin(), original_.operands.end()),
        build_(rewriter, id) {
    for (InstructionId& operand : operands_) operand = rewriter.resolve(operand);
    shape_ = staticShape(*original_.shape);
  }

  Status apply();

 private:
  const AttributeSet& attributes() const { return *original_.attributes; }
  const std::vector<int64_t>& dims(size_t operand) const { return build_.shapeOf(operands_[operand]).dimensions; }
  const DimensionSizes& sizes(size_t operand, size_t leaf = 0) const { return sizes_.of(operands_[operand], leaf); }
  InstructionId size(size_t operand, size_t d) const {
    return d < sizes(operand).size() ? sizes(operand)[d] : InstructionId();
  }
  bool isDynamic(size_t operand, size_t d) const { return size(operand, d).valid(); }
  bool anyDynamic() const {
    return std::ranges::any_of(operands_, [&](InstructionId id) { return sizes_.any(id); });
  }
  DimensionSizes noSizes() const { return DimensionSizes(shape_.dimensions.size()); }

  // The instruction stays, with these operands; or another one replaces it.
  void keep(DimensionSizes result) { keepLeaves({std::move(result)}); }
  void keepLeaves(LeafSizes result);
  void standIn(InstructionId by, DimensionSizes result);
  InstructionId again() { return build_.make(original_.opcode, shape_, operands_, *original_.attributes); }
  void fill(size_t operand, std::span<const int64_t> which, InstructionId value) {
    operands_[operand] = carry(build_.filled(operands_[operand], sizes(operand), which, value), operands_[operand]);
  }
  InstructionId carry(InstructionId now, InstructionId before) {
    if (now != before && sizes_.any(before)) sizes_.set(now, sizes_.leaves(before));
    return now;
  }

  Status unsupported() const;
  void getSize();
  void setSize();
  void passOn();
  void elementwise();
  void repeatSingles(const DimensionSizes& result);
  void reduce();
  void dot();
  void convolve();
  void concatenate();
  void pad();
  void reverse();
  void dynamicUpdateSlice();
  void scatter();
  void sort();
  void reduceWindow();
  void selectAndScatter();
  void reshape(DimensionSizes result);
  InstructionId flatPlace(InstructionId number, size_t first);
  bool isAnnotation() const;
  Status byLines(size_t inner);
  // By the op's relations: the sizes of an array of the result; empty ones where they are bounds.
  DimensionSizes sizesByRelation(size_t leaf = 0);
  LeafSizes leavesByRelation();
  DimensionRelations relations() const;
  InstructionId sizeOfGroup(const ReshapeGroup& group);

  Rewriter& rewriter_;
  DynamicSizes& sizes_;
  InstructionId id_;
  const Instruction original_;  // a copy: adding instructions moves records
  std::vector<InstructionId> operands_;
  Shape shape_;
  StaticBuilder build_;
};

}  // namespace tessera
