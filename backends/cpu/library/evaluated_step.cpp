// See evaluated_step.h.
#include "backends/cpu/library/evaluated_step.h"

#include "backends/cpu/library/evaluate_step.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"

namespace tessera::cpu {

bool isSerializable(const Instruction& instruction) {
  return instruction.opcode != Opcode::Infeed && instruction.opcode != Opcode::Outfeed;
}

Result<std::string> textOfStep(const Module& module, InstructionId instruction) {
  TESSERA_ASSIGN_OR_RETURN(Module alone,
                           cutOut(module, instruction, [&](InstructionId other) { return other != instruction; }));
  ModuleConfig config = alone.config();
  config.frontendAttributes = module.config().frontendAttributes;  // the meshes of manual regions
  alone.setConfig(std::move(config));
  return printHloText(alone);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_core_evaluate(tessera::cpu::FieldReader& in) {
  using namespace tessera;
  std::vector<char> text;
  InstructionId original;
  std::vector<int> operands, outputs;
  in(text, original.value, operands, outputs);
  if (!in.good()) return nullptr;
  ReadResult read = readHloText({text.data(), text.size()});
  if (!read.module || inferModule(*read.module).hasErrors()) return nullptr;
  return new cpu::EvaluateStep(std::move(*read.module), original, std::move(operands), std::move(outputs));
}

extern "C" tessera::Status tessera_core_run_on_devices(int64_t replicas, int64_t partitions,
                                                       tessera::cpu::DeviceRun run, void* context) {
  using namespace tessera;
  const auto program = [&](Communicator& communicator) -> Result<std::vector<Literal>> {
    TESSERA_TRY(run(context, communicator.device(), communicator));
    return std::vector<Literal>();
  };
  TESSERA_TRY(runOnDevices({replicas, partitions}, program));
  return {};
}
