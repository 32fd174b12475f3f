// A number that is dragged is a parameter with a constant argument.
#include "editor/lessons/lesson_graphs.h"

namespace tessera {

const std::string_view kBroadcastGraph = R"(tessera project 1
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

const std::string_view kTransposeGraph = R"(tessera project 1
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

const std::string_view kLayoutGraph = R"(tessera project 1
run argument 0 ramp 1 6
hlo
HloModule layout

ENTRY layout {
  x = f32[2,3]{0,1} parameter(0)
  ROOT same = f32[2,3] copy(x)
}
end
)";

const std::string_view kTilesGraph = R"(tessera project 1
run argument 0 ramp 1 15
hlo
HloModule tiles

ENTRY tiles {
  x = f32[3,5]{1,0:T(2,2)} parameter(0)
  ROOT same = f32[3,5] copy(x)
}
end
)";

const std::string_view kReduceGraph = R"(tessera project 1
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

const std::string_view kDotGraph = R"(tessera project 1
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

const std::string_view kConvolutionGraph = R"(tessera project 1
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

const std::string_view kGatherGraph = R"(tessera project 1
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

const std::string_view kWhileGraph = R"(tessera project 1
flow down
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

}  // namespace tessera
