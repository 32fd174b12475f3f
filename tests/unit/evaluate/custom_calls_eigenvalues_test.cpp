// Eigenvalues, singular values and the forms on the way to them, by the custom calls that give them: the factors
// multiply to the matrix, and orthogonal ones are so.
#include "tests/unit/cpu/lapack_matrices.h"

namespace tessera::test {
namespace {

template <class T>
class LapackEigenvalues : public Lapack<T> {};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackEigenvalues, Types);

TYPED_TEST(LapackEigenvalues, SingularValues) {
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

TYPED_TEST(LapackEigenvalues, EigenvaluesOfHermitianMatrices) {
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
TYPED_TEST(LapackEigenvalues, Eigh) {
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

TYPED_TEST(LapackEigenvalues, EigenvaluesAndSchurForm) {
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
TYPED_TEST(LapackEigenvalues, HessenbergAndTridiagonalForms) {
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

}  // namespace
}  // namespace tessera::test
