// The built-in targets of custom calls by their definitions: factors multiply to the matrix, orthogonal ones are so,
// solutions solve. All element types, tall, wide and batched matrices; wrong shapes are refused before LAPACK sees
// them.
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

namespace tessera {
namespace {

using Complex = std::complex<double>;

// A dense matrix of complex doubles, whatever the literal's type was.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> data;
  Complex& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i * columns + j)]; }
  Complex at(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * columns + j)]; }
};

Matrix zeros(int64_t m, int64_t n) { return {m, n, std::vector<Complex>(static_cast<size_t>(m * n))}; }
Matrix identity(int64_t n) {
  Matrix out = zeros(n, n);
  for (int64_t i = 0; i < n; ++i) out.at(i, i) = 1;
  return out;
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}
Matrix adjoint(const Matrix& a) {
  Matrix out = zeros(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(j, i) = std::conj(a.at(i, j));
  return out;
}
Matrix scaledColumns(Matrix a, const Matrix& scale) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) a.at(i, j) *= scale.data[static_cast<size_t>(j)];
  return a;
}
Matrix triangle(Matrix a, bool upper, bool unit = false) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) {
      if (upper ? i > j : i < j) a.at(i, j) = 0;
      if (unit && i == j) a.at(i, j) = 1;
    }
  return a;
}
Matrix leading(const Matrix& a, int64_t m, int64_t n) {
  Matrix out = zeros(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out.at(i, j) = a.at(i, j);
  return out;
}

double distance(const Matrix& a, const Matrix& b) {
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

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Lapack, Types);

TYPED_TEST(Lapack, QrAndItsReflectors) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {4, 4}}) {
    const Matrix a = this->sample(m, n);
    const auto qr = this->run(fmt::format("(T[{},{}], T[{}])", m, n, n), this->target("geqrf"), {this->literalOf(a)});
    const auto q = this->run(fmt::format("T[{},{}]", m, n), this->target("orgqr", "ungqr"), {qr[0], qr[1]});
    const Matrix factor = this->matrixOf(q[0], m, n);
    this->expectNear(adjoint(factor) * factor, identity(n));
    this->expectNear(factor * leading(triangle(this->matrixOf(qr[0], m, n), true), n, n), a);
    const Matrix c = this->sample(m, 2, 7);
    const auto product = this->run(fmt::format("T[{},2]", m), this->target("ormqr", "unmqr"),
                                   {qr[0], qr[1], this->literalOf(c)}, "left = true, transpose = true");
    this->expectNear(leading(this->matrixOf(product[0], m, 2), n, 2), adjoint(factor) * c);
    const auto plain = this->run(fmt::format("(T[{},{}], T[{}])", m, n, n), "Qr", {this->literalOf(a)});
    EXPECT_TRUE(plain[0].identical(qr[0]));
    EXPECT_TRUE(this->run(fmt::format("T[{},{}]", m, n), "ProductOfElementaryHouseholderReflectors", {qr[0], qr[1]})[0]
                    .identical(q[0]));
  }
}

TYPED_TEST(Lapack, PivotedQr) {
  const Matrix a = this->sample(5, 4);
  Literal pivots = Literal::zeros(Shape::arrayRowMajor(ElementType::S32, {4})).value();
  const auto out = this->run("(T[5,4], s32[4], T[4])", this->target("geqp3"), {this->literalOf(a), pivots});
  const auto q = this->run("T[5,4]", this->target("orgqr", "ungqr"), {out[0], out[2]});
  const Matrix product = this->matrixOf(q[0], 5, 4) * leading(triangle(this->matrixOf(out[0], 5, 4), true), 4, 4);
  for (int64_t j = 0; j < 4; ++j)
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_LT(std::abs(product.at(i, j) - a.at(i, out[1].template data<int32_t>()[static_cast<size_t>(j)] - 1)),
                this->tolerance() * 8);
}

TYPED_TEST(Lapack, LuOfABatch) {
  Matrix both = this->sample(8, 3);
  const auto out = this->run("(T[2,4,3], s32[2,3], s32[2])", this->target("getrf"), {this->literalOf(both, {2, 4, 3})});
  const auto plain = this->run("(T[2,4,3], s32[2,3], s32[2,4])", "LuDecomposition", {this->literalOf(both, {2, 4, 3})});
  EXPECT_TRUE(plain[0].identical(out[0]));
  for (int64_t item = 0; item < 2; ++item) {
    EXPECT_EQ(out[2].template data<int32_t>()[static_cast<size_t>(item)], 0);
    const Matrix packed = this->matrixOf(out[0], 4, 3, item);
    const Matrix product = triangle(packed, false, true) * leading(triangle(packed, true), 3, 3);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 3; ++j) {
        const int64_t row = plain[2].template data<int32_t>()[static_cast<size_t>(item * 4 + i)];
        EXPECT_LT(std::abs(product.at(i, j) - both.at(item * 4 + row, j)), this->tolerance() * 8);
      }
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(plain[1].template data<int32_t>()[static_cast<size_t>(item) * 3 + i] + 1,
                out[1].template data<int32_t>()[static_cast<size_t>(item) * 3 + i]);
  }
}

