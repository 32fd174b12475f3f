// See op_times.h. A step of our own run whose sources are a fusion and its members is that fusion; steps that the
// passes fused are in the scope that all their members share.
#include "core/profile/op_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/whole_number.h"
#include "core/hlo/element_type.h"
#include "core/ops/op.h"
#include "core/profile/sources/instruction_index.h"

namespace tessera {
namespace {

OpFacts factsOf(const InstructionIndex& index, InstructionId id) {
  InstructionTime row = index.describe(id);
  return {id, row.name, row.opcode, row.category, row.scope, row.source, row.computation};
}

// Of a dot its operands': the result may be wider.
std::string typeOf(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  const bool byOperand = hasTrait(instruction.opcode, kContraction);
  const bool has = byOperand && !instruction.operands.empty() && module.contains(instruction.operands[0]);
  const std::vector<ShapeLeaf> leaves = leavesOf(module.shapeOf(has ? instruction.operands[0] : id));
  return leaves.empty() ? std::string() : std::string(nameOf(leaves[0].shape->type));
}

std::string commonScope(const std::vector<OpMember>& members) {
  std::string out;
  bool first = true;
  for (const OpMember& member : members) {
    const std::string& scope = member.facts.scope;
    if (scope.empty()) continue;
    if (std::exchange(first, false)) out = scope;
    size_t same = 0;
    while (same < out.size() && same < scope.size() && out[same] == scope[same]) ++same;
    const bool whole = same == out.size() && (same == scope.size() || scope[same] == '/');
    if (whole) continue;
    const bool ended = same == scope.size() && out[same] == '/';
    const size_t slash = ended ? same : out.rfind('/', same == 0 ? 0 : same - 1);
    out.resize(slash == std::string::npos ? 0 : slash);
  }
  return out;
}

bool isFree(Opcode opcode) {
  return opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Tuple ||
         opcode == Opcode::GetTupleElement || opcode == Opcode::Broadcast || opcode == Opcode::Bitcast;
}

double workOf(const Module& module, InstructionId id, const Cost& cost) {
  constexpr double kTranscendental = 8, kFree = 1e-3;
  const Shape& shape = module.shapeOf(id);
  const double elements = shape.isArray() ? static_cast<double>(shape.elementCount().value_or(1)) : 1;
  return cost.flops + kTranscendental * cost.transcendentals + (isFree(module.at(id).opcode) ? kFree : elements);
}

// Of a fusion that a profile knows as one: what its members do, by their work.
void addMembers(OpUnit& unit, const InstructionIndex& index) {
  const Module& module = index.module();
  if (!unit.facts.instruction.valid() || module.at(unit.facts.instruction).opcode != Opcode::Fusion) return;
  double all = 0;
  for (ComputationId callee : module.callees(module.at(unit.facts.instruction)))
    for (InstructionId id : module.at(callee).instructions) {
      if (module.at(id).opcode == Opcode::Parameter) continue;
      const Cost cost = index.costOf(id, {});
      const double work = workOf(module, id, cost);
      all += work;
      unit.members.push_back({factsOf(index, id), work, (cost.flops + cost.transcendentals) * unit.count, 0});
    }
  for (OpMember& member : unit.members) member.timeNs *= all > 0 ? unit.selfNs / all : 0;
}

// --- our own runs

class RunUnits {
 public:
  RunUnits(const Profile& profile, const std::shared_ptr<const Module>& module)
      : profile_(profile), module_(*module), index_(module) {}
  OpTimes make();

 private:
  OpUnit unitOf(size_t step, std::vector<OpMember> members) const;
  std::vector<std::vector<OpMember>> membersByStep() const;
  void name(OpUnit& unit, const StepProfile& step, std::vector<OpMember> members) const;
  void addNested(OpTimes& out) const;

