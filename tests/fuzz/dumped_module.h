// A module as XLA dumps it after optimisation, for the fuzz targets of what is about one.
#pragma once

#include <memory>

#include "core/formats/hlo_text.h"
#include "tests/fuzz/expect.h"

namespace tessera {

inline constexpr const char* kDumpedModule = R"(HloModule jit_f, is_scheduled=true

%fused_computation.1 (param_0.2: f32[8]) -> f32[8] {
  %param_0.2 = f32[8]{0} parameter(0)
  %constant.1 = f32[] constant(1)
  %broadcast.1 = f32[8]{0} broadcast(%constant.1), dimensions={}
  ROOT %add.0 = f32[8]{0} add(%param_0.2, %broadcast.1)
}

%region_2.3 (reduce_sum.3: f32[], reduce_sum.4: f32[]) -> f32[] {
  %reduce_sum.3 = f32[] parameter(0)
  %reduce_sum.4 = f32[] parameter(1)
  ROOT %reduce_sum.5 = f32[] add(%reduce_sum.3, %reduce_sum.4)
}

%region_0.1 (arg_tuple.1: (s32[], f32[8])) -> (s32[], f32[8]) {
  %arg_tuple.1 = (s32[], f32[8]{0}) parameter(0)
  %constant.6 = s32[] constant(1)
  %get-tuple-element.5 = f32[8]{0} get-tuple-element(%arg_tuple.1), index=1
  %get-tuple-element.4 = s32[] get-tuple-element(%arg_tuple.1), index=0
  %tanh = f32[8]{0} tanh(%get-tuple-element.5)
  %add.1 = s32[] add(%get-tuple-element.4, %constant.6)
  ROOT %tuple.3 = (s32[], f32[8]{0}) tuple(%add.1, %tanh)
}

%region_1.2 (arg_tuple.3: (s32[], f32[8])) -> pred[] {
  %arg_tuple.3 = (s32[], f32[8]{0}) parameter(0)
  %constant.8 = s32[] constant(5)
  %get-tuple-element.6 = s32[] get-tuple-element(%arg_tuple.3), index=0
  ROOT %lt = pred[] compare(%get-tuple-element.6, %constant.8), direction=LT
}

ENTRY %main.4 (x.1: f32[8]) -> f32[] {
  %x.1 = f32[8]{0} parameter(0)
  %constant.9 = f32[] constant(0)
  %constant.10 = s32[] constant(0)
  %broadcast_add_fusion = f32[8]{0} fusion(%x.1), kind=kLoop, calls=%fused_computation.1
  %copy.6 = s32[] copy(%constant.10)
  %tuple = (s32[], f32[8]{0}) tuple(%copy.6, %broadcast_add_fusion)
  %while.0 = (s32[], f32[8]{0}) while(%tuple), condition=%region_1.2, body=%region_0.1
  %while.7 = f32[8]{0} get-tuple-element(%while.0), index=1
  ROOT %reduce_sum.0 = f32[] reduce(%while.7, %constant.9), dimensions={0}, to_apply=%region_2.3
}
)";

inline std::shared_ptr<const Module> dumpedModule() {
  static const std::shared_ptr<const Module> module = [] {
    ReadResult read = readHloText(kDumpedModule);
    expect(read.module.has_value(), "the dumped module reads");
    return std::make_shared<const Module>(*std::move(read.module));
  }();
  return module;
}

}  // namespace tessera
