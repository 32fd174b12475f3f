// Programs that take far longer than anybody waits, for tests of what goes on meanwhile and of cancelling.
#pragma once

namespace tessera {

// Its trips are counted: nobody begins it to show values.
inline const char* const kEndless = R"(HloModule endless

body {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[4096]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  changed = f32[4096]{0} tanh(v)
  ROOT r = (s32[], f32[4096]{0}) tuple(next, changed)
}

condition {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(2000000000)
  ROOT less = pred[] compare(i, limit), direction=LT
}

ENTRY main {
  v = f32[4096]{0} parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[4096]{0}) tuple(zero, v)
  ROOT w = (s32[], f32[4096]{0}) while(s), condition=condition, body=body
}
)";

// Nothing says how often, so that values on nodes are begun as well; `quick` does not wait for the loop.
inline const char* const kForever = R"(HloModule forever
forever { state = (s32[], f32[]) parameter(0)
  ROOT true = pred[] constant(true)
}
body { state.1 = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(state.1), index=0
  x = f32[] get-tuple-element(state.1), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[] cosine(x)
  ROOT out = (s32[], f32[]) tuple(next, y)
}
ENTRY main {
  start = f32[] parameter(0)
  zero = s32[] constant(0)
  begin = (s32[], f32[]) tuple(zero, start)
  loop = (s32[], f32[]) while(begin), condition=forever, body=body
  last = f32[] get-tuple-element(loop), index=1
  quick = f32[] negate(start)
  ROOT both = (f32[], f32[]) tuple(last, quick)
})";

}  // namespace tessera