TYPED_TEST(Lapack, CholeskyOfBothTriangles) {
  const Matrix a = this->definite(4);
  const auto lower = this->run("(T[4,4], s32[])", this->target("potrf"), {this->literalOf(a)}, "uplo = 76 : ui8");
  const Matrix l = triangle(this->matrixOf(lower[0], 4, 4), false);
  this->expectNear(l * adjoint(l), a);
  const auto upper = this->run("(T[4,4], s32[])", this->target("potrf"), {this->literalOf(a)}, "uplo = 85 : ui8");
  const Matrix u = triangle(this->matrixOf(upper[0], 4, 4), true);
  this->expectNear(adjoint(u) * u, a);
  this->expectNear(this->matrixOf(this->run("T[4,4]", "Cholesky", {this->literalOf(a)})[0], 4, 4), l);
  Matrix indefinite = a;
  indefinite.at(2, 2) = -9;
  const auto refused =
      this->run("(T[4,4], s32[])", this->target("potrf"), {this->literalOf(indefinite)}, "uplo = 76 : ui8");
  EXPECT_EQ(refused[1].template data<int32_t>()[0], 3);
}

TYPED_TEST(Lapack, SingularValues) {
  for (const char* routine : {"gesdd", "gesvd"})
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}})
      for (const bool full : {false, true}) {
        const Matrix a = this->sample(m, n);
        const int64_t k = std::min(m, n), wideU = full ? m : k, tallV = full ? n : k;
        const auto out =
            this->run(fmt::format("(T[{0},{1}], R[{2}], T[{0},{3}], T[{4},{1}], s32[])", m, n, k, wideU, tallV),
                      this->target(routine), {this->literalOf(a)}, full ? "mode = 65 : ui8" : "mode = 83 : ui8");
        const Matrix u = this->matrixOf(out[2], m, wideU), vt = this->matrixOf(out[3], tallV, n);
        this->expectNear(adjoint(u) * u, identity(wideU));
        this->expectNear(scaledColumns(leading(u, m, k), this->matrixOf(out[1], 1, k)) * leading(vt, k, n), a);
        EXPECT_EQ(out[4].template data<int32_t>()[0], 0);
        const auto values =
            this->run(fmt::format("(T[{0},{1}], R[{2}], T[{0},{3}], T[{4},{1}], s32[])", m, n, k, wideU, tallV),
                      this->target(routine), {this->literalOf(a)}, "mode = 78 : ui8");
        this->expectNear(this->matrixOf(values[1], 1, k), this->matrixOf(out[1], 1, k));
      }
}

TYPED_TEST(Lapack, EigenvaluesOfHermitianMatrices) {
  const Matrix a = this->hermitian(5);
  for (const char* uplo : {"uplo = 76 : ui8", "uplo = 85 : ui8"}) {
    const auto out = this->run("(T[5,5], R[5], s32[])", this->target("syevd", "heevd"), {this->literalOf(a)},
                               std::string("mode = 86 : ui8, ") + uplo);
    const Matrix v = this->matrixOf(out[0], 5, 5);
    this->expectNear(adjoint(v) * v, identity(5));
    this->expectNear(a * v, scaledColumns(v, this->matrixOf(out[1], 1, 5)));
  }
}

// XLA's "Eigh": Jacobi rotations; odd sizes, both triangles, sorted or not.
TYPED_TEST(Lapack, Eigh) {
  for (const int64_t n : {1, 2, 5, 8})
    for (const char* config : {"\"1,1,100,1e-14\"", "\"0,0,100,1e-14\""}) {
      const Matrix a = this->hermitian(n);
      const std::string text = this->inTypes(
          fmt::format("HloModule m\nENTRY main {{\n  p = T[{0},{0}] parameter(0)\n  ROOT r = (T[{0},{0}], R[{0}]) "
                      "custom-call(p), custom_call_target=\"Eigh\", backend_config={1}\n}}\n",
                      n, config));
      ReadResult read = readHloText(text);
      ASSERT_TRUE(read.module) << text;
      inferModule(*read.module);
      const auto out = evaluateModule(*read.module, std::vector<Literal>{this->literalOf(a)});
      ASSERT_TRUE(out) << out.error().toString();
      const Matrix v = this->matrixOf((*out)[0], n, n), w = this->matrixOf((*out)[1], 1, n);
      this->expectNear(adjoint(v) * v, identity(n));
      this->expectNear(a * v, scaledColumns(v, w));
      if (config[1] != '1') continue;
      for (int64_t i = 0; i + 1 < n; ++i) EXPECT_LE(w.at(0, i).real(), w.at(0, i + 1).real());
    }
}

