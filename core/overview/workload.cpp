// One sweep over the executed computations.
#include "core/overview/workload.h"

#include <algorithm>

#include "core/ops/op.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr double kFlopsPerNs = 50, kMemoryBytesPerNs = 10;

bool hasTiles(const Shape& shape) {
  if (shape.isTuple()) return std::ranges::any_of(shape.elements, hasTiles);
  return shape.layout && !shape.layout->tiles.empty();
}

std::string_view configOf(const Instruction& instruction) {
  const RawText* config = instruction.attributes->get<RawText>(Attr::backend_config);
  return config ? std::string_view(config->text) : std::string_view();
}

struct DeviceSign {
  std::string_view word, device;
};
// Words that only one compiler writes into backend_config or as a custom call's target.
constexpr DeviceSign kSigns[] = {
    {"outer_dimension_partitions", "CPU"},
    {"__onednn", "CPU"},
    {"__ynn_fusion", "CPU"},
    {"fusion_backend_config", "GPU"},
    {"gemm_backend_config", "GPU"},
    {"__cublas", "GPU"},
    {"__cudnn", "GPU"},
    {"operation_queue_id", "GPU"},
    {"collective_backend_config", "GPU"},
    {"scoped_memory_configs", "TPU"},
    {"window_config", "TPU"},
};

const DeviceSign* signIn(std::string_view text) {
  if (text.empty()) return nullptr;
  const auto found = std::ranges::find_if(kSigns, [&](const DeviceSign& s) { return text.find(s.word) != text.npos; });
  return found == std::end(kSigns) ? nullptr : found;
}

void tellDevice(const Module& module, ModuleStage& stage) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& i = module.at(id);
      if (hasTiles(*i.shape)) {
        stage.device = "TPU", stage.deviceSign = "tiled layouts";
        return;
      }
      const DeviceSign* sign = signIn(configOf(i));
      if (!sign && i.opcode == Opcode::CustomCall) sign = signIn(i.attributes->textOr(Attr::custom_call_target, ""));
      if (!sign) continue;
      stage.device = sign->device, stage.deviceSign = sign->word;
      return;
    }
}

bool hasFusion(const Module& module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Fusion) return true;
  return false;
}

}  // namespace

ModuleStage stageOf(const Module& module) {
  ModuleStage out;
  out.scheduled = module.config().isScheduled.value_or(false);
  out.optimised = out.scheduled || hasFusion(module);
  if (out.optimised) tellDevice(module, out);
  return out;
}

double Workload::estimatedNs(const Cost& cost) {
  return std::max((cost.flops + cost.transcendentals) / kFlopsPerNs, cost.bytesAccessed / kMemoryBytesPerNs);
}

Workload::Workload(const Module& wanted, const Profile* profile)
    : module(wanted),
      users(wanted),
      execution(executionOf(wanted)),
      stage(stageOf(wanted)),
      costs_(wanted.instructionSlots()) {
  if (profile) times_.resize(module.instructionSlots());
  const double runs = profile ? static_cast<double>(std::max<int64_t>(profile->runs, 1)) : 1;
  if (profile)
    for (const SourceProfile& source : profile->sources)
      if (source.instruction.value < times_.size()) times_[source.instruction.value] += source.timeNs / runs;
  CostCounter counter(module);
  for (ComputationId computation : execution.computations)
    for (InstructionId id : module.at(computation).instructions) {
      if (isKernel(module.at(id))) addKernel(id, counter.of(id));
      totalWeight_ += weightOf(id);  // a result that is copied takes time, and is no kernel
    }
}

void Workload::addKernel(InstructionId id, Cost cost) {
  const double times = timesOf(id);
  cost.flops *= times, cost.transcendentals *= times, cost.bytesAccessed *= times;
  costs_[id.value] = cost;
  addWork(total_, cost, 1);
  total_.bytesAccessed += cost.bytesAccessed;
}

bool Workload::isKernel(const Instruction& i) const {
  if (i.computation.value >= execution.runs.size() || execution.of(i.computation).times == 0) return false;
  if (executesCallees(i.opcode) || hasTrait(i.opcode, kEndsAsync)) return false;
  const OpDef* op = findOp(i.opcode);
  return !op || op->kind != ExecutionKind::Structure;
}

const Computation* Workload::fusedBy(const Instruction& i) const {
  if (i.opcode != Opcode::Fusion) return nullptr;
  const std::vector<ComputationId> callees = module.callees(i);
  return callees.size() == 1 && module.contains(callees[0]) ? &module.at(callees[0]) : nullptr;
}

}  // namespace tessera
