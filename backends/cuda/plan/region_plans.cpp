// See region_plans.h.
#include "backends/cuda/plan/region_plans.h"

#include <algorithm>
#include <ranges>

#include "backends/codegen/grid/grid_region.h"
#include "backends/codegen/nest/split_reduction.h"
#include "backends/codegen/nest/unroll_short.h"
#include "backends/cpu/plan/step_program.h"
#include "backends/cuda/plan/program_plans.h"
#include "core/ops/op.h"

namespace tessera::cuda {

namespace {

// A launch takes some microseconds, in which a thread of a card does what a processor's core does in some 200 ns.
constexpr double kStepNs = 200, kLongestStepNs = 2000;
constexpr int64_t kMostElements = 4096;  // 16 for each thread of the block
constexpr size_t kMostNodes = 2000;      // of a kernel: ptxas compiles it in one thread
constexpr int64_t kRegisterBytes = 32;

}  // namespace

// Programs by the threads of one block.
class RegionPlans::Members final : public cpu::RegionMembers {
 public:
  explicit Members(const Module& module) : RegionMembers(module) {
    limits.maxProgramNs = limits.maxProductNs = kLongestStepNs;
    limits.stepNs = limits.maxMemberNs = kStepNs;
    limits.maxElements = kMostElements;
    limits.maxNodes = kMostNodes;
    limits.registerBytes = kRegisterBytes;
  }
  bool isStep(const Instruction& instruction) const override { return isPlannedByProgram(module_, instruction); }
  Result<LoopProgram> programOf(const Instruction& instruction, const OpDef& op) const override {
    if (op.loops) return cpu::storesOf(module_, instruction.id, WideFunctions::Expanded);
    TESSERA_ASSIGN_OR_RETURN(const ElementProgram elements,
                             cpu::elementsOf(module_, instruction.id, WideFunctions::Expanded));
    if (codegen::splitGridReduction(elements)) return failUnsupported("a long reduction is split");
    return codegen::asLoopProgram(elements);
  }
  std::optional<cpu::RegionMember> member(LoopProgram program) const override {
    program = codegen::unrollShort(std::move(program));
    const auto analysis = codegen::ProgramAnalysis::of(program);
    if (!analysis) return std::nullopt;
    const double ns = codegen::nsInBlock(program, *analysis);
    std::vector<bool> atConstants = cpu::accessedAtConstants(program, *analysis, nullptr);
    return cpu::RegionMember{std::move(program), ns, std::move(atConstants)};
  }
};

RegionPlans::RegionPlans(const Module& module, const BufferAssignment& buffers, const CustomCallLibrary* customCalls)
    : module_(module), members_(std::make_unique<Members>(module)), planner_(module, buffers, *members_, customCalls) {}
RegionPlans::~RegionPlans() = default;

std::optional<size_t> RegionPlans::plan(PlanDraft& draft, ComputationId computation, size_t begin, bool inLoop,
                                        Steps& out) {
  const auto isLoop = [&](InstructionId id) { return module_.at(id).opcode == Opcode::While; };
  if (std::ranges::none_of(module_.at(computation).instructions | std::views::drop(begin), isLoop)) return std::nullopt;
  const auto region = planner_.plan(computation, begin, inLoop);
  if (!region || region->loops == 0) return std::nullopt;
  if (!draft.kernel(module_.at(region->nameSource), *region, out)) return std::nullopt;
  return region->end;
}

}  // namespace tessera::cuda
