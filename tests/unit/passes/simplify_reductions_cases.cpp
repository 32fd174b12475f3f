// Programs for the rules of simplify over reductions, products, and reads and writes by indices.
#include "tests/unit/passes/simplify_cases.h"

namespace tessera::test {
namespace {

constexpr SimplifyCase kReductionCases[] = {
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

}  // namespace

std::span<const SimplifyCase> reductionCases() { return kReductionCases; }

}  // namespace tessera::test
