func.func @main(%arg0: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
})
}
