// The lessons in the order in which they build on each other.
#include "editor/lessons/lesson.h"

namespace tessera {
namespace {

constexpr std::string_view kBroadcast = R"(tessera project 1
run argument 0 constant 2
hlo
HloModule broadcast

ENTRY broadcast {
  number = f32[] parameter(0)
  everywhere = f32[2,3] broadcast(number), dimensions={}
  row = f32[3] constant({1, 2, 3})
  rows = f32[2,3] broadcast(row), dimensions={1}
  ROOT sum = f32[2,3] add(everywhere, rows)
}
end
)";

constexpr std::string_view kTranspose = R"(tessera project 1
run argument 0 constant 1
hlo
HloModule transpose

ENTRY transpose {
  scale = f32[] parameter(0)
  counted = f32[24] iota(), iota_dimension=0
  scales = f32[24] broadcast(scale), dimensions={}
  line = f32[24] multiply(counted, scales)
  block = f32[2,3,4] reshape(line)
  ROOT turned = f32[4,2,3] transpose(block), dimensions={2,0,1}
}
end
)";

constexpr std::string_view kLayout = R"(tessera project 1
run argument 0 ramp 1 6
hlo
HloModule layout

ENTRY layout {
  x = f32[2,3]{0,1} parameter(0)
  ROOT same = f32[2,3] copy(x)
}
end
)";

constexpr std::string_view kReduce = R"(tessera project 1
run argument 0 constant 1
hlo
HloModule reduce

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY reduce {
  number = f32[] parameter(0)
  x = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  numbers = f32[2,3] broadcast(number), dimensions={}
  scaled = f32[2,3] multiply(x, numbers)
  zero = f32[] constant(0)
  down = f32[3] reduce(scaled, zero), dimensions={0}, to_apply=add
  across = f32[2] reduce(scaled, zero), dimensions={1}, to_apply=add
  ROOT both = (f32[3], f32[2]) tuple(down, across)
}
end
)";

constexpr std::string_view kDot = R"(tessera project 1
run argument 0 constant 1
hlo
HloModule dot

ENTRY dot {
  number = f32[] parameter(0)
  left = f32[2,3] constant({{1, 0, 2}, {0, 3, 0}})
  right = f32[3,4] broadcast(number), dimensions={}
  counted = f32[3,4] iota(), iota_dimension=1
  columns = f32[3,4] multiply(right, counted)
  ROOT product = f32[2,4] dot(left, columns), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
end
)";

constexpr std::string_view kConvolution = R"(tessera project 1
run argument 0 constant 1
hlo
HloModule convolution

ENTRY convolution {
  middle = f32[] parameter(0)
  picture = f32[1,1,8,8] iota(), iota_dimension=3
  around = f32[1,1,3,3] constant({{{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}}})
  centre = f32[1,1,1,1] reshape(middle)
  nothing = f32[] constant(0)
  point = f32[1,1,3,3] pad(centre, nothing), padding=0_0x0_0x1_1x1_1
  kernel = f32[1,1,3,3] add(around, point)
  ROOT filtered = f32[1,1,8,8] convolution(picture, kernel), window={size=3x3 pad=1_1x1_1}, )"
                                          R"(dim_labels=bf01_oi01->bf01
}
end
)";

constexpr std::string_view kGather = R"(tessera project 1
run argument 0 constant 1
hlo
HloModule gather

ENTRY gather {
  first = s32[] parameter(0)
  column = s32[6,4] iota(), iota_dimension=1
  row = s32[6,4] iota(), iota_dimension=0
  ten = s32[] constant(10)
  tens = s32[6,4] broadcast(ten), dimensions={}
  rows = s32[6,4] multiply(row, tens)
  table = s32[6,4] add(rows, column)
  start = s32[1] reshape(first)
  other = s32[1] constant({4})
  indices = s32[2] concatenate(start, other), dimensions={0}
  ROOT picked = s32[2,4] gather(table, indices), offset_dims={1}, collapsed_slice_dims={0}, )"
                                     R"(start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
}
end
)";

constexpr std::string_view kWhile = R"(tessera project 1
run argument 0 constant 5
hlo
HloModule while

condition {
  state = (s32[], s32[], f32[]) parameter(0)
  iteration = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  ROOT more = pred[] compare(iteration, limit), direction=LT
}

body {
  state = (s32[], s32[], f32[]) parameter(0)
  iteration = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  value = f32[] get-tuple-element(state), index=2
  one = s32[] constant(1)
  next = s32[] add(iteration, one)
  doubled = f32[] add(value, value)
  ROOT after = (s32[], s32[], f32[]) tuple(next, limit, doubled)
}

