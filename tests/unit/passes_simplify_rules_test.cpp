// Every rule of simplify has a program here on which it fires; before and after give the same values, with NaN,
// infinities, both zeros and the extreme integers among the arguments. And programs on which a tempting rule must not
// fire.
#include <algorithm>
#include <set>

#include "core/passes/dead_code.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes_text.h"

namespace tessera::test {
namespace {

struct Case {
  std::string_view rule;
  std::string_view program;  // instructions, separated by "; "
};

constexpr std::string_view kComputations = R"(HloModule m
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
most { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] maximum(a, b) }
whole { a = s32[] parameter(0)
 b = s32[] parameter(1)
 ROOT c = s32[] add(a, b) }
second { a = f32[] parameter(0)
 ROOT b = f32[] parameter(1) }
less { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = pred[] compare(a, b), direction=LT }
)";

constexpr Case kCases[] = {
    {"x + 0 = x",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "add(x, z)"},
    {"x + 0 = x",
     "x = f32[11] parameter(0); c = f32[] constant(-0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "add(z, x)"},
    {"x + -y = x - y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); n = f32[11] negate(y); ROOT r = f32[11] add(n, x)"},
    {"(x + c) + d = x + (c + d)",
     "x = s8[11] parameter(0); c = s8[] constant(100); d = s8[] constant(90); e = s8[11] broadcast(c), dimensions={}; "
     "f = s8[11] broadcast(d), dimensions={}; y = s8[11] add(x, e); ROOT r = s8[11] add(y, f)"},
    {"x - 0 = x",
     "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "subtract(x, z)"},
    {"x - x = 0", "x = u8[11] parameter(0); ROOT r = u8[11] subtract(x, x)"},
    {"x - -y = x + y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); n = f32[11] negate(y); ROOT r = f32[11] subtract(x, n)"},
    {"0 - x = -x",
     "x = f32[11] parameter(0); c = f32[] constant(-0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "subtract(z, x)"},
    {"0 - x = -x",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "subtract(z, x)"},
    {"x - c = x + -c",
     "x = s32[11] parameter(0); c = s32[] constant(-2147483648); z = s32[11] broadcast(c), dimensions={}; ROOT r = "
     "s32[11] subtract(x, z)"},
    {"x * 1 = x",
     "x = f32[11] parameter(0); c = f32[] constant(1); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "multiply(x, z)"},
    {"x * 0 = 0",
     "x = s64[11] parameter(0); c = s64[] constant(0); z = s64[11] broadcast(c), dimensions={}; ROOT r = s64[11] "
     "multiply(x, z)"},
    {"x * -1 = -x",
     "x = f32[11] parameter(0); c = f32[] constant(-1); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "multiply(z, x)"},
    {"-x * -y = x * y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); m = f32[11] negate(x); n = f32[11] negate(y); ROOT r = "
     "f32[11] multiply(m, n)"},
    {"(x * c) * d = x * (c * d)",
     "x = s32[11] parameter(0); c = s32[] constant(65537); d = s32[] constant(-65539); e = s32[11] broadcast(c), "
     "dimensions={}; f = s32[11] broadcast(d), dimensions={}; y = s32[11] multiply(x, e); ROOT r = s32[11] multiply(y, "
     "f)"},
    {"x / 1 = x",
     "x = s32[11] parameter(0); c = s32[] constant(1); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "divide(x, z)"},
    {"x / -1 = -x",
     "x = s32[11] parameter(0); c = s32[] constant(-1); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "divide(x, z)"},
    {"-x / -y = x / y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); m = f32[11] negate(x); n = f32[11] negate(y); ROOT r = "
     "f32[11] divide(m, n)"},
    {"x / 2^k = x * 2^-k",
     "x = f32[11] parameter(0); c = f32[] constant(-8); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "divide(x, z)"},
    {"unsigned x / 2^k = x >> k",
     "x = u32[11] parameter(0); c = u32[] constant(16); z = u32[11] broadcast(c), dimensions={}; ROOT r = u32[11] "
     "divide(x, z)"},
    {"unsigned x % 2^k = x & (2^k - 1)",
     "x = u64[11] parameter(0); c = u64[] constant(8); z = u64[11] broadcast(c), dimensions={}; ROOT r = u64[11] "
     "remainder(x, z)"},
    {"x % 1 = 0",
     "x = s32[11] parameter(0); c = s32[] constant(1); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "remainder(x, z)"},
    {"x ^ 1 = x",
     "x = f32[11] parameter(0); c = f32[] constant(1); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "power(x, z)"},
    {"x ^ 0 = 1",
     "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "power(x, z)"},
    {"x ^ 2 = x * x, up to rounding",
     "x = f32[11] parameter(0); c = f32[] constant(3); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "power(x, z)"},
    {"x ^ -1 = 1 / x, up to rounding",
     "x = f32[11] parameter(0); c = f32[] constant(-1); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "power(x, z)"},
    {"x ^ 0.5 = sqrt x for x >= 0, up to rounding",
     "x = f32[11] parameter(0); a = f32[11] abs(x); c = f32[] constant(0.5); z = f32[11] broadcast(c), dimensions={}; "
     "ROOT r = f32[11] power(a, z)"},
    {"-(-x) = x", "x = f32[11] parameter(0); n = f32[11] negate(x); ROOT r = f32[11] negate(n)"},
    {"-(x - y) = y - x",
     "x = s32[11] parameter(0); y = s32[11] parameter(1); d = s32[11] subtract(x, y); ROOT r = s32[11] negate(d)"},
    {"|x| = x for x >= 0", "x = f32[11] parameter(0); s = f32[11] multiply(x, x); ROOT r = f32[11] abs(s)"},
    {"|-x| = |x|", "x = f32[11] parameter(0); n = f32[11] negate(x); ROOT r = f32[11] abs(n)"},
    {"a whole number is its floor", "x = f32[11] parameter(0); n = f32[11] ceil(x); ROOT r = f32[11] floor(n)"},
    {"a whole number is its ceiling",
     "x = f32[11] parameter(0); n = f32[11] round-nearest-even(x); ROOT r = f32[11] ceil(n)"},
    {"a whole number is rounded",
     "x = f32[11] parameter(0); n = f32[11] floor(x); ROOT r = f32[11] round-nearest-afz(n)"},
    {"a whole number is rounded to even",
     "x = f32[11] parameter(0); n = f32[11] round-nearest-afz(x); ROOT r = f32[11] round-nearest-even(n)"},
    {"max(x, x) = x", "x = f32[11] parameter(0); ROOT r = f32[11] maximum(x, x)"},
    {"min(x, x) = x", "x = f32[11] parameter(0); ROOT r = f32[11] minimum(x, x)"},
    {"max(x, lowest) = x",
     "x = f32[11] parameter(0); c = f32[] constant(-inf); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
     "maximum(x, z)"},
    {"max(x, lowest) = x",
     "x = s8[11] parameter(0); c = s8[] constant(-128); z = s8[11] broadcast(c), dimensions={}; ROOT r = s8[11] "
     "maximum(z, x)"},
    {"min(x, highest) = x",
     "x = u16[11] parameter(0); c = u16[] constant(65535); z = u16[11] broadcast(c), dimensions={}; ROOT r = u16[11] "
     "minimum(z, x)"},
    {"max(max(x, y), y) = max(x, y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); m = f32[11] maximum(x, y); ROOT r = f32[11] maximum(y, m)"},
    {"min(min(x, y), y) = min(x, y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); m = f32[11] minimum(x, y); ROOT r = f32[11] minimum(m, x)"},
    {"clamp(l, clamp(l, x, h), h) = clamp(l, x, h)",
     "x = f32[11] parameter(0); l = f32[11] parameter(1); h = f32[11] parameter(2); m = f32[11] clamp(l, x, h); ROOT r "
     "= f32[11] clamp(l, m, h)"},
    {"x << 0 = x",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "shift-left(x, z)"},
    {"x >> 0 = x, logical",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "shift-right-logical(x, z)"},
    {"x >> 0 = x, arithmetic",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "shift-right-arithmetic(x, z)"},
    {"x << width = 0",
     "x = s32[11] parameter(0); c = s32[] constant(32); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "shift-left(x, z)"},
    {"x >> width = 0",
     "x = u8[11] parameter(0); c = u8[] constant(9); z = u8[11] broadcast(c), dimensions={}; ROOT r = u8[11] "
     "shift-right-logical(x, z)"},
    {"real(complex(x, y)) = x",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); z = c64[11] complex(x, y); ROOT r = f32[11] real(z)"},
    {"imag(complex(x, y)) = y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); z = c64[11] complex(x, y); ROOT r = f32[11] imag(z)"},
    {"complex(real(z), imag(z)) = z",
     "z = c64[11] parameter(0); x = f32[11] real(z); y = f32[11] imag(z); ROOT r = c64[11] complex(x, y)"},
    {"exp(broadcast x) = broadcast(exp x)",
     "x = f32[11] parameter(0); b = f32[2,11] broadcast(x), dimensions={1}; ROOT r = f32[2,11] exponential(b)"},
    {"log(broadcast x) = broadcast(log x)",
     "x = f32[11] parameter(0); b = f32[2,11] broadcast(x), dimensions={1}; ROOT r = f32[2,11] log(b)"},
    {"-(broadcast x) = broadcast(-x)",
     "x = f32[11] parameter(0); b = f32[2,11] broadcast(x), dimensions={1}; ROOT r = f32[2,11] negate(b)"},
    {"|broadcast x| = broadcast |x|",
     "x = c64[11] parameter(0); b = c64[2,11] broadcast(x), dimensions={1}; ROOT r = f32[2,11] abs(b)"},
    {"sqrt(broadcast x) = broadcast(sqrt x)",
     "x = f32[] parameter(0); b = f32[2] broadcast(x), dimensions={}; ROOT r = f32[2] sqrt(b)"},
    {"rsqrt(broadcast x) = broadcast(rsqrt x)",
     "x = f32[] parameter(0); b = f32[2] broadcast(x), dimensions={}; ROOT r = f32[2] rsqrt(b)"},
    {"tanh(broadcast x) = broadcast(tanh x)",
     "x = f32[] parameter(0); b = f32[2] broadcast(x), dimensions={}; ROOT r = f32[2] tanh(b)"},
    {"convert(broadcast x) = broadcast(convert x)",
     "x = s32[11] parameter(0); b = s32[11,2] broadcast(x), dimensions={0}; ROOT r = f32[11,2] convert(b)"},
    {"not(broadcast x) = broadcast(not x)",
     "x = pred[11] parameter(0); b = pred[11,2] broadcast(x), dimensions={0}; ROOT r = pred[11,2] not(b)"},
    {"broadcast x + broadcast y = broadcast(x + y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); a = f32[11,2] broadcast(x), dimensions={0}; b = f32[11,2] "
     "broadcast(y), dimensions={0}; ROOT r = f32[11,2] add(a, b)"},
    {"broadcast x - broadcast y = broadcast(x - y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); a = f32[11,2] broadcast(x), dimensions={0}; b = f32[11,2] "
     "broadcast(y), dimensions={0}; ROOT r = f32[11,2] subtract(a, b)"},
    {"broadcast x * broadcast y = broadcast(x * y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); a = f32[11,2] broadcast(x), dimensions={0}; b = f32[11,2] "
     "broadcast(y), dimensions={0}; ROOT r = f32[11,2] multiply(a, b)"},
    {"broadcast x / broadcast y = broadcast(x / y)",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); a = f32[11,2] broadcast(x), dimensions={0}; b = f32[11,2] "
     "broadcast(y), dimensions={0}; ROOT r = f32[11,2] divide(a, b)"},
    {"max of broadcasts = broadcast of max",
     "x = f32[] parameter(0); y = f32[] parameter(1); a = f32[2] broadcast(x), dimensions={}; b = f32[2] broadcast(y), "
     "dimensions={}; ROOT r = f32[2] maximum(a, b)"},
    {"min of broadcasts = broadcast of min",
     "x = f32[] parameter(0); y = f32[] parameter(1); a = f32[2] broadcast(x), dimensions={}; b = f32[2] broadcast(y), "
     "dimensions={}; ROOT r = f32[2] minimum(a, b)"},
    {"power of broadcasts = broadcast of power",
     "x = f32[] parameter(0); y = f32[] parameter(1); a = f32[2] broadcast(x), dimensions={}; b = f32[2] broadcast(y), "
     "dimensions={}; ROOT r = f32[2] power(a, b)"},
    {"compare of broadcasts = broadcast of compare",
     "x = f32[] parameter(0); y = f32[] parameter(1); a = f32[2] broadcast(x), dimensions={}; b = f32[2] broadcast(y), "
     "dimensions={}; ROOT r = pred[2] compare(a, b), direction=GE"},
    {"and of broadcasts = broadcast of and",
     "x = s32[] parameter(0); y = s32[] parameter(1); a = s32[2] broadcast(x), dimensions={}; b = s32[2] broadcast(y), "
     "dimensions={}; ROOT r = s32[2] and(a, b)"},
    {"or of broadcasts = broadcast of or",
     "x = s32[] parameter(0); y = s32[] parameter(1); a = s32[2] broadcast(x), dimensions={}; b = s32[2] broadcast(y), "
     "dimensions={}; ROOT r = s32[2] or(a, b)"},
    // --- bits, comparisons, selects, conversions
    {"and(x, x) = x", "x = s32[11] parameter(0); ROOT r = s32[11] and(x, x)"},
    {"or(x, x) = x", "x = s32[11] parameter(0); ROOT r = s32[11] or(x, x)"},
    {"and(x, 0) = 0",
     "x = pred[11] parameter(0); c = pred[] constant(false); z = pred[11] broadcast(c), dimensions={}; ROOT r = "
     "pred[11] and(x, z)"},
    {"or(x, 0) = x",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] or(z, "
     "x)"},
    {"xor(x, 0) = x",
     "x = s32[11] parameter(0); c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "xor(z, x)"},
    {"and(x, ones) = x",
     "x = u8[11] parameter(0); c = u8[] constant(255); z = u8[11] broadcast(c), dimensions={}; ROOT r = u8[11] and(x, "
     "z)"},
    {"or(x, ones) = ones",
     "x = s32[11] parameter(0); c = s32[] constant(-1); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
     "or(x, z)"},
    {"xor(x, ones) = not x",
     "x = pred[11] parameter(0); c = pred[] constant(true); z = pred[11] broadcast(c), dimensions={}; ROOT r = "
     "pred[11] xor(x, z)"},
    {"and(x, not x) = 0", "x = s32[11] parameter(0); n = s32[11] not(x); ROOT r = s32[11] and(n, x)"},
    {"or(x, not x) = ones", "x = s32[11] parameter(0); n = s32[11] not(x); ROOT r = s32[11] or(x, n)"},
    {"xor(x, x) = 0", "x = s32[11] parameter(0); ROOT r = s32[11] xor(x, x)"},
    {"and(x, or(x, y)) = x",
     "x = s32[11] parameter(0); y = s32[11] parameter(1); o = s32[11] or(y, x); ROOT r = s32[11] and(x, o)"},
    {"or(x, and(x, y)) = x",
     "x = s32[11] parameter(0); y = s32[11] parameter(1); o = s32[11] and(y, x); ROOT r = s32[11] or(o, x)"},
    {"not not x = x", "x = s32[11] parameter(0); n = s32[11] not(x); ROOT r = s32[11] not(n)"},
    {"not(x < y) = x >= y",
     "x = s32[11] parameter(0); y = s32[11] parameter(1); c = pred[11] compare(x, y), direction=LT; ROOT r = pred[11] "
     "not(c)"},
    {"not(x < y) = x >= y",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); c = pred[11] compare(x, y), direction=EQ; ROOT r = pred[11] "
     "not(c)"},
    {"x = x", "x = s32[11] parameter(0); ROOT r = pred[11] compare(x, x), direction=LE"},
    {"x = x", "x = f32[11] parameter(0); ROOT r = pred[11] compare(x, x), direction=GT"},
    {"(x == true) = x",
     "x = pred[11] parameter(0); c = pred[] constant(false); z = pred[11] broadcast(c), dimensions={}; ROOT r = "
     "pred[11] compare(x, z), direction=EQ"},
    {"(convert(pred x) != 0) = x",
     "x = pred[11] parameter(0); y = f32[11] convert(x); c = f32[] constant(0); z = f32[11] broadcast(c), "
     "dimensions={}; ROOT r = pred[11] compare(y, z), direction=NE"},
    {"unsigned x < 0 is false",
     "x = u32[11] parameter(0); c = u32[] constant(0); z = u32[11] broadcast(c), dimensions={}; ROOT r = pred[11] "
     "compare(x, z), direction=LT"},
    {"iota < size is true",
     "i = s32[3,11] iota(), iota_dimension=1; c = s32[] constant(11); z = s32[3,11] broadcast(c), dimensions={}; ROOT "
     "r = pred[3,11] compare(i, z), direction=LT"},
    {"iota < size is true",
     "i = s32[11] iota(), iota_dimension=0; c = s32[] constant(0); z = s32[11] broadcast(c), dimensions={}; ROOT r = "
     "pred[11] compare(i, z), direction=LT"},
    {"select(c, x, x) = x", "c = pred[11] parameter(0); x = f32[11] parameter(1); ROOT r = f32[11] select(c, x, x)"},
    {"select(true, x, y) = x",
     "x = f32[11] parameter(0); y = f32[11] parameter(1); c = pred[] constant(false); b = pred[11] broadcast(c), "
     "dimensions={}; ROOT r = f32[11] select(b, x, y)"},
    {"select(not c, x, y) = select(c, y, x)",
     "c = pred[11] parameter(0); x = f32[11] parameter(1); y = f32[11] parameter(2); n = pred[11] not(c); ROOT r = "
     "f32[11] select(n, x, y)"},
    {"select(c, true, false) = c",
     "c = pred[11] parameter(0); t = pred[] constant(true); f = pred[] constant(false); x = pred[11] broadcast(t), "
     "dimensions={}; y = pred[11] broadcast(f), dimensions={}; ROOT r = pred[11] select(c, y, x)"},
    {"select(c, true, false) = c",
     "c = pred[11] parameter(0); x = pred[11] parameter(1); f = pred[] constant(false); y = pred[11] broadcast(f), "
     "dimensions={}; ROOT r = pred[11] select(c, x, y)"},
    {"select(c, select(c, x, y), z) = select(c, x, z)",
     "c = pred[11] parameter(0); x = f32[11] parameter(1); y = f32[11] parameter(2); z = f32[11] parameter(3); s = "
     "f32[11] select(c, y, z); ROOT r = f32[11] select(c, x, s)"},
    {"convert to the same type", "x = f32[11] parameter(0); ROOT r = f32[11] convert(x)"},
    {"convert(convert x) = convert x", "x = s8[11] parameter(0); y = s32[11] convert(x); ROOT r = u16[11] convert(y)"},
    {"convert(convert x) = convert x",
     "x = bf16[11] parameter(0); y = f32[11] convert(x); ROOT r = bf16[11] convert(y)"},
    {"convert(convert x) = convert x", "x = f16[11] parameter(0); y = f32[11] convert(x); ROOT r = s8[11] convert(y)"},
    {"bitcast-convert to the same type", "x = f32[11] parameter(0); ROOT r = f32[11] bitcast-convert(x)"},
    {"bitcast-convert(bitcast-convert x) = bitcast-convert x",
     "x = f32[11] parameter(0); y = s32[11] bitcast-convert(x); ROOT r = u32[11] bitcast-convert(y)"},
    {"reduce-precision to the type's own",
     "x = f32[11] parameter(0); ROOT r = f32[11] reduce-precision(x), exponent_bits=8, mantissa_bits=23"},
    // --- shapes
    {"reshape to the same shape", "x = f32[3,4] parameter(0); ROOT r = f32[3,4] reshape(x)"},
    {"reshape(reshape x) = reshape x",
     "x = f32[3,4] parameter(0); y = f32[12] reshape(x); ROOT r = f32[2,6] reshape(y)"},
    {"reshape(broadcast x) = broadcast x",
     "x = f32[] parameter(0); y = f32[12] broadcast(x), dimensions={}; ROOT r = f32[2,6] reshape(y)"},
    {"reshape(broadcast x) = broadcast x",
     "x = f32[3,4] parameter(0); y = f32[3,2,4] broadcast(x), dimensions={0,2}; ROOT r = f32[3,1,2,4,1] reshape(y)"},
    {"broadcast to the same shape", "x = f32[3,4] parameter(0); ROOT r = f32[3,4] broadcast(x), dimensions={0,1}"},
    {"broadcast(broadcast x) = broadcast x",
     "x = f32[3] parameter(0); y = f32[4,3] broadcast(x), dimensions={1}; ROOT r = f32[4,2,3] broadcast(y), "
     "dimensions={0,2}"},
    {"broadcast(reshape x) = broadcast x",
     "x = f32[3] parameter(0); y = f32[1,3] reshape(x); ROOT r = f32[1,2,3] broadcast(y), dimensions={0,2}"},
    {"a broadcast that adds ones is a reshape",
     "x = f32[3] parameter(0); ROOT r = f32[1,3,1] broadcast(x), dimensions={1}"},
    {"transpose of nothing", "x = f32[3,4] parameter(0); ROOT r = f32[3,4] transpose(x), dimensions={0,1}"},
    {"transpose(transpose x) = transpose x",
     "x = f32[2,3,4] parameter(0); y = f32[4,2,3] transpose(x), dimensions={2,0,1}; ROOT r = f32[3,2,4] transpose(y), "
     "dimensions={2,1,0}"},
    {"a transpose that moves ones is a reshape",
     "x = f32[3,1,4] parameter(0); ROOT r = f32[1,3,4] transpose(x), dimensions={1,0,2}"},
    {"transpose(broadcast x) = broadcast x",
     "x = f32[3] parameter(0); y = f32[3,4] broadcast(x), dimensions={0}; ROOT r = f32[4,3] transpose(y), "
     "dimensions={1,0}"},
    {"transpose(concatenate x) = concatenate x where only ones move",
     "x = f32[1,7] parameter(0); y = f32[1,7] parameter(1); c = f32[2,7] concatenate(x, y), dimensions={0}; ROOT r = "
     "f32[7,2] transpose(c), dimensions={1,0}"},
    {"transpose(dot(x, y)) = dot(y, x)",
     "x = f32[2,3,5] parameter(0); y = f32[2,4,5] parameter(1); d = f32[2,3,4] dot(x, y), lhs_batch_dims={0}, "
     "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}; ROOT r = f32[2,4,3] transpose(d), "
     "dimensions={0,2,1}"},
    {"reverse of size 1", "x = f32[1,4] parameter(0); ROOT r = f32[1,4] reverse(x), dimensions={0}"},
    {"reverse(reverse x) = x",
     "x = f32[3,4] parameter(0); y = f32[3,4] reverse(x), dimensions={0,1}; ROOT r = f32[3,4] reverse(y), "
     "dimensions={1}"},
    {"reverse(broadcast x) = broadcast x",
     "x = f32[4] parameter(0); y = f32[3,4] broadcast(x), dimensions={1}; ROOT r = f32[3,4] reverse(y), "
     "dimensions={0,1}"},
    {"copy to the same layout", "x = f32[3,4]{1,0} parameter(0); ROOT r = f32[3,4]{1,0} copy(x)"},
    {"bitcast to the same shape", "x = f32[3,4]{1,0} parameter(0); ROOT r = f32[3,4]{1,0} bitcast(x)"},
    {"get-tuple-element(tuple) = the element",
     "x = f32[3] parameter(0); y = s32[2] parameter(1); t = (f32[3], s32[2]) tuple(x, y); ROOT r = s32[2] "
     "get-tuple-element(t), index=1"},
    {"tuple of all elements of x = x",
     "t = (f32[3], s32[2]) parameter(0); x = f32[3] get-tuple-element(t), index=0; y = s32[2] get-tuple-element(t), "
     "index=1; ROOT r = (f32[3], s32[2]) tuple(x, y)"},
    // --- slices
    {"slice of all", "x = f32[3,4] parameter(0); ROOT r = f32[3,4] slice(x), slice={[0:3], [0:4]}"},
    {"slice(slice x) = slice x",
     "x = f32[40] parameter(0); y = f32[12] slice(x), slice={[2:37:3]}; ROOT r = f32[5] slice(y), slice={[1:11:2]}"},
    {"slice(broadcast x) = broadcast(slice x)",
     "x = f32[9] parameter(0); y = f32[7,9] broadcast(x), dimensions={1}; ROOT r = f32[2,4] slice(y), slice={[3:5], "
     "[1:8:2]}"},
    {"slice(concatenate) = its pieces",
     "x = f32[4] parameter(0); y = f32[5] parameter(1); z = f32[9] concatenate(x, y), dimensions={0}; ROOT r = f32[2] "
     "slice(z), slice={[5:9:2]}"},
    {"slice(concatenate) = its pieces",
     "x = f32[4] parameter(0); y = f32[5] parameter(1); w = f32[3] parameter(2); z = f32[12] concatenate(x, y, w), "
     "dimensions={0}; ROOT r = f32[5] slice(z), slice={[2:7]}"},
    {"slice(pad x) = slice x",
     "x = f32[4] parameter(0); c = f32[] constant(9); z = f32[9] pad(x, c), padding=2_3; ROOT r = f32[2] slice(z), "
     "slice={[3:6:2]}"},
    {"slice(pad x) = slice x",
     "x = f32[4] parameter(0); c = f32[] parameter(1); z = f32[9] pad(x, c), padding=2_3; ROOT r = f32[2] slice(z), "
     "slice={[6:8]}"},
    {"slice(reverse x) = reverse(slice x)",
     "x = f32[9] parameter(0); z = f32[9] reverse(x), dimensions={0}; ROOT r = f32[3] slice(z), slice={[1:8:3]}"},
    {"concatenate of one", "x = f32[4] parameter(0); ROOT r = f32[4] concatenate(x), dimensions={0}"},
    {"concatenate of concatenates, without empty pieces",
     "x = f32[4] parameter(0); y = f32[5] parameter(1); e = f32[0] parameter(2); z = f32[9] concatenate(x, y), "
     "dimensions={0}; ROOT r = f32[13] concatenate(z, e, x), dimensions={0}"},
    {"concatenate of neighbouring slices = a slice",
     "x = f32[3,9] parameter(0); a = f32[2,3] slice(x), slice={[1:3], [1:4]}; b = f32[2,4] slice(x), slice={[1:3], "
     "[4:8]}; ROOT r = f32[2,7] concatenate(a, b), dimensions={1}"},
    {"concatenate with repeated scalars = pad",
     "x = f32[4] parameter(0); c = f32[] parameter(1); a = f32[2] broadcast(c), dimensions={}; b = f32[3] "
     "broadcast(c), dimensions={}; ROOT r = f32[9] concatenate(a, x, b), dimensions={0}"},
    {"concatenate with repeated scalars = pad",
     "c = f32[] parameter(0); a = f32[2] broadcast(c), dimensions={}; b = f32[3] broadcast(c), dimensions={}; ROOT r = "
     "f32[5] concatenate(a, b), dimensions={0}"},
    {"pad of nothing", "x = f32[4] parameter(0); c = f32[] constant(9); ROOT r = f32[4] pad(x, c), padding=0_0"},
    {"a pad that takes away is a slice",
     "x = f32[3,9] parameter(0); c = f32[] constant(9); ROOT r = f32[3,6] pad(x, c), padding=0_0x-1_-2"},
    {"pad(pad x) = pad x",
     "x = f32[4] parameter(0); c = f32[] constant(9); y = f32[7] pad(x, c), padding=1_2; ROOT r = f32[11] pad(y, c), "
     "padding=4_0"},
    {"pad of its own value",
     "c = f32[] constant(9); x = f32[4] broadcast(c), dimensions={}; ROOT r = f32[7] pad(x, c), padding=1_2"},
    // --- reductions
    {"reduce of nothing = the initial value",
     "x = f32[3,0] parameter(0); c = f32[] parameter(1); ROOT r = f32[3] reduce(x, c), dimensions={1}, to_apply=sum"},
    {"reduce of size 1 = reshape",
     "x = f32[11] parameter(0); c = f32[] constant(7); ROOT r = f32[11] reduce(x, c), dimensions={}, to_apply=sum"},
    {"reduce of size 1 = reshape",
     "x = f32[11,1] parameter(0); c = f32[] constant(0); ROOT r = f32[11] reduce(x, c), dimensions={1}, to_apply=sum"},
    {"reduce of size 1 = reshape",
     "x = f32[11,1] parameter(0); c = f32[] constant(-inf); ROOT r = f32[11] reduce(x, c), dimensions={1}, "
     "to_apply=most"},
    {"reduce(transpose x) = reduce x, regrouped",
     "x = f32[3,4,5] parameter(0); y = f32[5,3,4] transpose(x), dimensions={2,0,1}; c = f32[] constant(0); ROOT r = "
     "f32[3] reduce(y, c), dimensions={0,2}, to_apply=sum"},
    {"reduce(reshape x) = reduce x",
     "x = f32[6,4,5] parameter(0); y = f32[2,3,1,20] reshape(x); c = f32[] constant(0); ROOT r = f32[2,3,1] reduce(y, "
     "c), dimensions={3}, to_apply=sum"},
    {"reduce(reduce x) = reduce x, regrouped",
     "x = f32[3,4,5] parameter(0); c = f32[] constant(-inf); y = f32[3,5] reduce(x, c), dimensions={1}, to_apply=most; "
     "d = f32[] parameter(1); ROOT r = f32[5] reduce(y, d), dimensions={0}, to_apply=most"},
    {"reduce(broadcast x) = n * x, up to rounding",
     "x = f32[11] parameter(0); c = f32[] constant(0); y = f32[3,11,2] broadcast(x), dimensions={1}; ROOT r = f32[11] "
     "reduce(y, c), dimensions={0,2}, to_apply=sum"},
    {"reduce(broadcast x) = n * x, up to rounding",
     "x = s32[11] parameter(0); c = s32[] parameter(1); y = s32[3,11,2] broadcast(x), dimensions={1}; ROOT r = "
     "s32[11,2] reduce(y, c), dimensions={0}, to_apply=whole"},
    {"reduce(broadcast x) = n * x, up to rounding",
     "x = f32[11] parameter(0); c = f32[] constant(1); y = f32[3,11] broadcast(x), dimensions={1}; ROOT r = f32[11] "
     "reduce(y, c), dimensions={0}, to_apply=most"},
    {"reduce(pad x) = reduce x",
     "x = f32[11,2] parameter(0); c = f32[] constant(0); y = f32[11,5] pad(x, c), padding=0_0x1_2; ROOT r = f32[11] "
     "reduce(y, c), dimensions={1}, to_apply=sum"},
    {"reduce(concatenate) = sum of reduces, regrouped",
     "x = f32[3,4] parameter(0); y = f32[3,2] parameter(1); w = f32[3,6] parameter(2); k = f32[] parameter(3); b = "
     "f32[3,6] broadcast(k), dimensions={}; a = f32[3,6] concatenate(x, y), dimensions={1}; d = f32[3,6] "
     "subtract(a, w); e = f32[3,6] multiply(d, d); g = f32[3,6] multiply(e, b); z = f32[] constant(0); ROOT r = f32[3] "
     "reduce(g, z), dimensions={1}, to_apply=sum"},
    {"reduce(concatenate) = sum of reduces, regrouped",
     "x = f32[4] parameter(0); y = f32[3] parameter(1); v = f32[4] parameter(2); w = f32[3] parameter(3); a = f32[7] "
     "concatenate(x, y), dimensions={0}; b = f32[7] concatenate(v, w), dimensions={0}; c = pred[7] compare(a, b), "
     "direction=LT; d = f32[7] select(c, a, b); z = f32[] constant(-inf); ROOT r = f32[] reduce(d, z), dimensions={0}, "
     "to_apply=most"},
    {"reduce(concatenate) = sum of reduces, regrouped",
     "x = f32[3,2] parameter(0); z = f32[3,4] parameter(1); c = f32[] constant(0); y = f32[3,6] concatenate(x, z), "
     "dimensions={1}; ROOT r = f32[3] reduce(y, c), dimensions={1}, to_apply=sum"},
    {"reduce-window of single elements",
     "x = f32[11] parameter(0); c = f32[] constant(0); ROOT r = f32[11] reduce-window(x, c), window={size=1}, "
     "to_apply=sum"},
    {"reduce-window(pad x) = reduce-window x",
     "x = f32[11] parameter(0); c = f32[] constant(-inf); y = f32[14] pad(x, c), padding=1_2; ROOT r = f32[6] "
     "reduce-window(y, c), window={size=3 stride=2}, to_apply=most"},
    // --- products
    {"dot of nothing = 0",
     "x = f32[3,0] parameter(0); y = f32[0,4] parameter(1); ROOT r = f32[3,4] dot(x, y), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}"},
    {"dot over one element = multiply",
     "x = f32[2,3,1] parameter(0); y = f32[2,1,4] parameter(1); ROOT r = f32[2,3,4] dot(x, y), lhs_batch_dims={0}, "
     "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {"dot(transpose x, y) = dot(x, y)",
     "x = f32[5,3] parameter(0); y = f32[4,5] parameter(1); a = f32[3,5] transpose(x), dimensions={1,0}; b = f32[5,4] "
     "transpose(y), dimensions={1,0}; ROOT r = f32[3,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"convolution with one element = dot",
     "x = f32[2,3,4,5] parameter(0); k = f32[1,1,5,6] parameter(1); ROOT r = f32[2,3,4,6] convolution(x, k), "
     "window={size=1x1}, dim_labels=b01f_01io->b01f"},
    {"convolution(pad x) = convolution x",
     "x = f32[1,6,5] parameter(0); c = f32[] constant(0); y = f32[1,9,5] pad(x, c), padding=0_0x1_2x0_0; k = "
     "f32[3,5,2] "
     "constant({{{1,2},{3,4},{5,6},{7,8},{9,1}},{{1,2},{3,4},{5,6},{7,8},{9,1}},{{1,2},{3,4},{5,6},{7,8},{9,1}}}); "
     "ROOT r = f32[1,7,2] convolution(y, k), window={size=3}, dim_labels=b0f_0io->b0f"},
    {"convolution(reverse kernel) = reversed window",
     "x = f32[1,6,5] parameter(0); k = f32[3,5,2] parameter(1); t = f32[3,5,2] reverse(k), dimensions={0}; ROOT r = "
     "f32[1,4,2] convolution(x, t), window={size=3}, dim_labels=b0f_0io->b0f"},
    // --- indices
    {"dynamic-slice of all",
     "x = f32[3,4] parameter(0); i = s32[] parameter(1); ROOT r = f32[3,4] dynamic-slice(x, i, i), "
     "dynamic_slice_sizes={3,4}"},
    {"dynamic-slice at constants = slice",
     "x = f32[3,4] parameter(0); i = s32[] constant(-3); j = s32[] constant(3); ROOT r = f32[2,2] dynamic-slice(x, i, "
     "j), dynamic_slice_sizes={2,2}"},
    {"dynamic-slice(broadcast x) = broadcast x",
     "x = f32[] parameter(0); y = f32[9] broadcast(x), dimensions={}; i = s32[] parameter(1); ROOT r = f32[2] "
     "dynamic-slice(y, i), dynamic_slice_sizes={2}"},
    {"dynamic-slice of what was written there",
     "x = f32[9] parameter(0); u = f32[2] parameter(1); i = s32[] parameter(2); y = f32[9] dynamic-update-slice(x, u, "
     "i); ROOT r = f32[2] dynamic-slice(y, i), dynamic_slice_sizes={2}"},
    {"dynamic-update-slice of all",
     "x = f32[9] parameter(0); u = f32[9] parameter(1); i = s32[] parameter(2); ROOT r = f32[9] "
     "dynamic-update-slice(x, u, i)"},
    {"dynamic-update-slice of nothing",
     "x = f32[9] parameter(0); u = f32[0] parameter(1); i = s32[] parameter(2); ROOT r = f32[9] "
     "dynamic-update-slice(x, u, i)"},
    {"dynamic-update-slice with what stands there",
     "x = f32[9] parameter(0); i = s32[] parameter(1); u = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}; ROOT r "
     "= f32[9] dynamic-update-slice(x, u, i)"},
    {"dynamic-update-slice twice at one place",
     "x = f32[9] parameter(0); u = f32[2] parameter(1); v = f32[2] parameter(2); i = s32[] parameter(3); y = f32[9] "
     "dynamic-update-slice(x, u, i); ROOT r = f32[9] dynamic-update-slice(y, v, i)"},
    {"dynamic-update-slice(broadcast x) at constants = pad",
     "x = f32[] parameter(0); y = f32[9] broadcast(x), dimensions={}; u = f32[2] parameter(1); i = s32[] constant(88); "
     "ROOT r = f32[9] dynamic-update-slice(y, u, i)"},
    {"gather(broadcast x) = broadcast x",
     "x = f32[] parameter(0); y = f32[9,2] broadcast(x), dimensions={}; i = s32[3,1] parameter(1); ROOT r = f32[3,2] "
     "gather(y, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,2}"},
    {"gather of neighbours = slice",
     "x = f32[9,2] parameter(0); i = s32[5] iota(), iota_dimension=0; j = s32[5,1] reshape(i); ROOT r = f32[5,2] "
     "gather(x, j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,2}"},
    {"gather of neighbours = slice",
     "x = f32[9] parameter(0); i = s32[3] constant({4,5,6}); ROOT r = f32[3] gather(x, i), offset_dims={}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}"},
    {"gather with one index = dynamic-slice",
     "x = f32[9,4,3] parameter(0); i = s32[1,2] parameter(1); ROOT r = f32[3,1,1] gather(x, i), offset_dims={0,2}, "
     "collapsed_slice_dims={0}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,3,1}"},
    {"scatter of one window at a constant = dynamic-update-slice",
     "x = f32[7,9] parameter(0); u = f32[5,7] parameter(1); c = s32[] constant(1); i = s32[2] broadcast(c), "
     "dimensions={}; ROOT r = f32[7,9] scatter(x, i, u), update_window_dims={0,1}, inserted_window_dims={}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=second"},
    {"scatter of one window at a constant = dynamic-update-slice",
     "x = f32[3,11] parameter(0); u = f32[11] parameter(1); i = s32[1] constant({2}); ROOT r = f32[3,11] scatter(x, i, "
     "u), update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
     "to_apply=sum"},
    {"scatter of one window at a constant = dynamic-update-slice",
     "x = f32[7,9] parameter(0); u = f32[1,3,1] parameter(1); i = u8[1,1,2] constant({{{4, 2}}}); ROOT r = f32[7,9] "
     "scatter(x, i, u), update_window_dims={1}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1,0}, "
     "index_vector_dim=2, to_apply=most"},
    {"scatter of one window at a constant = dynamic-update-slice",
     "x = f32[7,9] parameter(0); u = f32[5,7] parameter(1); i = s32[2] constant({1, 3}); ROOT r = f32[7,9] scatter(x, "
     "i, u), update_window_dims={0,1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=0, to_apply=sum"},
    {"scatter of one window at a constant = dynamic-update-slice",
     "x = f32[7] parameter(0); u = f32[5] parameter(1); i = s32[1] constant({-1}); ROOT r = f32[7] scatter(x, i, u), "
     "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
     "to_apply=second"},
    {"scatter of nothing",
     "x = f32[9,2] parameter(0); i = s32[0,1] parameter(1); u = f32[0,2] parameter(2); ROOT r = f32[9,2] scatter(x, i, "
     "u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=sum"},
    {"sort of size 1", "x = f32[3,1] parameter(0); ROOT r = f32[3,1] sort(x), dimensions={1}, to_apply=less"},
    {"sort of what is sorted",
     "x = f32[11] parameter(0); y = f32[11] sort(x), dimensions={0}, to_apply=less; ROOT r = f32[11] sort(y), "
     "dimensions={0}, to_apply=less"},
    {"iota of size 1 = 0", "ROOT r = s32[3,1] iota(), iota_dimension=1"},
    {"get-dimension-size of a static dimension",
     "x = f32[3,7] parameter(0); ROOT r = s32[] get-dimension-size(x), dimensions={1}"},
};

std::string textOf(std::string_view program) {
  std::string out = std::string(kComputations) + "ENTRY main {\n  ";
  for (size_t at = 0; at < program.size(); ++at) {
    if (program.substr(at, 2) == "; ")
      out += "\n ";
    else
      out += program[at];
  }
  return out + "\n}\n";
}

struct Simplified {
  Module source, result;
  std::vector<std::string_view> fired;
};
Simplified simplified(std::string_view program) {
  Simplified out{moduleFrom(textOf(program)), Module(), {}};
  out.result = derive(out.source);
  EXPECT_TRUE(simplify(out.result, &out.fired).has_value());
  EXPECT_TRUE(removeDeadCode(out.result).has_value());
  return out;
}

bool fires(const Simplified& s, std::string_view rule) { return std::ranges::find(s.fired, rule) != s.fired.end(); }

TEST(SimplifyRules, EachFiresAndKeepsValues) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.rule) + ": " + std::string(c.program));
    const Simplified s = simplified(c.program);
    EXPECT_TRUE(fires(s, c.rule)) << printHloText(s.result);
    expectSameValues(s.source, s.result, 1e-6);
  }
}

TEST(SimplifyRules, EveryRuleHasACase) {
  std::set<std::string_view> known;
  for (const Case& c : kCases) known.insert(c.rule);
  std::set<std::string_view> names;
  for (std::string_view name : simplifyRuleNames()) {
    EXPECT_TRUE(known.contains(name)) << name;
    EXPECT_TRUE(names.insert(name).second) << "two rules are called " << name;
  }
}

// What looks simple and is not.
constexpr std::string_view kNever[] = {
    "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] add(x, "
    "z)",
    "x = f32[11] parameter(0); ROOT r = f32[11] subtract(x, x)",
    "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
    "multiply(x, z)",
    "x = f32[11] parameter(0); c = f32[] constant(0.5); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
    "power(x, z)",
    "x = s32[11] parameter(0); c = s32[] constant(2); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
    "divide(x, z)",
    "x = f32[11] parameter(0); y = f32[11] parameter(1); c = pred[11] compare(x, y), direction=LT; ROOT r = pred[11] "
    "not(c)",
    "x = f32[11] parameter(0); ROOT r = pred[11] compare(x, x), direction=EQ",
    "x = f32[11] parameter(0); y = bf16[11] convert(x); ROOT r = f32[11] convert(y)",
    "x = s32[11] parameter(0); y = f32[11] convert(x); ROOT r = s32[11] convert(y)",
    "x = f32[11] parameter(0); y = f32[11] parameter(1); d = f32[11] subtract(x, y); ROOT r = f32[11] negate(d)",
    "x = f32[11] parameter(0); e = f32[11] exponential(x); ROOT r = f32[11] log(e)",
    "x = f32[3,5] parameter(0); c = f32[] constant(1); y = f32[3,8] pad(x, c), padding=0_0x1_2; z = f32[] constant(0); "
    "ROOT r = f32[3] reduce(y, z), dimensions={1}, to_apply=sum",
    "x = f32[11,1] parameter(0); c = f32[] constant(0); y = f32[11,4] pad(x, c), padding=0_0x1_2; ROOT r = f32[11] "
    "reduce(y, c), dimensions={1}, to_apply=sum",
    "x = f32[6,4] parameter(0); y = f32[2,12] reshape(x); c = f32[] constant(0); ROOT r = f32[2] reduce(y, c), "
    "dimensions={1}, to_apply=sum",
    "x = s32[3] parameter(0); i = s32[1] parameter(1); ROOT r = s32[] gather(x, i), offset_dims={}, "
    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={0}",
    "x = f32[7] parameter(0); u = f32[5] parameter(1); i = s32[1] parameter(2); ROOT r = f32[7] scatter(x, i, u), "
    "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
    "to_apply=second",
    "x = f32[7] parameter(0); u = f32[2,3] parameter(1); i = s32[2] constant({1, 2}); ROOT r = f32[7] scatter(x, i, "
    "u), "
    "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
    "to_apply=sum",
    "x = f32[4] parameter(0); y = f32[3] parameter(1); a = f32[7] concatenate(x, y), dimensions={0}; n = f32[7] "
    "cosine(a); z = f32[] constant(0); s = f32[] reduce(n, z), dimensions={0}, to_apply=sum; b = f32[7] broadcast(s), "
    "dimensions={}; ROOT r = f32[7] add(n, b)",
    "x = f32[4] parameter(0); y = f32[3] parameter(1); a = f32[7] concatenate(x, y), dimensions={0}; b = f32[7] "
    "concatenate(y, x), dimensions={0}; d = f32[7] multiply(a, b); z = f32[] constant(0); ROOT r = f32[] reduce(d, z), "
    "dimensions={0}, to_apply=sum",
    "i = s8[200] iota(), iota_dimension=0; c = s8[] constant(0); z = s8[200] broadcast(c), dimensions={}; ROOT r = "
    "pred[200] compare(i, z), direction=LT",
};

TEST(SimplifyRules, TemptingOnesDoNotFire) {
  for (std::string_view program : kNever) {
    SCOPED_TRACE(std::string(program));
    const Simplified s = simplified(program);
    EXPECT_TRUE(s.fired.empty()) << s.fired[0];
    expectSameValues(s.source, s.result);
  }
}

TEST(SimplifyRules, AGatherOfEmptySlicesReadsNothing) {
  const Module m =
      moduleFrom(textOf("x = s32[3] parameter(0); i = s32[] constant(99); ROOT r = s32[] gather(x, i), offset_dims={}, "
                        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={0}"));
  const Literal x = parseLiteral("{7, 8, 9}", Shape::arrayRowMajor(ElementType::S32, {3})).value();
  const auto out = evaluateModule(m, std::vector{x});
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ((*out)[0].data<int32_t>()[0], 0);
}

TEST(SimplifyRules, AreAtRestAfterOneSweep) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.program));
    Simplified s = simplified(c.program);
    Module again = s.result;
    std::vector<std::string_view> fired;
    ASSERT_TRUE(simplify(again, &fired).has_value());
    EXPECT_TRUE(fired.empty()) << fired[0];
  }
}

}  // namespace
}  // namespace tessera::test
