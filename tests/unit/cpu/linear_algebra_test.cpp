// Triangular systems and factors of the CPU backend against their definitions and the reference evaluator: every side,
// triangle and transposition, sizes around a vector and a panel, many small matrices and few large ones, the same bits
// with any number of threads; matrices that cannot be factored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

Module lapackModule(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  return std::move(*read.module);
}

// The outputs; fails unless a step of this name takes part.
Result<std::vector<Literal>> onCpu(const Module& module, const std::vector<Literal>& arguments, const std::string& what,
                                   int threads) {
  CompileOptions options;
  options.threads = threads;
  TESSERA_ASSIGN_OR_RETURN(auto executable, makeBackend("cpu").value()->compile(module, options));
  Profile profile;
  TESSERA_ASSIGN_OR_RETURN(auto found, executable->run(arguments, {}, &profile));
  if (std::ranges::none_of(profile.steps, [&](const StepProfile& s) { return s.what == what; }))
    return fail("no step " + what);
  return found;
}

// Of one and of three threads, which must be the same.
std::vector<Literal> onAnyThreads(const std::string& text, const std::vector<Literal>& arguments,
                                  const std::string& what) {
  const Module module = lapackModule(text);
  auto one = onCpu(module, arguments, what, 1), three = onCpu(module, arguments, what, 3);
  EXPECT_TRUE(one && three) << text << (one ? three : one).error().toString();
  if (!one || !three) return {};
  EXPECT_TRUE(test::sameValues(one, three, test::kSameBits)) << text;
  return std::move(*one);
}

std::vector<Literal> argumentsOf(const std::string& text, double scale = 1) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(lapackModule(text)))
    out.push_back(fillParameter(shape, static_cast<int64_t>(out.size()), FillRule{5, scale, 50}).value());
  return out;
}

template <class T>
std::vector<Literal> argumentOf(ElementType type, std::vector<int64_t> dimensions, const std::vector<T>& values) {
  std::vector<Literal> out;
  out.push_back(
      Literal::fromBytes(Shape::arrayRowMajor(type, std::move(dimensions)), std::as_bytes(std::span(values))).value());
  return out;
}

// Adds to the diagonals, so that systems are well posed.
template <class T>
void strengthen(Literal& matrices, T by) {
  const auto n = static_cast<size_t>(matrices.shape().dimensions.back());
  const auto data = matrices.mutableData<T>();
  for (size_t i = 0; i < data.size(); i += n * n)
    for (size_t k = 0; k < n; ++k) data[i + k * n + k] += by;
}

template <class T>
double largestFactorDifference(const Literal& a, const Literal& b) {
  double out = 0;
  for (size_t i = 0; i < a.data<T>().size(); ++i)
    out = std::max(out, std::abs(static_cast<double>(a.data<T>()[i]) - static_cast<double>(b.data<T>()[i])));
  return out;
}

template <class T>
void expectSolved(const char* type, int batch, int n, int sides, bool left, const std::string& flags) {
  const std::string b = fmt::format("{}[{},{},{}]", type, batch, left ? n : sides, left ? sides : n);
  const std::string text = fmt::format(
      "HloModule m\n\nENTRY e {{\n  a = {0}[{1},{2},{2}] parameter(0)\n  b = {3} parameter(1)\n  ROOT x = {3} "
      "triangular-solve(a, b), left_side={4}, {5}\n}}\n",
      type, batch, n, b, left, flags);
  std::vector<Literal> arguments = argumentsOf(text, 1.0 / n);
  strengthen<T>(arguments[0], T(1));
  const auto expected = evaluateModule(lapackModule(text), arguments);
  ASSERT_TRUE(expected) << expected.error().toString();
  const auto found = onAnyThreads(text, arguments, "triangular solve");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(largestFactorDifference<T>((*expected)[0], found[0]), sizeof(T) == 8 ? 1e-14 : 1e-6) << text;
}

TEST(CpuLinearAlgebra, TriangularSystemsOfEveryForm) {
  for (const bool left : {true, false})
    for (const char* lower : {"true", "false"})
      for (const char* unit : {"true", "false"})
        for (const char* op : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          const std::string flags = fmt::format("lower={}, unit_diagonal={}, transpose_a={}", lower, unit, op);
          expectSolved<float>("f32", 3, 19, 5, left, flags);
          expectSolved<double>("f64", 2, 21, 37, left, flags);
        }
}

TEST(CpuLinearAlgebra, TriangularSystemsOfEverySize) {
  const std::string flags = "lower=false, transpose_a=NO_TRANSPOSE";
  for (const int n : {1, 2, 7, 8, 9, 16, 64, 130})
    for (const int sides : {1, 15, 16, 17, 32, 33, 100}) expectSolved<float>("f32", 2, n, sides, sides % 2 == 0, flags);
  expectSolved<float>("f32", 1, 300, 300, true, flags);
  expectSolved<float>("f32", 500, 4, 3, true, flags);
}

// As jaxlib writes them.
std::string lapackText(const std::string& operands, const std::string& call) {
  return fmt::format("HloModule m\n\nENTRY e {{\n{}  ROOT r = {}, api_version=API_VERSION_TYPED_FFI\n}}\n", operands,
                     call);
}

std::string luText(const char* type, int batch, int m, int n) {
  const std::string matrices = fmt::format("{}[{},{},{}]", type, batch, m, n);
  return lapackText(fmt::format("  a = {} parameter(0)\n", matrices),
                    fmt::format("({}, s32[{},{}], s32[{}]) custom-call(a), custom_call_target=\"lapack_{}getrf_ffi\"",
                                matrices, batch, std::min(m, n), batch, type[1] == '3' ? 's' : 'd'));
}

