// Rules of what moves values: broadcasts, slices, gather and scatter, sorts, against finite differences.
#include <gtest/gtest.h>

#include "tests/unit/gradient/checks.h"
#include "tests/unit/gradient/programs.h"

namespace tessera::test {
namespace {

TEST(GradientRules, Movement) {
  expectGradient(programOf("x = f64[2,3] parameter(0);ROOT y = f64[4,2,5,3] broadcast(x), dimensions={1,3}"));
  expectGradient(programOf("x = f64[2,3] parameter(0);ROOT y = f64[3,4,2] broadcast(x), dimensions={2,0}"));
  expectGradient(programOf("x = f64[2,6] parameter(0);ROOT y = f64[3,4] reshape(x)"));
  expectGradient(programOf("x = f64[2,3,4] parameter(0);ROOT y = f64[4,2,3] transpose(x), dimensions={2,0,1}"));
  expectGradient(programOf("x = f64[3,4] parameter(0);ROOT y = f64[3,4] reverse(x), dimensions={1}"));
  expectGradient(programOf("x = f64[8,5] parameter(0);ROOT y = f64[3,3] slice(x), slice={[1:7:2],[2:5]}"));
  expectGradient(
      programOf("x = f64[4,3] parameter(0);v = f64[] parameter(1);ROOT y = f64[9,2] pad(x, v), padding=2_0_1x-1_0"));
  expectGradient(
      programOf("x = f64[4] parameter(0);v = f64[] parameter(1);ROOT y = f64[5] pad(x, v), padding=-1_-1_1"));
  expectGradient(
      programOf("x = f64[2,3] parameter(0);y = f64[2,1] parameter(1);z = f64[2,2] parameter(2);"
                "ROOT c = f64[2,6] concatenate(x, y, z), dimensions={1}"));
  expectGradient(
      programOf("x = f64[3] parameter(0);y = f64[3] parameter(1);t = (f64[3], f64[3]) tuple(x, y);"
                "b = (f64[3], f64[3]) opt-barrier(t);p = f64[3] get-tuple-element(b), index=1;"
                "q = f64[3] get-tuple-element(b), index=0;c = f64[3] copy(p);ROOT m = f64[3] multiply(q, c)"));
}

TEST(GradientRules, SlicesAtComputedPlaces) {
  const std::string indices = "i = s32[] constant(7);j = s32[] constant(1);";
  expectGradient(programOf("x = f64[5,4] parameter(0);" + indices +
                           "ROOT y = f64[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}"));
  expectGradient(
      programOf("x = f64[5,4] parameter(0);" + indices +
                "a = f64[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3};"
                "b = f64[2,3] dynamic-slice(x, j, j), dynamic_slice_sizes={2,3};ROOT m = f64[2,3] multiply(a, b)"));
  expectGradient(programOf("x = f64[5,4] parameter(0);u = f64[2,3] parameter(1);" + indices +
                           "ROOT y = f64[5,4] dynamic-update-slice(x, u, i, j)"));
}

TEST(GradientRules, Gather) {
  expectGradient(
      programOf("x = f64[5,3] parameter(0);i = s32[4] constant({1, 9, -2, 1});"
                "ROOT y = f64[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                "index_vector_dim=1, slice_sizes={1,3}"));
  expectGradient(
      programOf("x = f64[5,4] parameter(0);i = s32[2,2] constant({{1, 0}, {9, 9}});"
                "ROOT y = f64[2,2,3] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, "
                "start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,3}"));
  expectGradient(
      programOf("x = f64[3,5] parameter(0);i = s32[3,2] constant({{1, 0}, {4, 4}, {2, 7}});"
                "ROOT y = f64[3,2] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
                "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"));
}

std::string scatterOf(const std::string& reducer, const std::string& indices, const std::string& promises = "") {
  return "x = f64[5,3] parameter(0);u = f64[4,3] parameter(1);i = s32[4] constant({" + indices +
         "});ROOT y = f64[5,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1" +
         promises + ", to_apply=" + reducer;
}

TEST(GradientRules, Scatter) {
  expectGradient(programOf(scatterOf("add", "1, 4, 1, 7"), kAddF64));
  expectGradient(programOf(scatterOf("second", "1, 4, 1, -3"), kSecondF64));
  expectGradient(programOf(scatterOf("second", "1, 4, 0, 7", ", unique_indices=true"), kSecondF64));
  expectGradient(programOf(scatterOf("mul", "1, 4, 0, 7", ", unique_indices=true"), kMulF64));
  expectGradient(programOf(scatterOf("max", "1, 4, 1, 7"), kMaxF64));
  expectGradient(programOf(scatterOf("min", "1, 4, 1, 7"), kMinF64));
}

TEST(GradientRules, SortAndTopK) {
  const std::string lt =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) ROOT p = pred[] compare(a, b), direction=LT }\n";
  const std::string lt2 =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) c = f64[] parameter(2) d = f64[] parameter(3) ROOT p = "
      "pred[] "
      "compare(a, b), direction=GT }\n";
  const std::string lts =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3) ROOT p = "
      "pred[] "
      "compare(a, b), direction=LT }\n";
  expectGradient(programOf("x = f64[3,5] parameter(0);ROOT y = f64[3,5] sort(x), dimensions={1}, to_apply=lt", lt));
  expectGradient(
      programOf("x = f64[3,5] parameter(0);p = f64[3,5] parameter(1);"
                "t = (f64[3,5], f64[3,5]) sort(x, p), dimensions={0}, to_apply=lt;"
                "a = f64[3,5] get-tuple-element(t), index=0;b = f64[3,5] get-tuple-element(t), index=1;"
                "ROOT y = f64[3,5] multiply(a, b)",
                lt2));
  expectGradient(
      programOf("x = f64[3,5] parameter(0);i = s32[3,5] iota(), iota_dimension=1;"
                "t = (f64[3,5], s32[3,5]) sort(x, i), dimensions={1}, is_stable=true, to_apply=lt;"
                "ROOT y = f64[3,5] get-tuple-element(t), index=0",
                lts));
  expectGradient(
      programOf("x = f64[2,5] parameter(0);t = (f64[2,3], s32[2,3]) topk(x), k=3, largest=true;"
                "ROOT y = f64[2,3] get-tuple-element(t), index=0"));
  expectGradient(
      programOf("x = f64[5] parameter(0);t = (f64[2], s32[2]) topk(x), k=2, largest=false;"
                "ROOT y = f64[2] get-tuple-element(t), index=0"));
}

}  // namespace
}  // namespace tessera::test
