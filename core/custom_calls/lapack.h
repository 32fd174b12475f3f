// LAPACK and BLAS of the system, opened at the first use, so that programs without decompositions need none. Routines
// are found by name and called with Fortran's words: everything by address, lengths of strings behind the last
// argument. OpenBLAS where it is installed (Debian's libopenblas0-serial), else the reference's (liblapack3). Used by
// matrix_factors.h and backends/cpu/library/linear_algebra.
#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op.h"

namespace tessera {

template <class T>
struct LapackType;
template <>
struct LapackType<float> {
  using Real = float;
  static constexpr char letter = 's';
  static constexpr ElementType type = ElementType::F32, realType = ElementType::F32;
};
template <>
struct LapackType<double> {
  using Real = double;
  static constexpr char letter = 'd';
  static constexpr ElementType type = ElementType::F64, realType = ElementType::F64;
};
template <>
struct LapackType<std::complex<float>> {
  using Real = float;
  static constexpr char letter = 'c';
  static constexpr ElementType type = ElementType::C64, realType = ElementType::F32;
};
template <>
struct LapackType<std::complex<double>> {
  using Real = double;
  static constexpr char letter = 'z';
  static constexpr ElementType type = ElementType::C128, realType = ElementType::F64;
};
template <class T>
inline constexpr bool kIsComplex = LapackType<T>::type != LapackType<T>::realType;
template <class T>
using RealOf = typename LapackType<T>::Real;
template <class T>
using ComplexOf = std::complex<RealOf<T>>;

// ErrorKind::Unsupported when the library or the routine is missing. "geqrf" of float is sgeqrf_.
Result<void*> lapackRoutine(char letter, const char* name);
template <class T>
Result<void*> lapackRoutine(const char* name) {
  return lapackRoutine(LapackType<T>::letter, name);
}

// Arguments are addresses; a size_t behind them for each string.
template <class... Arguments>
void callFortran(void* routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

// A batch of matrices as an operand or result holds it: all dimensions but the last two number the matrices.
struct MatrixBatch {
  std::vector<int64_t> batch;
  int rows = 0, columns = 0;  // of a matrix
  int64_t count = 1;          // of matrices
  // That a decomposition of one takes, about.
  double operations() const { return static_cast<double>(rows) * columns * std::min(rows, columns); }
  Shape matrix(ElementType type, int64_t m, int64_t n) const;
  Shape vector(ElementType type, int64_t n) const;
  Shape number(ElementType type) const;
};

// Operand 0 as matrices of this element type.
Result<MatrixBatch> matricesOf(const EvaluateContext& context, ElementType type);
// Fails when operand `index` has another shape.
Status expectOperand(const EvaluateContext& context, size_t index, const Shape& shape);
Status expectOperandCount(const EvaluateContext& context, size_t count);

// One matrix in column-major order out of a literal of shape [batch…, m, n], and back.
template <class T>
std::vector<T> columnsOf(const Literal& literal, int64_t item, int64_t m, int64_t n) {
  std::vector<T> out(static_cast<size_t>(m * n));
  const T* from = literal.data<T>().data() + item * m * n;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out[static_cast<size_t>(j * m + i)] = from[i * n + j];
  return out;
}
template <class T>
std::vector<T> rowOf(const Literal& literal, int64_t item, int64_t n) {
  const T* from = literal.data<T>().data() + item * n;
  return std::vector<T>(from, from + n);
}

// The results of a call: shapes are checked against the instruction's, then each item of the batch is stored.
class MatrixResults {
 public:
  // Fails when the instruction's result has other shapes.
  static Result<MatrixResults> of(const EvaluateContext& context, const std::vector<Shape>& shapes);

  template <class T>
  void storeMatrix(size_t result, int64_t item, const std::vector<T>& columns, int64_t m, int64_t n,
                   int64_t leading = 0) {
    T* to = literals_[result].mutableData<T>().data() + item * m * n;
    if (leading == 0) leading = m;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) to[i * n + j] = columns[static_cast<size_t>(j * leading + i)];
  }
  template <class T>
  void storeRow(size_t result, int64_t item, const std::vector<T>& row, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      literals_[result].mutableData<T>()[static_cast<size_t>(item * n + i)] = row[static_cast<size_t>(i)];
  }
  template <class T>
  void storeNumber(size_t result, int64_t item, T value) {
    literals_[result].mutableData<T>()[static_cast<size_t>(item)] = value;
  }
  // A tuple, or the one literal of a result that is none.
  Literal take();

 private:
  std::vector<Literal> literals_;
  bool tuple_ = false;
};

// A value of backend_config={mode = 83 : ui8, left = true}; nullopt when absent.
std::optional<int64_t> configNumber(const Instruction& instruction, std::string_view key);
// The letter of such a value, one of `letters`; the first of them when it is absent.
Result<char> configLetter(const EvaluateContext& context, std::string_view key, std::string_view letters);
// The triangle that is read: L or U, by `lower` as targets for CUDA have it, else by the letter `uplo`.
Result<char> configTriangle(const EvaluateContext& context);

}  // namespace tessera
