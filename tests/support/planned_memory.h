// A program of the steps that work in memory of their own, which the plan has sized: transposes, products,
// convolutions, sorts, top-k, transforms, prefix sums. Where a program runs on another machine than it was compiled on,
// its tuning constants are others: what was planned must do. Used by tests/unit/cpu/tuning_test and tests/aot.
#pragma once

namespace tessera::test {

inline constexpr const char* kPlannedMemory = R"(HloModule planned
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
before { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
first { a = f64[] parameter(0)  b = f64[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
by_size { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[] multiply(a, a)  y = f32[] multiply(b, b)
  z = f32[] add(x, y)  c = pred[] compare(x, z), direction=LT  d = pred[] compare(a, b), direction=GT
  ROOT r = pred[] and(c, d) }
ENTRY main {
  m = f32[520,512] parameter(0)
  transposed = f32[512,520] transpose(m), dimensions={1,0}
  w = bf16[520,516] parameter(1)
  narrow = bf16[516,520] transpose(w), dimensions={1,0}
  n = f32[40,50,128] parameter(2)
  runs = f32[50,40,128] transpose(n), dimensions={1,0,2}
  p = f32[701,100] parameter(3)
  q = f32[701,3] parameter(4)
  joined = f32[701,103] concatenate(p, q), dimensions={1}

  a = f32[300,520] parameter(5)
  product = f32[300,512] dot(a, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[64,512] parameter(6)
  across = f32[64,520] dot(c, m), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  few = f32[3,512] parameter(7)
  dots = f32[3,520] dot(few, m), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  g = f64[96,200] parameter(8)
  h = f64[200,120] parameter(9)
  wide = f64[96,120] dot(g, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = bf16[96,516] parameter(10)
  halves = bf16[96,520] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  query = f32[2,256,32] parameter(11)
  scores = f32[2,256,256] dot(query, query), lhs_batch_dims={0}, rhs_batch_dims={0},
    lhs_contracting_dims={2}, rhs_contracting_dims={2}
  weights = f32[2,256,256] tanh(scores)
  attended = f32[2,256,32] dot(weights, query), lhs_batch_dims={0}, rhs_batch_dims={0},
    lhs_contracting_dims={2}, rhs_contracting_dims={1}

  image = f32[4,32,32,8] parameter(12)
  filter = f32[3,3,8,16] parameter(13)
  convolved = f32[4,32,32,16] convolution(image, filter),
    window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  ended = f32[4,32,32,16] tanh(convolved)
  back = f32[3,3,8,8] parameter(14)
  gradient = f32[4,65,65,8] convolution(image, back),
    window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f

  line = f32[150000] parameter(15)
  sorted = f32[150000] sort(line), dimensions={0}, to_apply=before
  rows = f32[300,512] sort(product), dimensions={1}, to_apply=before
  columns = f32[300,512] sort(product), dimensions={0}, to_apply=before
  keys = f64[70000] parameter(16)
  order = s32[70000] iota(), iota_dimension=0
  pairs = (f64[70000], s32[70000]) sort(keys, order), dimensions={0}, is_stable=true, to_apply=first
  places = s32[70000] get-tuple-element(pairs), index=1
  some = f32[9000] slice(line), slice={[0:9000]}
  called = f32[9000] sort(some), dimensions={0}, to_apply=by_size
  lines = f32[3,50000] reshape(line)
  best = (f32[3,5], s32[3,5]) topk(lines), k=5, largest=true
  values = f32[3,5] get-tuple-element(best), index=0

  spectrum = c64[300,261] fft(a), fft_type=RFFT, fft_length={520}
  long = c64[75001] fft(line), fft_type=RFFT, fft_length={150000}
  zero = f32[] constant(0)
  totals = f32[150000] reduce-window(line, zero), window={size=150000 pad=149999_0}, to_apply=sum

  ROOT all = (f32[512,520], bf16[516,520], f32[50,40,128], f32[701,103], f32[300,512], f32[64,520], f32[3,520],
    f64[96,120], bf16[96,520], f32[2,256,32], f32[4,32,32,16], f32[4,65,65,8], f32[150000], f32[300,512], f32[300,512],
    s32[70000], f32[9000], f32[3,5], c64[300,261], c64[75001], f32[150000])
    tuple(transposed, narrow, runs, joined, product, across, dots, wide, halves, attended, ended, gradient, sorted,
    rows, columns, places, called, values, spectrum, long, totals)
}
)";

}  // namespace tessera::test
