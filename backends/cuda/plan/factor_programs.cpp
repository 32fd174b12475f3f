// See factor_programs.h.
#include "backends/cuda/plan/factor_programs.h"

#include <functional>
#include <limits>

#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"

namespace tessera::cuda {

namespace {

using Nodes = std::vector<NodeId>;

ElementType partOf(ElementType type) {
  if (type == ElementType::C64) return ElementType::F32;
  return type == ElementType::C128 ? ElementType::F64 : type;
}

// What all of these programs are made of.
class FactorBuilder {
 public:
  FactorBuilder(std::vector<Shape> operands, std::vector<int64_t> space, ElementType type)
      : b(std::move(operands), std::move(space)), type_(type) {
    for (size_t d = 0; d < b.program().outputDims.size(); ++d) own.push_back(b.outputIndex(static_cast<int64_t>(d)));
  }

  NodeId number(int64_t value) { return b.index(value); }
  NodeId less(NodeId x, NodeId y) { return b.compare(CompareDirection::Lt, x, y); }
  NodeId equal(NodeId x, NodeId y) { return b.compare(CompareDirection::Eq, x, y); }
  // The scalar operand, at least 0 and within the matrix.
  NodeId startOf(size_t operand, int64_t size) {
    return b.clampIndex(b.convert(ElementType::S64, b.read(operand, Nodes{})), 0, size - 1);
  }
  // The batch's indices, which stand first, and two more.
  Nodes at(size_t batch, NodeId row, NodeId column) const {
    Nodes out(own.begin(), own.begin() + static_cast<ptrdiff_t>(batch));
    out.push_back(row), out.push_back(column);
    return out;
  }
  NodeId conjugate(NodeId x) {
    if (!isComplex(type_)) return x;
    return b.makeComplex(b.unary(NodeOp::Real, x), b.unary(NodeOp::Negate, b.unary(NodeOp::Imag, x)));
  }
  NodeId realOnly(NodeId x) {
    return isComplex(type_) ? b.makeComplex(b.unary(NodeOp::Real, x), b.zero(partOf(type_))) : x;
  }
  // from - the sum over `count` rounds of product(round), where it is there.
  NodeId without(NodeId from, int64_t count, const std::function<NodeId(NodeId round)>& isThere,
                 const std::function<NodeId(NodeId round)>& product) {
    const auto round = [&](std::span<const NodeId> at, std::span<const NodeId> sums) -> Result<Nodes> {
      return Nodes{b.subtract(sums[0], b.select(isThere(at[0]), product(at[0]), b.zero(type_)))};
    };
    return b.loop({count}, {from}, round, false)->front();
  }

  ElementBuilder b;
  Nodes own;  // indices of the space

 private:
  ElementType type_;
};

std::vector<int64_t> batchOf(const Shape& shape) { return {shape.dimensions.begin(), shape.dimensions.end() - 2}; }
std::vector<int64_t> with(std::vector<int64_t> batch, std::initializer_list<int64_t> more) {
  batch.insert(batch.end(), more);
  return batch;
}

const Shape kStart = Shape::arrayRowMajor(ElementType::S32, {});

// --- Cholesky

class CholeskyBuilder {
 public:
  CholeskyBuilder(const Shape& a, bool lower)
      : a_(Shape::arrayRowMajor(a.type, a.dimensions)),
        lower_(lower),
        type_(factorType(a.type)),
        n_(a.dimensions.back()),
        batch_(batchOf(a)),
        work_(Shape::arrayRowMajor(type_, a.dimensions)),
        first_(batch_.size()) {}

  LoopProgram begin() const {
    FactorBuilder f({a_}, a_.dimensions, type_);
    const NodeId row = f.own[first_], column = f.own[first_ + 1];
    const NodeId stored =
        f.b.convert(type_, f.b.read(0, lower_ ? f.at(first_, row, column) : f.at(first_, column, row)));
    const NodeId value = f.b.select(f.equal(row, column), f.realOnly(stored), lower_ ? stored : f.conjugate(stored));
    return stores(f, f.b.select(f.less(row, column), f.b.zero(type_), value), {}, f.own, rank());
  }

  // Column after column of the block, one thread a matrix.
  LoopProgram diagonal() const {
    FactorBuilder f({kStart}, with(batch_, {kFactorBlock, kFactorBlock}), type_);
    const NodeId j = f.own[first_], i = f.own[first_ + 1], start = f.startOf(0, n_);
    const NodeId row = f.b.add(start, i), column = f.b.add(start, j);
    const NodeId guard = f.b.logicalAnd(f.less(row, f.number(n_)), f.b.compare(CompareDirection::Ge, i, j));
    const NodeId safe = f.b.minimum(row, f.number(n_ - 1)), other = f.b.minimum(column, f.number(n_ - 1));
    const NodeId sum = reduced(f, safe, other, start, j);
    const NodeId pivot = f.b.unary(NodeOp::Real, sum);
    const NodeId isPositive = f.b.compare(CompareDirection::Gt, pivot, f.b.zero(partOf(type_)));
    const NodeId root = f.b.select(isPositive, f.b.unary(NodeOp::Sqrt, pivot),
                                   f.b.constant(partOf(type_), std::numeric_limits<double>::quiet_NaN()));
    const NodeId value =
        f.b.select(f.equal(i, j), isComplex(type_) ? f.b.makeComplex(root, f.b.zero(partOf(type_))) : root,
                   f.b.divide(sum, element(f, other, other)));
    return stores(f, value, guard, f.at(first_, safe, other), static_cast<int64_t>(first_));
  }