ENTRY while {
  times = s32[] parameter(0)
  zero = s32[] constant(0)
  one = f32[] constant(1)
  begin = (s32[], s32[], f32[]) tuple(zero, times, one)
  loop = (s32[], s32[], f32[]) while(begin), condition=condition, body=body
  ROOT power = f32[] get-tuple-element(loop), index=2
}
end
)";

constexpr Lesson kLessons[] = {
    {"Broadcast: one value many times",
     "<p>A scalar has no dimensions. <b>broadcast</b> writes it into every place of a larger array.</p>"
     "<p><b>Drag</b> the number ‹2› to and fro. <b>Watch</b> all six elements of <i>sum</i> move.</p>"
     "<p><i>rows</i> is a broadcast, too: its <code>dimensions={1}</code> says that the three numbers lie along "
     "dimension 1. Select it and try "
     "<code>{0}</code> in the inspector: dimension 0 has size 2, so it is refused, and you read why.</p>",
     "broadcast_in_dim", kBroadcast, "number", "sum", "rows", "inspector"},
    {"Reshape and transpose",
     "<p><b>reshape</b> keeps the order of the elements and cuts the line anew: 24 become 2×3×4. <b>transpose</b> "
     "changes the order of the dimensions.</p>"
     "<p><b>Drag</b> the chips under <i>dimensions</i> in the inspector. <b>Watch</b> the shape of <i>turned</i> "
     "follow while you hold one.</p>"
     "<p>Drag the number ‹1›, too: the values change, the shapes do not.</p>",
     "collapse_012", kTranspose, "scale", "turned", "turned", "inspector"},
    {"Layout: where elements lie in memory",
     "<p>A shape says which elements there are; the <b>layout</b> says in which order they lie in memory: "
     "<code>{0,1}</code> puts dimension 0 first, so "
     "columns lie together.</p>"
     "<p><b>Drag</b> the chips in the Layout panel below. <b>Watch</b> the memory at the right sort itself anew while "
     "the array at the left stays. It is a preview until you click <b>Apply</b>.</p>"
     "<p>Point at a cell: its place is marked on both sides.</p>",
     "layout_minor_to_major_01", kLayout, "", "x", "x", "layout"},
    {"Reduce: a dimension goes",
     "<p><b>reduce</b> puts all elements along a dimension into one, with a small computation: here <i>add</i>.</p>"
     "<p><b>Drag</b> the number ‹1›. <b>Watch</b> <i>down</i> (over dimension 0: three sums) and <i>across</i> "
     "(over dimension 1: two sums).</p>"
     "<p>Double click one of them to see <i>add</i> at work, one application after the other.</p>",
     "reduce_2d_dimension_0", kReduce, "number", "down", "down", "inspector"},
    {"Dot: contracting a dimension",
     "<p>A matrix product multiplies along one dimension of each side and adds up: both must have the same size, here "
     "3, and are gone afterwards.</p>"
     "<p><b>Drag</b> the number ‹1›. <b>Watch</b> <i>product</i>.</p>"
     "<p>In the inspector, the pairs picture shows which dimensions meet: drag one away and read what a dot without "
     "contraction gives.</p>",
     "dot_matrices", kDot, "number", "product", "product", "inspector"},
    {"Convolution: a window slides",
     "<p>The kernel is laid over every place of the picture; what it covers is multiplied and added. Padding lets it "
     "stand over the edge.</p>"
     "<p><b>Drag</b> the number ‹1›, the middle of the kernel. <b>Watch</b> <i>filtered</i>.</p>"
     "<p>In the inspector, drag the handles of the window picture: stride, padding and dilation change the size of the "
     "result while you hold them.</p>",
     "conv_same", kConvolution, "middle", "filtered", "filtered", "inspector"},
    {"Gather: rows by number",
     "<p><b>gather</b> takes slices of an array at places that are themselves values.</p>"
     "<p><b>Drag</b> the number ‹1›: it is the first of two row numbers. <b>Watch</b> the first row of "
     "<i>picked</i>.</p>"
     "<p>Drag it beyond 5: a place outside is moved to the last row that fits.</p>",
     "gather_slices", kGather, "first", "picked", "picked", "inspector"},
    {"While: a loop",
     "<p><b>while</b> carries a tuple round: the <i>condition</i> looks at it, the <i>body</i> gives the next one.</p>"
     "<p><b>Drag</b> the number ‹5›: how often the loop goes. <b>Watch</b> <i>power</i> double.</p>"
     "<p>Click a node of the <i>body</i>: the bar above chooses the iteration, and <i>Carried</i> lists the tuple of "
     "each.</p>",
     "while_1000", kWhile, "times", "power", "loop", "inspector"},
};

}  // namespace

std::span<const Lesson> lessons() { return kLessons; }

}  // namespace tessera
