// Programs for the rules of simplify over reshapes, transposes, broadcasts, slices, pads and concatenates.
#include "tests/unit/passes/simplify_cases.h"

namespace tessera::test {
namespace {

constexpr SimplifyCase kShapeCases[] = {
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
};

}  // namespace

std::span<const SimplifyCase> shapeCases() { return kShapeCases; }

}  // namespace tessera::test
