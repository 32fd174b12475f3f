// Rules of linear algebra, transforms, collectives and computations that are called, against finite differences.
#include <gtest/gtest.h>

#include "tests/unit/gradient/checks.h"
#include "tests/unit/gradient/programs.h"

namespace tessera::test {
namespace {

TEST(GradientRules, Cholesky) {
  for (const char* lower : {"true", "false"})
    expectGradient(
        programOf("x = f64[2,3,3] parameter(0);s = f64[2,3,3] dot(x, x), lhs_batch_dims={0}, "
                  "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2};"
                  "e = f64[3,3] constant({{2,0,0},{0,2,0},{0,0,2}});b = f64[2,3,3] broadcast(e), dimensions={1,2};"
                  "a = f64[2,3,3] add(s, b);ROOT l = f64[2,3,3] cholesky(a), lower=" +
                  std::string(lower)));
  // Directly, so that the triangle that is not read is seen to get nothing.
  expectGradient(
      programOf("x = f64[3,3] parameter(0);e = f64[3,3] constant({{4,0,0},{0,4,0},{0,0,4}});"
                "a = f64[3,3] add(x, e);ROOT l = f64[3,3] cholesky(a), lower=true"));
}

TEST(GradientRules, TriangularSolve) {
  for (const char* left : {"true", "false"})
    for (const char* lower : {"true", "false"})
      for (const char* how : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
        expectGradient(
            programOf("x = f64[3,3] parameter(0);b = f64[3,3] parameter(1);"
                      "e = f64[3,3] constant({{3,0,0},{0,3,0},{0,0,3}});a = f64[3,3] add(x, e);"
                      "ROOT y = f64[3,3] triangular-solve(a, b), left_side=" +
                      std::string(left) + ", lower=" + lower + ", transpose_a=" + how));
  expectGradient(
      programOf("a = f64[2,2,2] parameter(0);b = f64[2,2,3] parameter(1);ROOT y = f64[2,2,3] "
                "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
                "transpose_a=NO_TRANSPOSE"));
  expectGradient(
      programOf("x = c128[2,2] parameter(0);b = c128[2,2] parameter(1);"
                "e = c128[2,2] constant({{(3,0),(0,0)},{(0,0),(3,1)}});a = c128[2,2] add(x, e);"
                "ROOT y = c128[2,2] triangular-solve(a, b), left_side=true, lower=true, transpose_a=ADJOINT"));
}

// A routine of LAPACK on A = X + 4 I, X[2,3,3] the parameter, and leaf `leaf` of its results.
std::string lapack(const std::string& routine, const std::string& config, const std::string& results, int leaf,
                   const std::string& leafShape, const std::string& after = "") {
  return programOf(
      "x = f64[2,3,3] parameter(0);e = f64[3,3] constant({{4,0,0},{0,5,0},{0,0,7}});"
      "i = f64[2,3,3] broadcast(e), dimensions={1,2};a = f64[2,3,3] add(x, i);r = " +
      results + " custom-call(a), custom_call_target=\"lapack_d" + routine +
      "_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config={" + config + "};" + (after.empty() ? "ROOT " : "") +
      "y = " + leafShape + " get-tuple-element(r), index=" + std::to_string(leaf) + ";" + after);
}

TEST(GradientRules, RoutinesOfLapack) {
  const GradientCheck once{.twice = false};
  const std::string factored = "(f64[2,3,3], s32[2])";
  for (auto [letter, order] : {std::pair{"76", "GE"}, {"85", "LE"}})  // one triangle holds what the operand had there
    expectGradient(
        lapack("potrf", "uplo = " + std::string(letter) + " : ui8", factored, 0, "f64[2,3,3]",
               "m = s32[2,3,3] iota(), iota_dimension=1;n = s32[2,3,3] iota(), iota_dimension=2;"
               "p = pred[2,3,3] compare(m, n), direction=" +
                   std::string(order) + ";z = f64[2,3,3] subtract(i, i);ROOT l = f64[2,3,3] select(p, y, z)"),
        once);
  expectGradient(lapack("getrf", "", "(f64[2,3,3], s32[2,3], s32[2])", 0, "f64[2,3,3]"), once);
  const std::string spectrum = "(f64[2,3,3], f64[2,3], s32[2])";
  for (const char* letter : {"76", "85"}) {
    const std::string config = "mode = 86 : ui8, uplo = " + std::string(letter) + " : ui8";
    expectGradient(lapack("syevd", config, spectrum, 0, "f64[2,3,3]"), once);
    expectGradient(lapack("syevd", config, spectrum, 1, "f64[2,3]"), once);
  }
  const std::string singular = "(f64[2,3,3], f64[2,3], f64[2,3,3], f64[2,3,3], s32[2])";
  for (auto [leaf, shape] : {std::pair{1, "f64[2,3]"}, {2, "f64[2,3,3]"}, {3, "f64[2,3,3]"}})
    expectGradient(lapack("gesdd", "mode = 83 : ui8", singular, leaf, shape), once);
}

TEST(GradientRules, RowsThatLuExchanges) {
  expectGradient(programOf("x = f64[4,4] parameter(0);"
                           "e = f64[4,4] constant({{0,0,3,0},{5,0,0,0},{0,0,0,2},{0,4,0,0}});a = f64[4,4] add(x, e);"
                           "r = (f64[4,4], s32[4], s32[]) custom-call(a), custom_call_target=\"lapack_dgetrf_ffi\", "
                           "api_version=API_VERSION_TYPED_FFI, backend_config={};"
                           "ROOT y = f64[4,4] get-tuple-element(r), index=0"),
                 {.twice = false});
}

TEST(GradientRules, SingularVectorsOfMatricesThatAreNotSquare) {
  for (auto [sizes, u, vt] : {std::tuple{"4,2", "4,2", "2,2"}, {"2,4", "2,2", "2,4"}})
    for (int leaf : {2, 3}) {
      const std::string results = "(f64[" + std::string(sizes) + "], f64[2], f64[" + u + "], f64[" + vt + "], s32[])";
      expectGradient(
          programOf("a = f64[" + std::string(sizes) + "] parameter(0);r = " + results +
                    " custom-call(a), custom_call_target=\"lapack_dgesdd_ffi\", "
                    "api_version=API_VERSION_TYPED_FFI, backend_config={mode = 83 : ui8};ROOT y = f64[" +
                    std::string(leaf == 2 ? u : vt) + "] get-tuple-element(r), index=" + std::to_string(leaf)),
          {.twice = false});
    }
}

TEST(GradientRules, TriangularSolvesByLapack) {
  for (const char* side : {"76", "82"})
    for (const char* triangle : {"76", "85"})
      for (const char* how : {"78", "84"})
        for (const char* diagonal : {"78", "85"})
          expectGradient(
              programOf("x = f64[3,3] parameter(0);b = f64[3,3] parameter(1);"
                        "e = f64[3,3] constant({{3,0,0},{0,3,0},{0,0,3}});a = f64[3,3] add(x, e);"
                        "ROOT y = f64[3,3] custom-call(a, b), custom_call_target=\"lapack_dtrsm_ffi\", "
                        "api_version=API_VERSION_TYPED_FFI, backend_config={diag = " +
                        std::string(diagonal) + " : ui8, side = " + side + " : ui8, trans_x = " + how +
                        " : ui8, uplo = " + triangle + " : ui8}"));
}

TEST(GradientRules, FourierTransforms) {
  for (const char* type : {"FFT", "IFFT"})
    expectGradient(programOf("x = c128[2,3,4] parameter(0);ROOT y = c128[2,3,4] fft(x), fft_type=" + std::string(type) +
                             ", fft_length={3,4}"));
  for (const char* length : {"4", "5"}) {
    const std::string n = length;
    expectGradient(programOf("x = f64[3," + n +
                             "] parameter(0);ROOT y = c128[3,3] fft(x), fft_type=RFFT, fft_length={" + n + "}"));
    expectGradient(programOf("x = c128[3,3] parameter(0);ROOT y = f64[3," + n +
                             "] fft(x), fft_type=IRFFT, fft_length={" + n + "}"));
  }
  expectGradient(programOf("x = c128[3,3] parameter(0);ROOT y = f64[3,4] fft(x), fft_type=IRFFT, fft_length={3,4}"));
  expectGradient(programOf("x = f64[3,4] parameter(0);ROOT y = c128[3,3] fft(x), fft_type=RFFT, fft_length={3,4}"));
}

// On one device, where a group is the device alone; what goes between several is held by its shapes.
TEST(GradientRules, Collectives) {
  expectGradient(programOf(
      "x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-reduce(s), replica_groups={}, to_apply=add",
      kAddF64));
  expectGradient(
      programOf("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-gather(s), replica_groups={{0}}, "
                "dimensions={0}"));
  expectGradient(
      programOf("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] reduce-scatter(s), "
                "replica_groups={{0}}, dimensions={0}, to_apply=add",
                kAddF64));
  expectGradient(
      programOf("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-to-all(s), replica_groups={{0}}, "
                "dimensions={0}"));
  expectGradient(
      programOf("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] collective-permute(s), "
                "source_target_pairs={{0,0}}"));
}

TEST(GradientRules, CalledComputations) {
  const std::string f =
      "f { a = f64[3] parameter(0) b = f64[3] parameter(1) m = f64[3] multiply(a, b) "
      "s = f64[3] sine(a) ROOT t = (f64[3], f64[3]) tuple(m, s) }\n";
  expectGradient(
      programOf("x = f64[3] parameter(0);y = f64[3] parameter(1);t = (f64[3], f64[3]) call(x, y), to_apply=f;"
                "a = f64[3] get-tuple-element(t), index=0;u = (f64[3], f64[3]) call(a, x), to_apply=f;"
                "b = f64[3] get-tuple-element(u), index=1;c = f64[3] get-tuple-element(t), index=1;"
                "ROOT z = f64[3] multiply(b, c)",
                f));
  expectGradient(programOf("x = f64[3] parameter(0);ROOT y = f64[3] fusion(x), kind=kLoop, calls=g",
                           "g { a = f64[3] parameter(0) e = f64[3] exponential(a) ROOT m = f64[3] multiply(a, e) }\n"));
  expectGradient(
      programOf("x = f64[3] parameter(0);y = f64[3] parameter(1);ROOT z = f64[3] map(x, y), dimensions={0}, "
                "to_apply=h",
                "h { a = f64[] parameter(0) b = f64[] parameter(1) s = f64[] sine(a) ROOT m = "
                "f64[] multiply(s, b) }\n"));
}

TEST(GradientRules, Conditionals) {
  const std::string branches =
      "f { a = f64[3] parameter(0) ROOT m = f64[3] multiply(a, a) }\n"
      "g { t = (f64[3], f64[3]) parameter(0) a = f64[3] get-tuple-element(t), index=0 b = f64[3] get-tuple-element(t), "
      "index=1 s = f64[3] sine(b) ROOT m = f64[3] multiply(a, s) }\n";
  for (const char* truth : {"true", "false"})
    expectGradient(
        programOf("x = f64[3] parameter(0);y = f64[3] parameter(1);p = pred[] constant(" + std::string(truth) +
                      ");t = (f64[3], f64[3]) tuple(x, y);ROOT z = f64[3] conditional(p, x, t), true_computation=f, "
                      "false_computation=g",
                  branches));
  for (const char* number : {"0", "1", "7"})
    expectGradient(
        programOf("x = f64[3] parameter(0);i = s32[] constant(" + std::string(number) +
                      ");ROOT z = f64[3] conditional(i, x, x, x), branch_computations={f, h, k}",
                  "f { a = f64[3] parameter(0) ROOT m = f64[3] multiply(a, a) }\n"
                  "h { a = f64[3] parameter(0) ROOT m = f64[3] sine(a) }\n"
                  "k { a = f64[3] parameter(0) z = f64[] constant(2) ROOT m = f64[3] broadcast(z), dimensions={} }\n"));
}

std::string loopOf(const std::string& bound) {
  return "cond { s = (s32[], f64[3], f64[3,3], f64[4,3]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = "
         "s32[] "
         "constant(" +
         bound +
         ") ROOT p = pred[] compare(i, n), direction=LT }\n"
         "body { s = (s32[], f64[3], f64[3,3], f64[4,3]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
         "x = f64[3] get-tuple-element(s), index=1 w = f64[3,3] get-tuple-element(s), index=2 "
         "u = f64[4,3] get-tuple-element(s), index=3 z = s32[] constant(0) "
         "r = f64[1,3] dynamic-slice(u, i, z), dynamic_slice_sizes={1,3} v = f64[3] reshape(r) "
         "d = f64[3] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} a = f64[3] add(d, v) "
         "h = f64[3] tanh(a) one = s32[] constant(1) j = s32[] add(i, one) "
         "ROOT t = (s32[], f64[3], f64[3,3], f64[4,3]) tuple(j, h, w, u) }\n";
}

const char* kLoopEntry =
    "x = f64[3] parameter(0);w = f64[3,3] parameter(1);u = f64[4,3] parameter(2);z = s32[] constant(0);"
    "t = (s32[], f64[3], f64[3,3], f64[4,3]) tuple(z, x, w, u);"
    "l = (s32[], f64[3], f64[3,3], f64[4,3]) while(t), condition=cond, body=body;"
    "ROOT y = f64[3] get-tuple-element(l), index=1";

TEST(GradientRules, LoopsOfAKnownLength) {
  expectGradient(programOf(kLoopEntry, loopOf("4")), {.twice = false});
  expectGradient(programOf(kLoopEntry, loopOf("2")));
  expectGradient(programOf(kLoopEntry, loopOf("0")), {.twice = false});
}

TEST(GradientRules, Scans) {
  const std::string step =
      "step { v = f64[2] parameter(0) c = f64[2] parameter(1) m = f64[2] multiply(v, c) s = f64[2] "
      "sine(m) ROOT t = (f64[2], f64[2]) tuple(s, m) }\n";
  for (const char* reverse : {"", ", is_reverse=true"})
    for (const char* index : {"0", "1"})
      expectGradient(programOf("x = f64[2,3] parameter(0);c = f64[2] parameter(1);t = (f64[2,3], f64[2]) scan(x, c), "
                               "dimensions={1}, num_carries=1" +
                                   std::string(reverse) + ", to_apply=step;ROOT y = f64[" +
                                   (*index == '0' ? "2,3" : "2") + "] get-tuple-element(t), index=" + index,
                               step),
                     {.low = 0.5, .high = 1.5});
}

}  // namespace
}  // namespace tessera::test