  const Profile& profile_;
  const Module& module_;
  const InstructionIndex index_;
};

std::vector<std::vector<OpMember>> RunUnits::membersByStep() const {
  std::vector<std::vector<OpMember>> out(profile_.steps.size());
  for (const StepShare& share : profile_.shares)
    if (module_.contains(share.instruction))
      out[static_cast<size_t>(share.step)].push_back(
          {factsOf(index_, share.instruction), share.timeNs, share.flops, share.bytes});
  return out;
}

// The fusion of the source module that the step is, where its members are beside it.
InstructionId fusionAmong(const Module& module, const std::vector<OpMember>& members) {
  std::unordered_set<ComputationId> inside;
  for (const OpMember& member : members) inside.insert(module.at(member.facts.instruction).computation);
  for (const OpMember& member : members) {
    const Instruction& at = module.at(member.facts.instruction);
    if (at.opcode != Opcode::Fusion) continue;
    for (ComputationId callee : module.callees(at))
      if (inside.contains(callee)) return at.id;
  }
  return {};
}

void RunUnits::name(OpUnit& unit, const StepProfile& step, std::vector<OpMember> members) const {
  const InstructionId fusion = fusionAmong(module_, members);
  if (fusion.valid()) {
    unit.facts = factsOf(index_, fusion);
    std::erase_if(members, [fusion](const OpMember& member) { return member.facts.instruction == fusion; });
  } else if (members.size() == 1) {
    unit.facts = members[0].facts;
    members.clear();
  } else {
    unit.facts = {.name = step.name, .opcode = step.what, .category = "Fusion", .scope = commonScope(members)};
    if (!members.empty()) unit.facts.source = members.back().facts.source;
    if (!members.empty()) unit.facts.computation = members[0].facts.computation;
  }
  double all = 0;
  for (const OpMember& member : members) all += member.timeNs;
  for (OpMember& member : members) member.timeNs = all > 0 ? unit.selfNs * member.timeNs / all : 0;
  unit.members = std::move(members);
}

OpUnit RunUnits::unitOf(size_t place, std::vector<OpMember> members) const {
  const StepProfile& step = profile_.steps[place];
  const auto runs = static_cast<double>(std::max<int64_t>(profile_.runs, 1));
  OpUnit out;
  out.count = static_cast<double>(step.count) / runs;
  out.runNs = step.runNs;
  const bool each = static_cast<int64_t>(step.runNs.size()) == profile_.runs && !step.runNs.empty();
  out.selfNs = each ? medianOf(step.runNs) : static_cast<double>(step.totalNs) / runs;
  if (each) {
    out.lowNs = static_cast<double>(std::ranges::min(step.runNs));
    out.highNs = static_cast<double>(std::ranges::max(step.runNs));
  }
  out.flops = step.flops / runs;
  out.bytes = step.bytes / runs;
  for (OpMember& member : members) member.flops /= runs, member.bytes /= runs;
  double most = -1;
  for (const OpMember& member : members)
    if (member.flops > most) most = member.flops, out.type = typeOf(module_, member.facts.instruction);
  name(out, step, std::move(members));
  if (out.members.empty()) addMembers(out, index_);
  out.totalNs = out.selfNs;
  return out;
}

// What loops and calls run, where one instruction alone calls it: of others the time is not known apart.
void RunUnits::addNested(OpTimes& out) const {
  std::unordered_map<ComputationId, int> callers;
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions)
      for (ComputationId callee : module_.callees(module_.at(id))) ++callers[callee];
  std::unordered_map<ComputationId, double> own;
  std::unordered_map<InstructionId, OpUnit*> unitAt;
  for (OpUnit& unit : out.units) {
    const InstructionId at = unit.facts.instruction.valid() || unit.members.empty() ? unit.facts.instruction
                                                                                    : unit.members[0].facts.instruction;
    if (!at.valid()) continue;
    own[module_.at(at).computation] += unit.selfNs;
    if (unit.facts.instruction.valid()) unitAt[at] = &unit;
  }
  for (ComputationId computation : module_.order())  // callees before callers
    for (InstructionId id : module_.at(computation).instructions) {
      const auto unit = unitAt.find(id);
      if (module_.at(id).opcode == Opcode::Fusion) continue;
      for (ComputationId callee : module_.callees(module_.at(id))) {
        if (callers[callee] != 1 || !own.contains(callee)) continue;
        own[computation] += own[callee];
        if (unit != unitAt.end()) unit->second->totalNs += own[callee];
      }
    }
}

OpTimes RunUnits::make() {
  OpTimes out;
  out.runs = profile_.runs;
  out.spreadOf = "run";
  out.entry = nameOfEntry(module_);
  std::vector<std::vector<OpMember>> members = membersByStep();
  for (size_t i = 0; i < profile_.steps.size(); ++i)
    if (profile_.steps[i].count > 0) out.units.push_back(unitOf(i, std::move(members[i])));
  addNested(out);
  double placed = 0;
  for (const OpUnit& unit : out.units) placed += unit.selfNs;
  const double whole = profile_.runNs.empty() ? static_cast<double>(profile_.totalNs) /
                                                    static_cast<double>(std::max<int64_t>(profile_.runs, 1))
                                              : medianOf(profile_.runNs);
  if (whole > placed) {
    const auto rest = saturatingWhole(whole - placed);
    out.lost.push_back({"outside of steps", "calling, waiting, and what has no step of its own", {}, {1, rest, rest}});
  }
  out.totalNs = std::max(whole, placed);
  return out;
}

// --- profiles of other programs

OpUnit unitOf(const InstructionTime& row, double steps) {
  OpUnit out{.facts = {{}, row.name, row.opcode, row.category, row.scope, row.source, row.computation}};
  out.count = static_cast<double>(row.times.count) / steps;
  out.selfNs = static_cast<double>(row.times.selfNs) / steps;
  out.totalNs = static_cast<double>(row.times.totalNs) / steps;
  out.lowNs = static_cast<double>(row.times.minNs);
  out.highNs = static_cast<double>(row.times.maxNs);
  out.medianNs = static_cast<double>(row.times.medianNs);
  out.flops = row.flops / steps;
  out.bytes = row.bytes / steps;
  out.measured = row.measured;
  return out;
}

}  // namespace