  // A row below the block, column after column, one thread a row.
  LoopProgram panel() const {
    FactorBuilder f({kStart}, with(batch_, {n_, kFactorBlock}), type_);
    const NodeId row = f.own[first_], j = f.own[first_ + 1], start = f.startOf(0, n_);
    const NodeId column = f.b.minimum(f.b.add(start, j), f.number(n_ - 1));
    const NodeId guard = f.b.compare(CompareDirection::Ge, row, f.b.add(start, f.number(kFactorBlock)));
    const NodeId value = f.b.divide(reduced(f, row, column, start, j), element(f, column, column));
    return stores(f, value, guard, f.at(first_, row, column), static_cast<int64_t>(first_) + 1);
  }

  LoopProgram rest() const {
    FactorBuilder f({kStart}, with(batch_, {n_, n_}), type_);
    const NodeId row = f.own[first_], column = f.own[first_ + 1], start = f.startOf(0, n_);
    const NodeId isRight = f.b.compare(CompareDirection::Ge, column, f.b.add(start, f.number(kFactorBlock)));
    const NodeId guard = f.b.logicalAnd(isRight, f.b.compare(CompareDirection::Ge, row, column));
    const NodeId value = reduced(f, row, column, start, f.number(kFactorBlock));
    return stores(f, value, guard, f.own, rank());
  }

  LoopProgram finish() const {
    FactorBuilder f({work_}, a_.dimensions, type_);
    const NodeId row = f.own[first_], column = f.own[first_ + 1], last = f.number(n_ - 1);
    const NodeId stored = f.b.read(0, lower_ ? f.at(first_, row, column) : f.at(first_, column, row));
    const NodeId isOutside = lower_ ? f.less(row, column) : f.less(column, row);
    NodeId value = f.b.select(isOutside, f.b.zero(type_), lower_ ? stored : f.conjugate(stored));
    // What fails at one pivot is no number at all later ones.
    const NodeId end = f.b.unary(NodeOp::Real, f.b.read(0, f.at(first_, last, last)));
    const NodeId failed = f.b.compare(CompareDirection::Ne, end, end);
    value = f.b.select(failed, f.b.constant(type_, std::numeric_limits<double>::quiet_NaN()), value);
    return storeProgram(f.b, {a_}, {{0, f.own, {}, f.b.convert(a_.type, value)}}, rank());
  }

 private:
  int64_t rank() const { return static_cast<int64_t>(a_.dimensions.size()); }
  NodeId element(FactorBuilder& f, NodeId row, NodeId column) const {
    return f.b.readOutput(0, type_, f.at(first_, row, column));
  }
  // The element without the products of the block's first `count` columns.
  NodeId reduced(FactorBuilder& f, NodeId row, NodeId column, NodeId start, NodeId count) const {
    const auto place = [&](NodeId k) { return f.b.minimum(f.b.add(start, k), f.number(n_ - 1)); };
    return f.without(
        element(f, row, column), std::min(kFactorBlock, n_),
        [&](NodeId k) { return f.b.logicalAnd(f.less(k, count), f.less(f.b.add(start, k), f.number(n_))); },
        [&](NodeId k) { return f.b.multiply(element(f, row, place(k)), f.conjugate(element(f, column, place(k)))); });
  }
  LoopProgram stores(FactorBuilder& f, NodeId value, NodeId guard, Nodes indices, int64_t parallel) const {
    return storeProgram(f.b, {work_}, {{0, std::move(indices), guard, value}}, parallel);
  }

  const Shape a_;
  const bool lower_;
  const ElementType type_;
  const int64_t n_;
  const std::vector<int64_t> batch_;
  const Shape work_;
  const size_t first_;  // of the matrix's dimensions
};

// --- triangular systems. x op(a) = b is op(a)ᵀ xᵀ = bᵀ: rows are those of the side that is solved.

class TriangularBuilder {
 public:
  explicit TriangularBuilder(const TriangularForm& form)
      : form_(form),
        type_(factorType(form.b.type)),
        a_(Shape::arrayRowMajor(form.a.type, form.a.dimensions)),
        b_(Shape::arrayRowMajor(form.b.type, form.b.dimensions)),
        x_(Shape::arrayRowMajor(type_, form.b.dimensions)),
        n_(form.a.dimensions.back()),
        columns_(form.b.dimensions[form.b.dimensions.size() - (form.left ? 1 : 2)]),
        batch_(batchOf(form.b)),
        first_(batch_.size()),
        isTransposed_(form.transposed == form.left),
        isLower_(form.lower != isTransposed_) {}

