// The built-in targets of custom calls by their definitions: factors multiply to the matrix, solutions solve. All
// element types, tall, wide and batched matrices; wrong shapes are refused before LAPACK sees them.
#include "tests/unit/cpu/lapack_matrices.h"

namespace tessera::test {
namespace {

template <class T>
class LapackFactors : public Lapack<T> {};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackFactors, Types);

TYPED_TEST(LapackFactors, QrAndItsReflectors) {
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

TYPED_TEST(LapackFactors, PivotedQr) {
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

TYPED_TEST(LapackFactors, LuOfABatch) {
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

// Targets for CUDA are those for the CPU in other words.
TYPED_TEST(LapackFactors, TargetsForCuda) {
  const Matrix a = this->sample(5, 3), square = this->definite(4);
  const auto same = [](const std::vector<Literal>& left, const std::vector<Literal>& right) {
    ASSERT_EQ(left.size(), right.size());
    for (size_t k = 0; k < left.size(); ++k) EXPECT_TRUE(left[k].identical(right[k])) << k;
  };
  const auto qr = this->run("(T[5,3], T[3])", "cusolver_geqrf_ffi", {this->literalOf(a)});
  same(qr, this->run("(T[5,3], T[3])", this->target("geqrf"), {this->literalOf(a)}));
  same(this->run("T[5,3]", "cusolver_orgqr_ffi", {qr[0], qr[1]}),
       this->run("T[5,3]", this->target("orgqr", "ungqr"), {qr[0], qr[1]}));
  same(this->run("(T[4,4], s32[])", "cusolver_potrf_ffi", {this->literalOf(square)}, "lower = false"),
       this->run("(T[4,4], s32[])", this->target("potrf"), {this->literalOf(square)}, "uplo = 85 : ui8"));
  same(this->run("(T[5,3], s32[3], s32[])", "cusolver_getrf_ffi", {this->literalOf(a)}),
       this->run("(T[5,3], s32[3], s32[])", this->target("getrf"), {this->literalOf(a)}));
}

TYPED_TEST(LapackFactors, SingularValuesForCuda) {
  const Matrix wide = this->sample(3, 5);
  const auto plain = this->run("(T[3,5], R[3], T[3,3], T[3,5], s32[])", "cusolver_gesvd_ffi", {this->literalOf(wide)},
                               "full_matrices = false, compute_uv = true, transposed = false");
  const auto swapped = this->run("(T[3,5], R[3], T[3,5], T[3,3], s32[])", "cusolver_gesvd_ffi", {this->literalOf(wide)},
                                 "full_matrices = false, compute_uv = true, transposed = true");
  EXPECT_TRUE(plain[2].identical(swapped[3]) && plain[3].identical(swapped[2]));
  const auto jacobi = this->run("(T[3,5], R[3], T[3,3], T[5,3], s32[])", "cusolver_gesvdj_ffi", {this->literalOf(wide)},
                                "full_matrices = false, compute_uv = true");
  Matrix scaled = this->matrixOf(jacobi[2], 3, 3);
  const Matrix values = this->matrixOf(jacobi[1], 1, 3);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j) scaled.at(i, j) *= values.at(0, j);
  this->expectNear(scaled * adjoint(this->matrixOf(jacobi[3], 5, 3)), wide);
}

TEST(CudaTargets, PivotsBecomeAPermutation) {
  const auto run = [](const std::string& pivots) {
    ReadResult read =
        readHloText("HloModule m\nENTRY e { p = s32[2,2] constant(" + pivots +
                    ") ROOT r = s32[2,3] custom-call(p), custom_call_target=\"cu_lu_pivots_to_permutation\" }");
    inferModule(*read.module);
    return evaluateModule(*read.module, {});
  };
  const auto out = run("{{1,2},{2,2}}");
  ASSERT_TRUE(out) << out.error().toString();
  const auto values = (*out)[0].data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()), (std::vector<int32_t>{1, 2, 0, 2, 0, 1}));
  const auto wrong = run("{{1,3},{0,1}}");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("none of the 3 rows"), std::string::npos) << wrong.error().toString();
}

TYPED_TEST(LapackFactors, CholeskyOfBothTriangles) {
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

TYPED_TEST(LapackFactors, TriangularAndTridiagonalSystems) {
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

TYPED_TEST(LapackFactors, EmptyMatricesAndNaN) {
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

TYPED_TEST(LapackFactors, WrongShapesAndOptionsAreRefused) {
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
}  // namespace tessera::test
