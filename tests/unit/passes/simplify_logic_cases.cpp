// Programs for the rules of simplify over bits, comparisons, selects and conversions.
#include "tests/unit/passes/simplify_cases.h"

namespace tessera::test {
namespace {

constexpr SimplifyCase kLogicCases[] = {
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
};

}  // namespace

std::span<const SimplifyCase> logicCases() { return kLogicCases; }

}  // namespace tessera::test
