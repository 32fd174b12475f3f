// The graph of the tests of overviews.
#pragma once

namespace tessera {

// Two layers of a net in scopes, an accidental double, and a head.
inline const char* const kLayeredNet = R"(HloModule jit_net

ENTRY main {
  x = f32[64,64] parameter(0), metadata={op_name="x"}
  w0 = f32[64,64] parameter(1), metadata={op_name="p['layer_0']['w']"}
  w1 = f32[64,64] parameter(2), metadata={op_name="p['layer_1']['w']"}
  d0 = f32[64,64] dot(x, w0), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      metadata={op_name="jit(f)/net/layer_0/dot"}
  t0 = f32[64,64] tanh(d0), metadata={op_name="jit(f)/net/layer_0/tanh"}
  d1 = f32[64,64] dot(t0, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      metadata={op_name="jit(f)/net/layer_1/dot"}
  t1 = f32[64,64] tanh(d1), metadata={op_name="jit(f)/net/layer_1/tanh"}
  wide = f64[64,64] convert(t1), metadata={op_name="jit(f)/head/convert"}
  loss = f64[64,64] multiply(wide, wide), metadata={op_name="jit(f)/head/mul"}
  ROOT out = f32[64,64] convert(loss), metadata={op_name="jit(f)/head/convert"}
}
)";

}  // namespace tessera
