// The steps of a routine: the call, with kernels that transpose, conjugate and convert before and after it.
#include <limits>
#include <utility>

#include "backends/cuda/plan/matrix_routines.h"
#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"

namespace tessera::cuda {

namespace {

using Array = MatrixPlan::Array;

class MatrixSteps {
 public:
  MatrixSteps(PlanDraft& draft, const Instruction& instruction, const MatrixPlan& plan, Steps& out)
      : draft_(draft), instruction_(instruction), plan_(plan), out_(out), results_(draft.resultsOf(instruction)) {}

  Status plan(const std::string& library) {
    DeviceStep step = draft_.stepOf(instruction_, DeviceStep::Kind::Library, library + ": " + toString(plan_.call));
    step.call = plan_.call;
    for (const Array& operand : plan_.operands) {
      TESSERA_ASSIGN_OR_RETURN(const int slot, given(operand));
      step.operands.push_back(slot);
    }
    for (const Array& result : plan_.results) {
      TESSERA_ASSIGN_OR_RETURN(const int slot, slotOf(result));
      step.results.push_back(slot);
    }
    const std::vector<int> made = step.results;
    TESSERA_TRY(begin(made[0]));
    int info = -1;
    if (plan_.isCholesky) {
      TESSERA_ASSIGN_OR_RETURN(info, scratch(infoShape()));
      step.results.push_back(info);
    }
    if (plan_.call.workspaceBytes > 0) {
      const Shape workspace = Shape::arrayRowMajor(ElementType::U8, {plan_.call.workspaceBytes});
      TESSERA_ASSIGN_OR_RETURN(const int slot, scratch(workspace));
      step.results.push_back(slot);
    }
    out_.push_back(std::move(step));
    if (plan_.isCholesky) return finishCholesky(made[0], info);
    for (size_t k = 0; k < made.size(); ++k) TESSERA_TRY(take(plan_.results[k], made[k]));
    for (const size_t result : plan_.zeros) TESSERA_TRY(clear(result));
    return {};
  }

 private:
  Result<int> scratch(const Shape& shape) { return draft_.scratchFor(instruction_, shape); }

  const Shape& operandShape(size_t k) const { return draft_.module().shapeOf(instruction_.operands[k]); }
  int operandSlot(size_t k) const { return draft_.operandsOf(instruction_)[k]; }
  const Shape& resultShape(size_t k) const {
    return instruction_.shape->isTuple() ? instruction_.shape->elements[k] : *instruction_.shape;
  }
  Shape infoShape() const {
    const std::vector<int64_t>& dims = plan_.inPlace.stored.dimensions;
    return Shape::arrayRowMajor(ElementType::S32, {dims.begin(), dims.end() - 2});
  }

  // Whether the instruction's own array serves.
  bool isDirect(const Array& array, const Shape& own) const {
    return !array.transposes && array.stored.type == own.type && (!array.conjugates || !isComplex(own.type));
  }

  Result<int> given(const Array& operand) {
    if (isDirect(operand, operandShape(operand.index))) return operandSlot(operand.index);
    TESSERA_ASSIGN_OR_RETURN(const int slot, scratch(operand.stored));
    TESSERA_TRY(move(operandShape(operand.index), operand.stored, operand, operandSlot(operand.index), slot));
    return slot;
  }
  Result<int> slotOf(const Array& result) {
    if (plan_.isCholesky) return scratch(result.stored);
    if (isDirect(result, resultShape(result.index))) return results_[result.index];
    return scratch(result.stored);
  }
  // The operand in the place that the routine overwrites.
  Status begin(int slot) {
    const Shape& own = operandShape(plan_.inPlace.index);
    const int from = operandSlot(plan_.inPlace.index);
    if (!isDirect(plan_.inPlace, own)) return move(own, plan_.inPlace.stored, plan_.inPlace, from, slot);
    draft_.copy(instruction_, from, slot, own.denseBytes().value_or(0), out_);
    return {};
  }
  Status take(const Array& result, int from) {
    const Shape& own = resultShape(result.index);
    return isDirect(result, own) ? Status() : move(result.stored, own, result, from, results_[result.index]);
  }

  // to = from, each matrix transposed or conjugated as the array says, and of the other's type.
  Status move(const Shape& from, const Shape& to, const Array& how, int source, int target) {
    const Shape read = Shape::arrayRowMajor(from.type, from.dimensions),
                written = Shape::arrayRowMajor(to.type, to.dimensions);
    ElementBuilder b({read}, written.dimensions);
    const std::vector<NodeId> own = ownIndices(b, written);
    std::vector<NodeId> at = own;
    if (how.transposes) std::swap(at[at.size() - 1], at[at.size() - 2]);
    NodeId value = b.read(0, at);
    if (how.conjugates && isComplex(from.type))
      value = b.makeComplex(b.unary(NodeOp::Real, value), b.unary(NodeOp::Negate, b.unary(NodeOp::Imag, value)));
    if (to.type != from.type) value = b.convert(to.type, value);
    return kernel(b, written, own, value, {source}, target);
  }

  Status clear(size_t result) {
    const Shape shape = Shape::arrayRowMajor(resultShape(result).type, resultShape(result).dimensions);
    ElementBuilder b({}, shape.dimensions);
    return kernel(b, shape, ownIndices(b, shape), b.zero(shape.type), {}, results_[result]);
  }

  // One triangle of the factor, 0 in the other; NaN where the matrix is not positive definite.
  Status finishCholesky(int factor, int info) {
    const Shape whole = plan_.inPlace.stored;
    const bool isLower = !plan_.call.matrix.isLower;
    ElementBuilder b({whole, infoShape()}, whole.dimensions);
    const std::vector<NodeId> own = ownIndices(b, whole);
    const NodeId row = own[own.size() - 2], column = own.back(),
                 failed = b.read(1, std::span(own).first(own.size() - 2));
    const NodeId isInside = b.compare(CompareDirection::Le, isLower ? column : row, isLower ? row : column);
    NodeId value = b.select(isInside, b.read(0, own), b.zero(whole.type));
    value = b.select(b.compare(CompareDirection::Eq, failed, b.zero(ElementType::S32)), value,
                     b.constant(whole.type, std::numeric_limits<double>::quiet_NaN()));
    return kernel(b, whole, own, value, {factor, info}, results_[0]);
  }

  static std::vector<NodeId> ownIndices(ElementBuilder& b, const Shape& shape) {
    std::vector<NodeId> out;
    for (int64_t d = 0; d < shape.rank(); ++d) out.push_back(b.outputIndex(d));
    return out;
  }
  Status kernel(ElementBuilder& b, const Shape& shape, const std::vector<NodeId>& own, NodeId value,
                std::vector<int> from, int to) {
    LoopProgram program = storeProgram(b, {shape}, {{0, own, {}, value}}, static_cast<int64_t>(own.size()));
    return draft_.kernel(instruction_, std::move(program), std::move(from), {to}, out_);
  }

  PlanDraft& draft_;
  const Instruction& instruction_;
  const MatrixPlan& plan_;
  Steps& out_;
  std::vector<int> results_;
};

}  // namespace

Status planMatrixRoutine(PlanDraft& draft, const Instruction& instruction, MatrixPlan plan, Libraries& libraries,
                         Steps& out) {
  TESSERA_ASSIGN_OR_RETURN(const std::string library, libraries.choose(plan.call));
  return MatrixSteps(draft, instruction, plan, out).plan(library);
}

}  // namespace tessera::cuda
