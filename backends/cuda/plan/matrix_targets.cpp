// See matrix_targets.h.
#include "backends/cuda/plan/matrix_targets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/custom_calls/custom_call_library.h"
#include "core/custom_calls/lapack.h"

namespace tessera::cuda {

namespace {

using Array = MatrixPlan::Array;

bool isSolved(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::C64 || type == ElementType::C128;
}

ElementType realOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

char letterOf(ElementType type) {
  switch (type) {
    case ElementType::F32: return 's';
    case ElementType::F64: return 'd';
    case ElementType::C64: return 'c';
    default: return 'z';
  }
}

// "geqrf" of lapack_sgeqrf_ffi, whose letter is the type's, of cusolver_geqrf_ffi, and of XLA's own names; else "".
std::string_view routineNameOf(std::string_view target, ElementType type) {
  if (target == "Qr") return "geqrf";
  if (target == "ProductOfElementaryHouseholderReflectors") return "orgqr";
  constexpr std::string_view kCpu = "lapack_", kCuda = "cusolver_", kEnd = "_ffi";
  if (!target.ends_with(kEnd)) return "";
  target.remove_suffix(kEnd.size());
  if (target.starts_with(kCuda)) return target.substr(kCuda.size());
  const bool fits =
      target.starts_with(kCpu) && target.size() > kCpu.size() + 1 && target[kCpu.size()] == letterOf(type);
  return fits ? target.substr(kCpu.size() + 1) : "";
}

std::optional<MatrixRoutine> routineOf(std::string_view name) {
  static constexpr std::pair<std::string_view, MatrixRoutine> kRoutines[] = {{"potrf", MatrixRoutine::Cholesky},
                                                                             {"getrf", MatrixRoutine::Lu},
                                                                             {"geqrf", MatrixRoutine::Qr},
                                                                             {"orgqr", MatrixRoutine::ReflectorProduct},
                                                                             {"ungqr", MatrixRoutine::ReflectorProduct},
                                                                             {"ormqr", MatrixRoutine::ReflectorApply},
                                                                             {"unmqr", MatrixRoutine::ReflectorApply},
                                                                             {"syevd", MatrixRoutine::SymmetricEigen},
                                                                             {"heevd", MatrixRoutine::SymmetricEigen},
                                                                             {"gesdd", MatrixRoutine::Singular},
                                                                             {"gesvd", MatrixRoutine::Singular},
                                                                             {"gesvdj", MatrixRoutine::Singular},
                                                                             {"sytrd", MatrixRoutine::Tridiagonal},
                                                                             {"hetrd", MatrixRoutine::Tridiagonal},
                                                                             {"trsm", MatrixRoutine::TriangularSolve}};
  for (const auto& [known, routine] : kRoutines)
    if (name == known) return routine;
  return std::nullopt;
}

// What a custom call's configuration says, in LAPACK's letters or JAX's words for CUDA.
class Config {
 public:
  explicit Config(const Instruction& instruction) : instruction_(instruction) {}
  bool flag(std::string_view key) const { return configNumber(instruction_, key).value_or(0) != 0; }
  char letter(std::string_view key, char otherwise) const {
    return static_cast<char>(configNumber(instruction_, key).value_or(otherwise));
  }
  bool isLower() const {
    const auto lower = configNumber(instruction_, "lower");
    return lower ? *lower != 0 : letter("uplo", 'L') == 'L';
  }

 private:
  const Instruction& instruction_;
};

// Shapes of the arrays of one call: the batch, then a matrix, a vector or nothing.
class Shapes {
 public:
  explicit Shapes(const Shape& matrices)
      : batch_(matrices.dimensions.begin(), matrices.dimensions.end() - 2), type_(matrices.type) {}
  Shape matrix(int64_t m, int64_t n) const { return with(type_, {m, n}); }
  Shape vector(int64_t n) const { return with(type_, {n}); }
  Shape reals(int64_t n) const { return with(realOf(type_), {n}); }
  Shape numbers(ElementType type, int64_t n) const { return with(type, {n}); }
  Shape info() const { return with(ElementType::S32, {}); }

 private:
  Shape with(ElementType type, std::initializer_list<int64_t> last) const {
    std::vector<int64_t> dims = batch_;
    dims.insert(dims.end(), last);
    return Shape::arrayRowMajor(type, std::move(dims));
  }
  std::vector<int64_t> batch_;
  ElementType type_;
};

class CallReader {
 public:
  CallReader(const Module& module, const Instruction& instruction, MatrixRoutine routine, std::string_view name)
      : module_(module),
        instruction_(instruction),
        config_(instruction),
        name_(name),
        first_(module.shapeOf(instruction.operands[0])),
        shapes_(first_),
        m_(first_.dimensions[first_.dimensions.size() - 2]),
        n_(first_.dimensions.back()) {
    plan_.call.operation = LibraryOperation::MatrixRoutine;
    plan_.call.in = plan_.call.out = first_.type;
    for (size_t d = 0; d + 2 < first_.dimensions.size(); ++d) plan_.call.batch *= first_.dimensions[d];
    call().routine = routine;
    call().rows = m_, call().columns = n_;
    call().isLower = config_.isLower();
  }

