// Matrices of complex doubles for the tests of decompositions, and a fixture that runs custom calls of LAPACK's
// routines over literals of each element type.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/lapack.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"

namespace tessera::test {

using Complex = std::complex<double>;

// A dense matrix of complex doubles, whatever the literal's type was.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> data;
  Complex& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i * columns + j)]; }
  Complex at(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * columns + j)]; }
};

inline Matrix zeros(int64_t m, int64_t n) { return {m, n, std::vector<Complex>(static_cast<size_t>(m * n))}; }
inline Matrix identity(int64_t n) {
  Matrix out = zeros(n, n);
  for (int64_t i = 0; i < n; ++i) out.at(i, i) = 1;
  return out;
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}
inline Matrix adjoint(const Matrix& a) {
  Matrix out = zeros(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(j, i) = std::conj(a.at(i, j));
  return out;
}
inline Matrix scaledColumns(Matrix a, const Matrix& scale) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) a.at(i, j) *= scale.data[static_cast<size_t>(j)];
  return a;
}
inline Matrix triangle(Matrix a, bool upper, bool unit = false) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) {
      if (upper ? i > j : i < j) a.at(i, j) = 0;
      if (unit && i == j) a.at(i, j) = 1;
    }
  return a;
}
inline Matrix leading(const Matrix& a, int64_t m, int64_t n) {
  Matrix out = zeros(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out.at(i, j) = a.at(i, j);
  return out;
}

inline double distance(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
  double worst = 0;
  for (size_t i = 0; i < a.data.size(); ++i) worst = std::max(worst, std::abs(a.data[i] - b.data[i]));
  return worst;
}

template <class T>
class Lapack : public testing::Test {
 protected:
  static constexpr const char* name() { return nameOf(LapackType<T>::type).data(); }
  static constexpr const char* real() { return nameOf(LapackType<T>::realType).data(); }
  static constexpr double tolerance() { return sizeof(RealOf<T>) == 4 ? 2e-5 : 1e-13; }
  static std::string target(const std::string& plain, const std::string& complexName = {}) {
    return "lapack_" + std::string(1, LapackType<T>::letter) +
           (kIsComplex<T> && !complexName.empty() ? complexName : plain) + "_ffi";
  }

  static Literal literalOf(const Matrix& matrix, std::vector<int64_t> dims) {
    Literal out = Literal::allocate(Shape::arrayRowMajor(LapackType<T>::type, std::move(dims))).value();
    for (size_t i = 0; i < matrix.data.size(); ++i) {
      if constexpr (kIsComplex<T>)
        out.mutableData<T>()[i] = T(matrix.data[i]);
      else
        out.mutableData<T>()[i] = static_cast<T>(matrix.data[i].real());
    }
    return out;
  }
  static Literal literalOf(const Matrix& matrix) { return literalOf(matrix, {matrix.rows, matrix.columns}); }
  static Matrix matrixOf(const Literal& literal, int64_t m, int64_t n, int64_t item = 0) {
    Matrix out = zeros(m, n);
    for (size_t i = 0; i < out.data.size(); ++i) {
      const std::byte* at = literal.bytes().data() + (static_cast<size_t>(item * m * n) + i) *
                                                         static_cast<size_t>(byteWidth(literal.shape().type));
      out.data[i] =
          isComplex(literal.shape().type)
              ? loadComplex(literal.shape().type, at)
              : Complex(isFloat(literal.shape().type) ? loadDouble(literal.shape().type, at)
                                                      : static_cast<double>(loadInt(literal.shape().type, at)));
    }
    return out;
  }
  // Elements without a pattern, rounded to the type.
  static Matrix sample(int64_t m, int64_t n, double seed = 1) {
    Matrix out = zeros(m, n);
    for (size_t i = 0; i < out.data.size(); ++i) {
      const double x = static_cast<double>(i) + seed;
      out.data[i] = {std::sin(12.9898 * x), kIsComplex<T> ? std::cos(78.233 * x) : 0.0};
    }
    return matrixOf(literalOf(out), m, n);
  }
  static Matrix hermitian(int64_t n) {
    Matrix a = sample(n, n), b = adjoint(a);
    for (size_t i = 0; i < a.data.size(); ++i) a.data[i] = (a.data[i] + b.data[i]) / 2.0;
    return matrixOf(literalOf(a), n, n);
  }
  static Matrix definite(int64_t n) {
    Matrix a = sample(n, n);
    a = a * adjoint(a);
    for (int64_t i = 0; i < n; ++i) a.at(i, i) += 1;
    return matrixOf(literalOf(a), n, n);
  }

  // Shapes use T for the element type and R for the real one.
  static std::string inTypes(std::string text) {
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"T[", std::string(name()) + "["},
                                   {"R[", std::string(real()) + "["},
                                   {"C[", std::string(nameOf(LapackType<ComplexOf<T>>::type)) + "["}})
      for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
  }
  static Result<std::vector<Literal>> tryRun(const std::string& result, const std::string& targetName,
                                             const std::vector<Literal>& operands, const std::string& config) {
    std::string text = "HloModule m\nENTRY main {\n", names;
    for (size_t i = 0; i < operands.size(); ++i) {
      text += fmt::format("  p{} = {} parameter({})\n", i, toString(operands[i].shape(), false), i);
      names += fmt::format("{}p{}", i ? ", " : "", i);
    }
    text += fmt::format(
        "  ROOT r = {} custom-call({}), custom_call_target=\"{}\", api_version=API_VERSION_TYPED_FFI, "
        "backend_config={{{}}}\n}}\n",
        inTypes(result), names, targetName, config);
    ReadResult read = readHloText(text);
    if (!read.module) return fail("does not parse: " + text);
    inferModule(*read.module);
    return evaluateModule(*read.module, operands);
  }
  static std::vector<Literal> run(const std::string& result, const std::string& targetName,
                                  const std::vector<Literal>& operands, const std::string& config = {}) {
    auto out = tryRun(result, targetName, operands, config);
    EXPECT_TRUE(out) << out.error().toString();
    return out ? *out
               : std::vector<Literal>(8, Literal::zeros(Shape::arrayRowMajor(LapackType<T>::type, {64, 64})).value());
  }
  static void expectNear(const Matrix& found, const Matrix& wanted) {
    EXPECT_LT(distance(found, wanted), tolerance() * 8);
  }
};

}  // namespace tessera::test