  LoopProgram begin() const { return converted(b_, x_); }
  LoopProgram finish() const { return converted(x_, b_); }

  // Row after row of the block, one thread a column.
  LoopProgram diagonal() const {
    FactorBuilder f({a_, kStart}, with(batch_, {columns_, kFactorBlock}), type_);
    const NodeId column = f.own[first_], p = f.own[first_ + 1], start = f.startOf(1, n_);
    const NodeId place = f.b.add(start, p), row = rowAt(f, place);
    const NodeId sum = reduced(f, row, column, start, p);
    const NodeId value = form_.unitDiagonal ? sum : f.b.divide(sum, matrix(f, row, row));
    return stores(f, value, f.less(place, f.number(n_)), row, column, static_cast<int64_t>(first_) + 1);
  }

  LoopProgram rest() const {
    FactorBuilder f({a_, kStart}, with(batch_, {n_, columns_}), type_);
    const NodeId place = f.own[first_], column = f.own[first_ + 1], start = f.startOf(1, n_), row = rowAt(f, place);
    const NodeId guard = f.b.compare(CompareDirection::Ge, place, f.b.add(start, f.number(kFactorBlock)));
    const NodeId value = reduced(f, row, column, start, f.number(kFactorBlock));
    return stores(f, value, guard, row, column, static_cast<int64_t>(first_) + 2);
  }

 private:
  LoopProgram converted(const Shape& from, const Shape& to) const {
    FactorBuilder f({from}, from.dimensions, type_);
    return storeProgram(f.b, {to}, {{0, f.own, {}, f.b.convert(to.type, f.b.read(0, f.own))}},
                        static_cast<int64_t>(from.dimensions.size()));
  }
  // Places count rows in the order in which they are solved.
  NodeId rowAt(FactorBuilder& f, NodeId place) const {
    const NodeId within = f.b.minimum(place, f.number(n_ - 1));
    return isLower_ ? within : f.b.subtract(f.number(n_ - 1), within);
  }
  NodeId matrix(FactorBuilder& f, NodeId row, NodeId column) const {
    const NodeId value =
        f.b.convert(type_, f.b.read(0, isTransposed_ ? f.at(first_, column, row) : f.at(first_, row, column)));
    return form_.conjugated ? f.conjugate(value) : value;
  }
  Nodes placeOf(FactorBuilder& f, NodeId row, NodeId column) const {
    return form_.left ? f.at(first_, row, column) : f.at(first_, column, row);
  }
  NodeId reduced(FactorBuilder& f, NodeId row, NodeId column, NodeId start, NodeId count) const {
    return f.without(
        f.b.readOutput(0, type_, placeOf(f, row, column)), std::min(kFactorBlock, n_),
        [&](NodeId k) { return f.b.logicalAnd(f.less(k, count), f.less(f.b.add(start, k), f.number(n_))); },
        [&](NodeId k) {
          const NodeId other = rowAt(f, f.b.add(start, k));
          return f.b.multiply(matrix(f, row, other), f.b.readOutput(0, type_, placeOf(f, other, column)));
        });
  }
  LoopProgram stores(FactorBuilder& f, NodeId value, NodeId guard, NodeId row, NodeId column, int64_t parallel) const {
    return storeProgram(f.b, {x_}, {{0, placeOf(f, row, column), guard, value}}, parallel);
  }

  const TriangularForm& form_;
  const ElementType type_;
  const Shape a_, b_, x_;
  const int64_t n_, columns_;
  const std::vector<int64_t> batch_;
  const size_t first_;
  const bool isTransposed_, isLower_;
};

}  // namespace

std::string blockStarts(int64_t size) {
  std::string out;
  for (int64_t block = 0; block < factorBlocks(size); ++block) {
    const auto start = static_cast<int32_t>(block * kFactorBlock);
    out.append(reinterpret_cast<const char*>(&start), sizeof start);
  }
  return out;
}

ElementType factorType(ElementType type) {
  return isComplex(type) || type == ElementType::F64 ? type : ElementType::F32;
}

CholeskyPrograms choleskyProgramsOf(const Shape& a, bool lower) {
  const CholeskyBuilder builder(a, lower);
  return {builder.begin(), builder.diagonal(), builder.panel(), builder.rest(), builder.finish()};
}

TriangularPrograms triangularProgramsOf(const TriangularForm& form) {
  const TriangularBuilder builder(form);
  return {builder.begin(), builder.diagonal(), builder.rest(), builder.finish()};
}

}  // namespace tessera::cuda
