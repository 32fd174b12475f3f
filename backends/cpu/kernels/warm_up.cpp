// See warm_up.h.
#include "backends/cpu/kernels/warm_up.h"

#include "backends/codegen/program_analysis.h"
#include "backends/cpu/kernels/kernel_compiler.h"
#include "core/element/element_builder.h"

namespace tessera::cpu {

namespace {

// A loop over vectors whose last one is masked; larger kernels were measured to warm up no more.
LoopProgram smallProgram() {
  constexpr int64_t kElements = 1000;
  ElementBuilder b({Shape::arrayRowMajor(ElementType::F32, {kElements})}, {kElements});
  const NodeId index = b.outputIndex(0), value = b.read(0, {&index, 1});
  return codegen::asLoopProgram(b.finish({b.add(b.multiply(value, value), value)}));
}

}  // namespace

void compileWarmUp(const HostProcessor& host, const std::atomic<bool>& stop) {
  KernelSource source;
  source.program = smallProgram();
  source.owner = "warm-up";
  const KernelSource* const sources[] = {&source};
  (void)KernelCompiler(host).compile(sources, &stop);
}

}  // namespace tessera::cpu