// The matrix at `item` of what L and U multiply to, with the rows of the operand that the pivots choose.
template <class T>
void expectLuFactors(const char* type, int batch, int m, int n) {
  const std::string text = luText(type, batch, m, n);
  const auto arguments = argumentsOf(text);
  const auto found = onAnyThreads(text, arguments, "LU factors");
  ASSERT_EQ(found.size(), 3u);
  const int k = std::min(m, n);
  double difference = 0;
  for (int item = 0; item < batch; ++item) {
    const auto at = [&](int i, int j) { return static_cast<size_t>((item * m + i) * n + j); };
    const auto factors = found[0].data<T>(), from = arguments[0].data<T>();
    std::vector<int> rows(static_cast<size_t>(m));
    for (int i = 0; i < m; ++i) rows[static_cast<size_t>(i)] = i;
    for (int i = 0; i < k; ++i) {
      const int pivot = found[1].data<int32_t>()[static_cast<size_t>(item * k + i)];
      ASSERT_TRUE(pivot > i && pivot <= m) << text;
      std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(pivot - 1)]);
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = i <= j && i < k ? factors[at(i, j)] : 0;
        for (int l = 0; l < std::min({i, j + 1, k}); ++l) {
          EXPECT_LE(std::abs(factors[at(i, l)]), T(1)) << text;
          sum += static_cast<double>(factors[at(i, l)]) * factors[at(l, j)];
        }
        difference = std::max(difference, std::abs(sum - from[at(rows[static_cast<size_t>(i)], j)]));
      }
    EXPECT_EQ(found[2].data<int32_t>()[static_cast<size_t>(item)], 0) << text;
  }
  EXPECT_LT(difference, sizeof(T) == 8 ? 1e-12 : 1e-4) << text;
}

TEST(CpuLinearAlgebra, LuMultipliesToItsMatrix) {
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{
           {1, 1}, {3, 3}, {8, 8}, {17, 17}, {33, 33}, {70, 70}, {40, 20}, {20, 40}, {70, 33}, {33, 70}}) {
    expectLuFactors<float>("f32", 5, m, n);
    expectLuFactors<double>("f64", 2, m, n);
  }
  expectLuFactors<float>("f32", 1, 200, 200);
}

TEST(CpuLinearAlgebra, ASingularMatrixIsToldByItsFirstZeroPivot) {
  const std::string text = luText("f32", 1, 3, 3);
  const auto found =
      onAnyThreads(text, argumentOf<float>(ElementType::F32, {1, 3, 3}, {4, 2, 1, 2, 1, 3, 1, 0.5, 5}), "LU factors");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].data<int32_t>()[0], 2);
  EXPECT_TRUE(std::ranges::all_of(found[0].data<float>(), [](float x) { return std::isfinite(x); }));
}

template <class T>
void expectCholesky(const char* type, int batch, int n, bool lower) {
  const std::string matrices = fmt::format("{}[{},{},{}]", type, batch, n, n);
  const std::string text =
      fmt::format("HloModule m\n\nENTRY e {{\n  a = {0} parameter(0)\n  ROOT l = {0} cholesky(a), lower={1}\n}}\n",
                  matrices, lower);
  auto arguments = argumentsOf(text, 1.0 / n);
  strengthen<T>(arguments[0], T(2));
  const auto expected = evaluateModule(lapackModule(text), arguments);
  ASSERT_TRUE(expected) << expected.error().toString();
  const auto found = onAnyThreads(text, arguments, "Cholesky factors");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(largestFactorDifference<T>((*expected)[0], found[0]), sizeof(T) == 8 ? 1e-14 : 2e-6) << text;
}

TEST(CpuLinearAlgebra, CholeskyOfEverySize) {
  for (const int n : {1, 2, 5, 16, 17, 32, 33, 100})
    for (const bool lower : {true, false}) {
      expectCholesky<float>("f32", 4, n, lower);
      expectCholesky<double>("f64", 2, n, lower);
    }
  expectCholesky<float>("f32", 1, 256, true);
}

TEST(CpuLinearAlgebra, AMatrixThatIsNotPositiveDefiniteIsToldByItsMinor) {
  const std::string text = lapackText("  a = f64[2,2,2] parameter(0)\n",
                                      "(f64[2,2,2], s32[2]) custom-call(a), custom_call_target=\"lapack_dpotrf_ffi\", "
                                      "backend_config={uplo = 85 : ui8}");
  const auto found = onAnyThreads(text, argumentOf<double>(ElementType::F64, {2, 2, 2}, {4, 2, 77, 5, 1, 3, 77, 2}),
                                  "Cholesky factors");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].data<int32_t>()[0], 0);
  EXPECT_EQ(found[1].data<int32_t>()[1], 2);
  const auto factor = found[0].data<double>();
  EXPECT_EQ(std::vector<double>(factor.begin(), factor.begin() + 4), (std::vector<double>{2, 1, 77, 2}));
}

TEST(CpuLinearAlgebra, TargetsOfTriangularSystemsAreSolvedInPlace) {
  const std::string text =
      lapackText("  a = f32[3,20,20] parameter(0)\n  b = f32[3,6,20] parameter(1)\n",
                 "f32[3,6,20] custom-call(a, b), custom_call_target=\"lapack_strsm_ffi\", "
                 "output_to_operand_aliasing={{}: (1, {})}, "
                 "backend_config={diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}");
  auto arguments = argumentsOf(text, 0.05);
  strengthen<float>(arguments[0], 1.0f);
  const auto expected = evaluateModule(lapackModule(text), arguments);
  if (!expected) TESSERA_SKIP("no-lapack", expected.error().toString());
  const auto found = onAnyThreads(text, arguments, "triangular solve");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(largestFactorDifference<float>((*expected)[0], found[0]), 1e-6);
}

}  // namespace
}  // namespace tessera