TYPED_TEST(Lapack, EigenvaluesAndSchurForm) {
  const Matrix a = this->sample(5, 5);
  constexpr bool complex = kIsComplex<TypeParam>;
  const auto out =
      this->run(complex ? "(T[5], C[5,5], C[5,5], s32[])" : "(T[5], T[5], C[5,5], C[5,5], s32[])", this->target("geev"),
                {this->literalOf(a)}, "compute_left = 86 : ui8, compute_right = 86 : ui8");
  Matrix values = this->matrixOf(out[0], 1, 5);
  if (!complex)
    for (int64_t i = 0; i < 5; ++i) values.at(0, i) += Complex(0, 1) * this->matrixOf(out[1], 1, 5).at(0, i);
  const size_t vectors = complex ? 1 : 2;
  const Matrix left = this->matrixOf(out[vectors], 5, 5), right = this->matrixOf(out[vectors + 1], 5, 5);
  this->expectNear(a * right, scaledColumns(right, values));
  Matrix conjugated = values;
  for (Complex& value : conjugated.data) value = std::conj(value);
  this->expectNear(adjoint(a) * left, scaledColumns(left, conjugated));
  const auto schur =
      this->run(complex ? "(T[5,5], T[5,5], T[5], s32[], s32[])" : "(T[5,5], T[5,5], T[5], T[5], s32[], s32[])",
                this->target("gees"), {this->literalOf(a)}, "mode = 86 : ui8, sort = 78 : ui8");
  const Matrix z = this->matrixOf(schur[1], 5, 5);
  this->expectNear(adjoint(z) * z, identity(5));
  this->expectNear(z * this->matrixOf(schur[0], 5, 5) * adjoint(z), a);
}

// Similar matrices have one trace and, by orthogonal factors, one norm.
TYPED_TEST(Lapack, HessenbergAndTridiagonalForms) {
  const auto facts = [](const Matrix& a) {
    Complex trace = 0;
    double norm = 0;
    for (int64_t i = 0; i < a.rows; ++i) trace += a.at(i, i);
    for (const Complex& value : a.data) norm += std::norm(value);
    return std::pair(trace, norm);
  };
  const Matrix a = this->sample(5, 5), h = this->hermitian(5);
  Matrix hessenberg = this->matrixOf(this->run("(T[5,5], T[4], s32[])", this->target("gehrd"), {this->literalOf(a)},
                                               "high = 5 : i32, low = 1 : i32")[0],
                                     5, 5);
  for (int64_t i = 2; i < 5; ++i)
    for (int64_t j = 0; j + 1 < i; ++j) hessenberg.at(i, j) = 0;
  EXPECT_LT(std::abs(facts(hessenberg).first - facts(a).first), this->tolerance() * 20);
  EXPECT_LT(std::abs(facts(hessenberg).second - facts(a).second), this->tolerance() * 50);
  const auto out = this->run("(T[5,5], R[5], R[4], T[4], s32[])", this->target("sytrd", "hetrd"), {this->literalOf(h)},
                             "uplo = 76 : ui8");
  Matrix tridiagonal = zeros(5, 5);
  for (int64_t i = 0; i < 5; ++i) tridiagonal.at(i, i) = this->matrixOf(out[1], 1, 5).at(0, i);
  for (int64_t i = 0; i < 4; ++i)
    tridiagonal.at(i, i + 1) = tridiagonal.at(i + 1, i) = this->matrixOf(out[2], 1, 4).at(0, i);
  EXPECT_LT(std::abs(facts(tridiagonal).first - facts(h).first), this->tolerance() * 20);
  EXPECT_LT(std::abs(facts(tridiagonal).second - facts(h).second), this->tolerance() * 50);
}

TYPED_TEST(Lapack, TriangularAndTridiagonalSystems) {
  for (const bool left : {true, false})
    for (const bool upper : {true, false})
      for (const bool adjointed : {true, false}) {
        Matrix a = this->sample(3, 3);
        for (int64_t i = 0; i < 3; ++i) a.at(i, i) += 2;
        const int64_t m = left ? 3 : 4, n = left ? 4 : 3;
        const Matrix b = this->sample(m, n, 5);
        const auto x =
            this->run(fmt::format("T[{},{}]", m, n), this->target("trsm"), {this->literalOf(a), this->literalOf(b)},
                      fmt::format("diag = 78 : ui8, side = {} : ui8, trans_x = {} : ui8, uplo = {} : ui8",
                                  left ? 76 : 82, adjointed ? 67 : 78, upper ? 85 : 76));
        const Matrix t = adjointed ? adjoint(triangle(a, upper)) : triangle(a, upper),
                     solution = this->matrixOf(x[0], m, n);
        this->expectNear(left ? t * solution : solution * t, b);
      }
  const Matrix below = this->sample(1, 4), above = this->sample(1, 4, 9), b = this->sample(4, 2, 3);
  Matrix diagonal = this->sample(1, 4, 4), whole = zeros(4, 4);
  for (int64_t i = 0; i < 4; ++i) {
    diagonal.at(0, i) += 4;
    whole.at(i, i) = diagonal.at(0, i);
    if (i > 0) whole.at(i, i - 1) = below.at(0, i);
    if (i < 3) whole.at(i, i + 1) = above.at(0, i);
  }
  const auto out = this->run(
      "(T[4], T[4], T[4], T[4,2], s32[])", this->target("gtsv"),
      {this->literalOf(below, {4}), this->literalOf(diagonal, {4}), this->literalOf(above, {4}), this->literalOf(b)});
  this->expectNear(whole * this->matrixOf(out[3], 4, 2), b);
}

