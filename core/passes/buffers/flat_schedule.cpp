// See flat_schedule.h. Computations breadth first, then times depth first.
#include "core/passes/buffers/flat_schedule.h"

#include <fmt/format.h>

#include "core/ops/inference/callee_index.h"

namespace tessera {
namespace {

class FlatScheduler {
 public:
  explicit FlatScheduler(const Module& module) : module_(module) {}

  Result<FlatSchedule> run() {
    out_.begin.assign(module_.instructionSlots(), 0);
    out_.end = out_.begin;
    out_.position.assign(module_.instructionSlots(), 0);
    out_.computations = {module_.entry()};
    out_.callSites[module_.entry().value] = {};
    for (size_t at = 0; at < out_.computations.size(); ++at) TESSERA_TRY(collect(out_.computations[at]));
    int64_t time = 0;
    assignTimes(module_.entry(), time);
    return std::move(out_);
  }

 private:
  Status collect(ComputationId c) {
    const std::vector<InstructionId>& instructions = module_.at(c).instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Instruction& in = module_.at(instructions[i]);
      out_.position[in.id.value] = i;
      if (in.opcode == Opcode::Call)
        return fail(ErrorKind::Unsupported, fmt::format("call %{} was not inlined: inline-calls comes first", in.name));
      if (in.opcode == Opcode::While) {
        const auto* condition = in.attributes->get<ComputationId>(Attr::condition);
        const auto* body = in.attributes->get<ComputationId>(Attr::body);
        if (!condition || !body) return fail(fmt::format("while %{} lacks its condition or body", in.name));
        TESSERA_TRY(enter(*condition, {CallSite::Condition, in.id}));
        TESSERA_TRY(enter(*body, {CallSite::Body, in.id}));
      } else if (in.opcode == Opcode::Conditional) {
        uint32_t operand = 0;
        for (ComputationId branch : branchesOf(*in.attributes))
          TESSERA_TRY(enter(branch, {CallSite::Branch, in.id, ++operand}));
      }
    }
    return {};
  }

  Status enter(ComputationId c, CallSite site) {
    if (!out_.callSites.emplace(c.value, site).second)
      return fail(ErrorKind::Unsupported,
                  "computation %" + module_.at(c).name + " is executed from two places: flatten-control comes first");
    out_.computations.push_back(c);
    return {};
  }

  void assignTimes(ComputationId c, int64_t& time) {
    for (InstructionId id : module_.at(c).instructions) {
      out_.begin[id.value] = time++;
      const Instruction& in = module_.at(id);
      const bool calls = in.opcode == Opcode::While || in.opcode == Opcode::Conditional;
      if (calls)
        for (ComputationId callee : module_.callees(in)) assignTimes(callee, time);
      out_.end[id.value] = calls ? time++ : out_.begin[id.value];
    }
    out_.lastTime[c.value] = time++;
  }

  const Module& module_;
  FlatSchedule out_;
};

}  // namespace

Result<FlatSchedule> FlatSchedule::of(const Module& module) { return FlatScheduler(module).run(); }

}  // namespace tessera
