// Forms of the palette that make matrices: outer product, diagonal, identity.
#include <algorithm>

#include "core/edit/palette/palette_draft.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

// Every dimension of both: a dot that contracts none.
void outerProduct(Draft& d) {
  const Shape usual = Shape::array(d.shape(0) ? d.shape(0)->type : ElementType::F32, {4});
  const auto x = d.input(0, usual, "x"), y = d.input(1, usual, "y");
  d.add(Opcode::Dot, {x.id, y.id}, {{Attr::lhs_contracting_dims, "{}"}, {Attr::rhs_contracting_dims, "{}"}});
}

// pred of a shape: whether the indices along two dimensions are equal.
InstructionId equalIndices(Draft& d, const DraftSizes& sizes, size_t first, size_t second) {
  const auto indexOf = [&](size_t dimension) {
    return d.add(Opcode::Iota, {}, {{Attr::iota_dimension, std::to_string(dimension)}},
                 Shape::array(ElementType::S32, sizes));
  };
  const InstructionId rows = indexOf(first), columns = indexOf(second);
  return d.add(Opcode::Compare, {rows, columns}, {{Attr::direction, "EQ"}});
}

// 0 where they differ.
InstructionId keepDiagonal(Draft& d, InstructionId x, const Shape& shape, size_t first, size_t second,
                           InstructionId zero) {
  const InstructionId equal = equalIndices(d, shape.dimensions, first, second);
  const InstructionId zeros = d.add(Opcode::Broadcast, {zero}, {{Attr::dimensions, "{}"}}, shape);
  return d.add(Opcode::Select, {equal, x, zeros});
}

// Of a vector the matrix with it as its diagonal; of a matrix, or each of a batch, the diagonal.
void diagonal(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4}), "x");
  const DraftSizes& old = x.shape.dimensions;
  if (old.empty()) return;
  if (old.size() > 1) {
    addDiagonal(d, x.id, x.shape, old.size() - 2, old.size() - 1);
    return;
  }
  const Shape square = Shape::array(x.shape.type, {old[0], old[0]});
  const InstructionId rows = d.add(Opcode::Broadcast, {x.id}, {{Attr::dimensions, "{0}"}}, square);
  keepDiagonal(d, rows, square, 0, 1, d.zero(square.type));
}

// "identity matrix 3", "identity matrix f32[3,4]": 1 where row and column are equal.
void identity(Draft& d) {
  const int64_t size = std::max<int64_t>(d.number(4), 1);
  const Shape made = d.entry.shape ? *d.entry.shape : Shape::array(ElementType::F32, {size, size});
  const size_t rank = made.dimensions.size();
  if (rank < 2) return;
  const InstructionId equal = equalIndices(d, made.dimensions, rank - 2, rank - 1);
  if (made.type != ElementType::Pred) d.add(Opcode::Convert, {equal}, {}, Shape::array(made.type, made.dimensions));
}

constexpr const char* kMatrixCategory = "Array functions";
constexpr DraftForm kMatrices[] = {
    {"outer product of vectors", kMatrixCategory, "The product of each element of one with each of the other",
     "outer tensor dyadic kronecker", Opcode::Dot, outerProduct},
    {"diagonal", kMatrixCategory, "A matrix with a vector as its diagonal; of a matrix its diagonal",
     "diag diagflat matrix", Opcode::Select, diagonal},
    {"identity matrix", kMatrixCategory,
     "1 on the diagonal and 0 elsewhere: identity matrix 4, identity matrix f32[3,4]", "eye unit diagonal #",
     Opcode::Iota, identity},
};

}  // namespace

InstructionId addDiagonal(Draft& d, InstructionId x, const Shape& shape, size_t first, size_t second) {
  const InstructionId zero = d.zero(shape.type), kept = keepDiagonal(d, x, shape, first, second, zero);
  const auto longer = static_cast<int64_t>(shape.dimensions[first] <= shape.dimensions[second] ? second : first);
  const Opcode sum = shape.type == ElementType::Pred ? Opcode::Or : Opcode::Add;
  return d.add(Opcode::Reduce, {kept, zero},
               {{Attr::dimensions, listOf(DraftSizes{longer})}, {Attr::to_apply, d.reducer(sum, shape.type)}});
}

std::span<const DraftForm> matrixForms() { return kMatrices; }

}  // namespace tessera