TYPED_TEST(Lapack, EmptyMatricesAndNaN) {
  this->run("(T[0,3], T[0])", this->target("geqrf"), {this->literalOf(zeros(0, 3))});
  this->run("(T[0,0], R[0], s32[])", this->target("syevd", "heevd"), {this->literalOf(zeros(0, 0))},
            "mode = 86 : ui8, uplo = 76 : ui8");
  this->run("(T[3,0], R[0], T[3,0], T[0,0], s32[])", this->target("gesdd"), {this->literalOf(zeros(3, 0))},
            "mode = 83 : ui8");
  Matrix a = this->sample(3, 3);
  a.at(1, 1) = std::nan("");
  this->run("(T[3,3], R[3], T[3,3], T[3,3], s32[])", this->target("gesdd"), {this->literalOf(a)}, "mode = 83 : ui8");
  this->run("(T[3,3], s32[3], s32[])", this->target("getrf"), {this->literalOf(a)});
}

TYPED_TEST(Lapack, WrongShapesAndOptionsAreRefused) {
  const Literal a = this->literalOf(this->sample(3, 3)), line = this->literalOf(this->sample(1, 3), {3});
  const auto refuses = [&](const std::string& result, const std::string& target, const std::vector<Literal>& operands,
                           const std::string& config) {
    const auto out = this->tryRun(result, target, operands, config);
    ASSERT_FALSE(out) << target << " " << result;
    EXPECT_EQ(out.error().kind, ErrorKind::Unsupported) << out.error().toString();
  };
  refuses("(T[3,3], T[2])", this->target("geqrf"), {a}, "");
  refuses("(T[3,3], T[3])", this->target("geqrf"), {line}, "");
  refuses("(T[3,3], T[3])", this->target("geqrf"), {a, a}, "");
  refuses("(T[3,3], s32[])", this->target("potrf"), {a}, "uplo = 88 : ui8");
  refuses("T[3,3]", this->target("orgqr", "ungqr"), {a, this->literalOf(this->sample(1, 4), {4})}, "");
  refuses("T[3,3]", this->target("trsm"), {a, line}, "");
  refuses("(T[3,3], T[2], s32[])", this->target("gehrd"), {a}, "high = 9 : i32, low = 1 : i32");
  refuses("(s8[3,3], s8[3])", "Qr", {Literal::zeros(Shape::arrayRowMajor(ElementType::S8, {3, 3})).value()}, "");
  refuses("T[3,3]", "nobody.knows", {a}, "");
}

// The custom call TopK takes k from its result.
TEST(CustomCalls, TopK) {
  ReadResult read = readHloText(
      "HloModule m\nENTRY main {\n  x = f32[2,3] constant({{1, 3, 2}, {-1, -1, -5}})\n  ROOT r = (f32[2,2], s32[2,2]) "
      "custom-call(x), custom_call_target=\"TopK\"\n}\n");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const auto out = evaluateModule(*read.module, {});
  ASSERT_TRUE(out) << out.error().toString();
  EXPECT_EQ((*out)[0].data<float>()[0], 3);
  EXPECT_EQ((*out)[0].data<float>()[2], -1);
  EXPECT_EQ((*out)[1].data<int32_t>()[1], 2);
  EXPECT_EQ((*out)[1].data<int32_t>()[3], 1);
}

TEST(CustomCalls, TopKOfAnotherShapeIsRefused) {
  ReadResult read = readHloText(
      "HloModule m\nENTRY main {\n  x = f32[2,3] parameter(0)\n  ROOT r = (f32[2,4], s32[2,4]) custom-call(x), "
      "custom_call_target=\"TopK\"\n}\n");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  EXPECT_FALSE(evaluateModule(
      *read.module, std::vector<Literal>{Literal::zeros(Shape::arrayRowMajor(ElementType::F32, {2, 3})).value()}));
}

}  // namespace
}  // namespace tessera
