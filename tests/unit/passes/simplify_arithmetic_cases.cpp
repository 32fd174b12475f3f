// Programs for the rules of simplify over sums, products, powers and their roundings, one value at a time.
#include "tests/unit/passes/simplify_cases.h"

namespace tessera::test {
namespace {

constexpr SimplifyCase kArithmeticCases[] = {
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
};

}  // namespace

std::span<const SimplifyCase> arithmeticCases() { return kArithmeticCases; }

}  // namespace tessera::test