  std::optional<MatrixPlan> read() {
    read(call().routine);
    if (!fits_ || !hasExpectedShapes()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  MatrixCall& call() { return plan_.call.matrix; }

  void read(MatrixRoutine routine) {
    const int64_t k = std::min(m_, n_);
    switch (routine) {
      case MatrixRoutine::Cholesky: return readCholesky();
      case MatrixRoutine::TriangularSolve: return readTriangularSolve();
      case MatrixRoutine::ReflectorProduct: return readReflectorProduct();
      case MatrixRoutine::ReflectorApply: return readReflectorApply();
      case MatrixRoutine::Singular: return readSingular();
      case MatrixRoutine::Lu:
        begin(1, 0, true);
        add(shapes_.numbers(ElementType::S32, k), {1, shapes_.numbers(ElementType::S64, k)});
        return addInfo();
      case MatrixRoutine::Qr: begin(1, 0, true); return add(shapes_.vector(k));
      case MatrixRoutine::SymmetricEigen:
        fits_ = m_ == n_;
        call().hasVectors = config_.letter("mode", 'V') == 'V';
        begin(1, 0, true);
        add(shapes_.reals(n_));
        return addInfo();
      case MatrixRoutine::Tridiagonal:
        fits_ = m_ == n_;
        begin(1, 0, true);
        add(shapes_.reals(n_));
        add(shapes_.reals(n_ - 1));
        add(shapes_.vector(n_ - 1));
        return addInfo();
    }
  }

  // A Hermitian matrix is its own conjugate transpose: the factor of one triangle, transposed, is that of the other.
  void readCholesky() {
    fits_ = m_ == n_;
    call().isLower = !call().isLower;
    begin(1, 0, false);
    addInfo();
  }
  // xᵀ · op(a)ᵀ = bᵀ stands in the place of op(a) · x = b.
  void readTriangularSolve() {
    const bool isLeft = config_.letter("side", 'L') == 'L';
    const char operation = config_.letter("trans_x", 'N');
    call().isTransposed = operation != 'N', call().isConjugated = operation == 'C';
    call().hasUnitDiagonal = config_.letter("diag", 'N') == 'U';
    begin(2, 1, false);
    takeSystem(isLeft);
  }
  void takeSystem(bool isLeft) {
    if (!fits_) return;
    const std::vector<int64_t>& b = operandShape(1).dimensions;
    call().isLeft = !isLeft, call().isLower = !call().isLower;
    call().rows = b.back(), call().columns = b[b.size() - 2];
    fits_ = m_ == n_ && n_ == (isLeft ? call().columns : call().rows);
    plan_.operands = {{0, shapes_.matrix(m_, n_)}};
  }
  void readReflectorProduct() {
    begin(2, 0, true);
    call().reflectors = reflectorCount();
    fits_ = fits_ && m_ >= n_ && call().reflectors <= n_;
    plan_.operands = {{1, shapes_.vector(call().reflectors)}};
  }
  void readReflectorApply() {
    begin(3, 2, true);
    if (!fits_) return;
    const std::vector<int64_t>& c = operandShape(2).dimensions;
    call().isLeft = configNumber(instruction_, "left").value_or(1) != 0;
    call().isTransposed = call().isConjugated = config_.flag("transpose");
    call().isConjugated = call().isConjugated && isComplex(first_.type);
    call().rows = c[c.size() - 2], call().columns = c.back();
    call().reflectors = reflectorCount();
    fits_ = m_ == (call().isLeft ? call().rows : call().columns) && call().reflectors == n_ && n_ <= m_;
    plan_.operands = {{0, shapes_.matrix(n_, m_), true}, {1, shapes_.vector(call().reflectors)}};
  }

  // A wide matrix is taken as its transpose, whose vectors are the other side's, conjugated.
  void readSingular() {
    const bool isJacobi = name_ == "gesvdj", isCuda = configNumber(instruction_, "compute_uv").has_value();
    const char mode = config_.letter("mode", 'A');
    call().hasVectors = isCuda ? config_.flag("compute_uv") : mode != 'N';
    call().isWhole = isCuda ? config_.flag("full_matrices") : mode == 'A';
    const bool isTall = m_ >= n_, isSwapped = !isJacobi && config_.flag("transposed");
    begin(1, 0, isTall);
    add(shapes_.reals(std::min(m_, n_)));
    const size_t ofU = isSwapped ? 3 : 2, ofV = isSwapped ? 2 : 3;
    if (call().hasVectors)
      addVectors(isTall, isJacobi, ofU, ofV);
    else
      addZeros(ofU, ofV);
    if (!isTall) std::swap(call().rows, call().columns);
    addInfo();
  }
  void addVectors(bool isTall, bool isJacobi, size_t ofU, size_t ofV) {
    const int64_t k = std::min(m_, n_), u = call().isWhole ? m_ : k, vt = call().isWhole ? n_ : k;
    expected_.resize(4);
    expected_[ofU] = shapes_.matrix(m_, u);
    expected_[ofV] = isJacobi ? shapes_.matrix(n_, vt) : shapes_.matrix(vt, n_);
    if (isTall) {
      plan_.results.push_back({ofU, shapes_.matrix(u, m_), true});
      plan_.results.push_back({ofV, shapes_.matrix(n_, n_), !isJacobi, isJacobi});
    } else {
      plan_.results.push_back({ofV, shapes_.matrix(vt, n_), isJacobi, isJacobi});
      plan_.results.push_back({ofU, shapes_.matrix(m_, m_)});
    }
  }
  // Of the shapes that are written.
  void addZeros(size_t ofU, size_t ofV) {
    const Shape& shape = *instruction_.shape;
    fits_ = fits_ && shape.isTuple() && shape.elements.size() == 5;
    if (!fits_) return;
    for (const size_t result : {size_t{2}, size_t{3}}) expected_.push_back(withoutLayout(shape.elements[result]));
    for (const size_t result : {ofU, ofV}) {
      fits_ = fits_ && expected_[result].type == first_.type;
      plan_.results.push_back({result, expected_[result]});
      plan_.zeros.push_back(result);
    }
  }

  // So many operands, of which one is overwritten by result 0.
  void begin(size_t operands, size_t inPlace, bool transposes) {
    fits_ = fits_ && instruction_.operands.size() == operands;
    if (!fits_) return;
    const Shape& shape = operandShape(inPlace);
    fits_ = shape.isArray() && shape.type == first_.type && shape.rank() == first_.rank();
    if (!fits_) return;
    const int64_t m = shape.dimensions[shape.dimensions.size() - 2], n = shape.dimensions.back();
    plan_.inPlace = {inPlace, transposes ? shapes_.matrix(n, m) : shapes_.matrix(m, n), transposes};
    plan_.results = {{0, plan_.inPlace.stored, transposes}};
    expected_ = {shapes_.matrix(m, n)};
  }
  void add(Shape shape) { add(shape, {expected_.size(), shape}); }
  void add(Shape shape, Array stored) {
    expected_.push_back(std::move(shape));
    plan_.results.push_back(std::move(stored));
  }
  void addInfo() { add(shapes_.info()); }

  const Shape& operandShape(size_t k) const { return module_.shapeOf(instruction_.operands[k]); }
  int64_t reflectorCount() {
    const Shape& taus = operandShape(1);
    return taus.isArray() && taus.rank() > 0 ? taus.dimensions.back() : -1;
  }

  bool hasExpectedShapes() const {
    const Shape& shape = *instruction_.shape;
    const Shape whole = expected_.size() == 1 && !shape.isTuple() ? expected_[0] : Shape::tuple(expected_);
    if (!compatible(whole, shape)) return false;
    const auto isEmpty = [](const Shape& each) { return each.elementCount().value_or(0) == 0; };
    if (std::ranges::any_of(expected_, isEmpty)) return false;
    return std::ranges::all_of(plan_.operands, [&](const Array& operand) {
      const Shape& given = operandShape(operand.index);
      return !isEmpty(given) && compatible(given, transposedIf(operand.stored, operand.transposes));
    });
  }

  static Shape transposedIf(const Shape& shape, bool transposes) {
    if (!transposes) return shape;
    std::vector<int64_t> dims = shape.dimensions;
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return Shape::arrayRowMajor(shape.type, std::move(dims));
  }

  const Module& module_;
  const Instruction& instruction_;
  Config config_;
  std::string_view name_;
  const Shape& first_;
  Shapes shapes_;
  int64_t m_, n_;
  MatrixPlan plan_;
  std::vector<Shape> expected_;  // of the instruction's results
  bool fits_ = true;
};

}  // namespace

bool areMatrices(const Shape& shape) { return shape.isArray() && shape.rank() >= 2 && isSolved(shape.type); }

std::optional<MatrixPlan> matrixTargetOf(const Module& module, const Instruction& instruction,
                                         const CustomCallLibrary* customCalls) {
  const std::string target(instruction.attributes->textOr(Attr::custom_call_target, ""));
  if (instruction.operands.empty() || (customCalls && customCalls->has(target))) return std::nullopt;
  const Shape& first = module.shapeOf(instruction.operands[0]);
  if (!areMatrices(first)) return std::nullopt;
  const std::string_view name = routineNameOf(target, first.type);
  const auto routine = routineOf(name);
  if (!routine) return std::nullopt;
  return CallReader(module, instruction, *routine, name).read();
}

}  // namespace tessera::cuda
