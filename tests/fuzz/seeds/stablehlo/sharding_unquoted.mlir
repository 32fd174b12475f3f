module @jit__lambda attributes {mhlo.num_multiply.6 = 5 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"8 {>]s=t
ablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x16xf32>) -> (tensor<64x16xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ] mhlo.sharding=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<8x16xf32>) {
      %1 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<64x16xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims [ =] : (tensor<f32>) -> tensor<64x16xf32>
      %3 = stablehlo.multiply %1, %2 : tensor<64x16xf32>
      sdy.return %3 : tensor<64x16xf32>
    } : (tensor<64x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
}
