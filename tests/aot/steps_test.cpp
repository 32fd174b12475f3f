// Every kind of step compiled ahead of time: the bits of a run in memory, and the same object each time.
#include "tests/aot/library.h"

namespace tessera::aot {
namespace {

struct Case {
  const char *name, *entry;
};
const Case kCases[] = {
    {"elements",
     "x = f32[40,50] parameter(0)  y = f32[50] parameter(1)  b = f32[40,50] broadcast(y), dimensions={1}  e = "
     "f32[40,50] exponential(x)  ROOT r = f32[40,50] multiply(e, b)"},
    {"functions", "x = f64[64] parameter(0)  t = f64[64] tan(x)  e = f64[64] erf(t)  ROOT r = f64[64] power(e, x)"},
    {"small_floats", "x = f32[64] parameter(0)  a = f8e4m3fn[64] convert(x)  ROOT r = f16[64] convert(a)"},
    {"constants", "x = f32[5] parameter(0)  c = f32[5] constant({1.5, 2, -3, 4, 0.25})  ROOT r = f32[5] add(x, c)"},
    {"constant_result", "ROOT c = s32[4] constant({1, 2, 3, 4})"},
    {"empty", "x = f32[0,3] parameter(0)  ROOT r = f32[0,3] negate(x)"},
    {"tuples",
     "p = (f32[4], (s32[2], token[])) parameter(0)  x = f32[4] get-tuple-element(p), index=0  q = (s32[2], token[]) "
     "get-tuple-element(p), index=1  "
     "i = s32[2] get-tuple-element(q), index=0  n = f32[4] negate(x)  t = (s32[2], f32[4]) tuple(i, x)  ROOT r = "
     "(f32[4], (s32[2], f32[4])) tuple(n, t)"},
    {"reduce",
     "x = f32[300,257] parameter(0)  z = f32[] constant(0)  ROOT r = f32[300] reduce(x, z), dimensions={1}, "
     "to_apply=sum"},
    {"dot",
     "x = f32[96,64] parameter(0)  y = f32[64,80] parameter(1)  ROOT r = f32[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot_f64",
     "x = f64[96,64] parameter(0)  y = f64[64,80] parameter(1)  ROOT r = f64[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot_bf16",
     "x = bf16[96,64] parameter(0)  y = bf16[64,80] parameter(1)  ROOT r = bf16[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"attention",
     "q = f32[2,128,32] parameter(0)  k = f32[2,128,32] parameter(1)  s = f32[2,128,128] dot(q, k), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, "
     "lhs_contracting_dims={2}, rhs_contracting_dims={2}  e = f32[2,128,128] exponential(s)  ROOT r = f32[2,128,32] "
     "dot(e, k), lhs_batch_dims={0}, "
     "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {"convolution",
     "x = f32[4,20,20,8] parameter(0)  w = f32[3,3,8,8] parameter(1)  ROOT r = f32[4,18,18,8] convolution(x, w), "
     "window={size=3x3}, dim_labels=b01f_01io->b01f"},
    {"convolution_gradient",
     "x = f32[2,9,9,8] parameter(0)  w = f32[3,3,8,8] parameter(1)  ROOT r = f32[2,19,19,8] convolution(x, w), "
     "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f"},
    {"loop",
     "i = s32[] constant(0)  x = f32[96,96] parameter(0)  t = (s32[], f32[96,96]) tuple(i, x)  ROOT w = (s32[], "
     "f32[96,96]) while(t), condition=more, body=step"},
    {"branches",
     "i = s32[] parameter(0)  x = f32[200,300] parameter(1)  ROOT r = f32[200,300] conditional(i, x, x), "
     "branch_computations={halved, squared}"},
    {"sort", "x = f32[3000] parameter(0)  ROOT r = f32[3000] sort(x), dimensions={0}, to_apply=before"},
    {"sort_rows", "x = f32[64,33] parameter(0)  ROOT r = f32[64,33] sort(x), dimensions={1}, to_apply=before"},
    {"sort_by_calls", "x = f32[500] parameter(0)  ROOT r = f32[500] sort(x), dimensions={0}, to_apply=by_size"},
    {"totals",
     "x = f32[5000] parameter(0)  z = f32[] constant(0)  ROOT r = f32[5000] reduce-window(x, z), window={size=5000 "
     "pad=4999_0}, to_apply=sum"},
    {"transpose", "x = f32[130,70] parameter(0)  ROOT r = f32[70,130] transpose(x), dimensions={1,0}"},
    {"transform", "x = f32[8,30] parameter(0)  ROOT r = c64[8,16] fft(x), fft_type=RFFT, fft_length={30}"},
    {"decomposition",
     "x = f32[4,4] parameter(0)  t = f32[4,4] transpose(x), dimensions={1,0}  p = f32[4,4] dot(x, t), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "c = f32[] constant(3)  b = f32[4,4] broadcast(c), dimensions={}  i = s32[4,4] iota(), iota_dimension=0  j = "
     "s32[4,4] iota(), iota_dimension=1  "
     "e = pred[4,4] compare(i, j), direction=EQ  z = f32[4,4] subtract(p, p)  d = f32[4,4] select(e, b, z)  a = "
     "f32[4,4] add(p, d)  ROOT l = f32[4,4] cholesky(a), lower=true"},
    {"triangular_solve",
     "x = f32[4,3] parameter(0)  a = f32[4,4] parameter(1)  ROOT r = f32[4,3] triangular-solve(a, x), left_side=true, "
     "lower=true, transpose_a=NO_TRANSPOSE"},
    {"one_operand_twice",
     "a = f32[4,4] parameter(0)  ROOT r = f32[4,4] triangular-solve(a, a), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE"},
    {"column_major_operands",
     "b = f32[8,2] parameter(0)  a = f32[8,8] parameter(1)  ROOT r = f32[8,2]{0,1} custom-call(a, b), "
     "custom_call_target=\"lapack_strsm_ffi\", "
     "operand_layout_constraints={f32[8,8]{0,1}, f32[8,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, "
     "backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}"},
    {"factors",
     "x = f32[6,4] parameter(0)  q = (f32[6,4], f32[4]) custom-call(x), custom_call_target=\"Qr\"  a = f32[6,4] "
     "get-tuple-element(q), index=0  "
     "t = f32[4] get-tuple-element(q), index=1  ROOT h = f32[6,4] custom-call(a, t), "
     "custom_call_target=\"ProductOfElementaryHouseholderReflectors\""},
    {"random",
     "a = f32[] parameter(0)  b = f32[] constant(4)  n = f32[50] rng(a, b), distribution=rng_normal  u = f32[50] "
     "rng(a, b), distribution=rng_uniform  "
     "ROOT r = f32[50] add(n, u)"},
    {"complex", "x = c64[30] parameter(0)  ROOT r = c64[30] exponential(x)"},
};

class AheadOfTime : public testing::TestWithParam<Case> {};
TEST_P(AheadOfTime, GivesTheBitsOfARun) {
  const Module module = programOf(GetParam().entry);
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  for (int i = 0; i < 2; ++i) expectSame(expected, call(library, arguments, expected));
}
// Builds are reproducible, and nothing of the compiler's memory is in an object.
TEST_P(AheadOfTime, IsTheSameEachTime) {
  const Module module = programOf(GetParam().entry);
  const auto first = objectOf(module);
  for (size_t bytes = 16; bytes < 1 << 16; bytes += 48) std::string(bytes, '\xa5');  // freed memory that is not zero
  const auto second = objectOf(module);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->bytes == second->bytes);
  EXPECT_EQ(first->header, second->header);
}

INSTANTIATE_TEST_SUITE_P(Steps, AheadOfTime, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::aot