std::string_view nameOf(BoundBy bound) {
  switch (bound) {
    case BoundBy::Unknown: return "";
    case BoundBy::Compute: return "compute";
    case BoundBy::Memory: return "memory";
    case BoundBy::Overhead: return "overhead";
  }
  return "";
}

OpTimes opTimesOf(const Profile& profile, const std::shared_ptr<const Module>& module) {
  return RunUnits(profile, module).make();
}

OpTimes opTimesOf(const OpProfile& profile, const std::shared_ptr<const Module>& module) {
  if (profile.run && module && profile.run->module == module->name) return opTimesOf(*profile.run, module);
  const std::optional<InstructionIndex> index =
      module ? std::make_optional<InstructionIndex>(module) : std::optional<InstructionIndex>();
  const auto steps = static_cast<double>(std::max<int64_t>(profile.steps, 1));
  OpTimes out;
  out.runs = profile.steps;
  out.spreadOf = "execution";
  if (module) out.entry = nameOfEntry(*module);
  const std::optional<RowsOfModule> rows =
      module ? std::make_optional<RowsOfModule>(profile, *module) : std::optional<RowsOfModule>();
  for (const InstructionTime& row : profile.instructions) {
    if (!row.measured) out.spreadOf = "run";
    OpUnit unit = unitOf(row, steps);
    if (const auto found = rows && rows->has(row) ? index->find(row.name) : InstructionIndex::Found();
        found.id.valid()) {
      unit.facts = factsOf(*index, found.id);
      unit.type = typeOf(*module, found.id);
      addMembers(unit, *index);
    }
    out.totalNs += unit.selfNs;
    out.units.push_back(std::move(unit));
  }
  for (LostTime lost : profile.unmatched) {
    lost.times.count = std::max<int64_t>(saturatingWhole(static_cast<double>(lost.times.count) / steps), 1);
    lost.times.totalNs = saturatingWhole(static_cast<double>(lost.times.totalNs) / steps);
    lost.times.selfNs = saturatingWhole(static_cast<double>(lost.times.selfNs) / steps);
    out.totalNs += static_cast<double>(lost.times.selfNs);
    out.lost.push_back(std::move(lost));
  }
  return out;
}

void holdAgainst(OpTimes& times, const DevicePeaks& peaks) {
  constexpr double kOverhead = 0.1;
  if (peaks.bytesPerSecond <= 0) return;
  for (OpUnit& unit : times.units) {
    const double compute = peaks.computeNs(unit.type, unit.flops), memory = peaks.memoryNs(unit.bytes, unit.count);
    unit.attainableNs = std::max(compute, memory);
    if (unit.attainableNs <= 0) continue;
    unit.bound = compute + memory < kOverhead * unit.selfNs ? BoundBy::Overhead
                 : compute > memory                         ? BoundBy::Compute
                                                            : BoundBy::Memory;
  }
}

double medianOf(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  return (static_cast<double>(*middle) + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

Profile medianRun(const Profile& profile) {
  const auto runs = static_cast<double>(profile.runs);
  if (static_cast<int64_t>(profile.runNs.size()) != profile.runs || profile.runs == 0) return profile;
  Profile out{profile.module, 1, 0, {}, profile.steps, profile.sources, profile.shares};
  out.totalNs = saturatingWhole(medianOf(profile.runNs));
  out.runNs = {out.totalNs};
  std::vector<double> scale(out.steps.size(), 1 / runs);
  for (size_t i = 0; i < out.steps.size(); ++i) {
    StepProfile& step = out.steps[i];
    const double median = step.runNs.empty() ? static_cast<double>(step.totalNs) / runs : medianOf(step.runNs);
    if (step.totalNs > 0) scale[i] = median / static_cast<double>(step.totalNs);
    step.totalNs = saturatingWhole(median);
    step.runNs = {step.totalNs};
    step.count = (step.count + profile.runs - 1) / profile.runs;
    step.flops /= runs, step.bytes /= runs;
  }
  std::unordered_map<InstructionId, double> times;
  for (StepShare& share : out.shares) {
    share.timeNs *= scale[static_cast<size_t>(share.step)];
    share.flops /= runs, share.bytes /= runs;
    times[share.instruction] += share.timeNs;
  }
  for (SourceProfile& source : out.sources) {
    const auto found = times.find(source.instruction);
    source.timeNs = found != times.end() ? found->second : source.timeNs / runs;
    source.flops /= runs, source.bytes /= runs;
  }
  return out;
}

}  // namespace tessera
