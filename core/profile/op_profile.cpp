// See op_profile.h.
#include "core/profile/op_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/sorting.h"
#include "core/profile/timeline.h"

namespace tessera {
namespace {

const std::string& groupName(const InstructionTime& row, ProfileGroup by, const std::string& entry) {
  switch (by) {
    case ProfileGroup::Opcode: return row.opcode;
    case ProfileGroup::Category: return row.category;
    case ProfileGroup::Scope: return placeInScopes(row.scope, row.computation, entry);
    case ProfileGroup::Source: return row.source;
    case ProfileGroup::Computation: return row.computation;
    case ProfileGroup::Module: return row.module;
  }
  return row.opcode;
}

// Of what nothing is nested in the median, which a step that was preempted does not change; else the mean.
double perStep(const TimeStats& times, const OpProfile& profile, bool divide) {
  if (!divide) return static_cast<double>(times.selfNs);
  const auto steps = static_cast<double>(profile.steps);
  if (times.medianNs == 0 || times.selfNs != times.totalNs) return static_cast<double>(times.selfNs) / steps;
  return static_cast<double>(times.medianNs) * static_cast<double>(times.count) / steps;
}

}  // namespace

std::string nameOfEntry(const Module& module) {
  return module.contains(module.entry()) ? module.entryComputation().name : std::string();
}

const std::string& placeInScopes(const std::string& scope, const std::string& computation, const std::string& entry) {
  return scope.empty() && !entry.empty() && computation != entry ? computation : scope;
}

std::vector<GroupTime> groupedBy(const OpProfile& profile, ProfileGroup by) {
  std::map<std::string, GroupTime> groups;
  std::map<std::string, std::string> entries;  // by module
  std::map<std::string, int> modules;          // a function that was traced twice is two of one name
  for (const ProfiledModule& module : profile.modules) {
    ++modules[module.name];
    if (module.module) entries[module.name] = nameOfEntry(*module.module);
  }
  for (const InstructionTime& row : profile.instructions) {
    const std::string name = by == ProfileGroup::Module && modules[row.module] > 1
                                 ? labelOf({row.module, row.program, nullptr})
                                 : groupName(row, by, entries[row.module]);
    GroupTime& group = groups[name.empty() ? "(none)" : name];
    ++group.instructions;
    group.count += row.times.count;
    group.totalNs += row.times.totalNs;
    group.selfNs += row.times.selfNs;
    group.flops += row.flops;
    group.bytes += row.bytes;
  }
  std::vector<GroupTime> out;
  for (auto& [name, group] : groups) {
    group.name = name;
    out.push_back(std::move(group));
  }
  sortDescending(out, &GroupTime::selfNs);
  return out;
}

ProfileComparison compareProfiles(const OpProfile& before, const OpProfile& after) {
  ProfileComparison out;
  out.perStep = before.steps > 0 && after.steps > 0;
  const bool medians = out.perStep && before.stepTimes.medianNs > 0 && after.stepTimes.medianNs > 0;
  const auto whole = [&](const OpProfile& profile) {
    if (medians) return static_cast<double>(profile.stepTimes.medianNs);
    return static_cast<double>(profile.selfNs) / (out.perStep ? static_cast<double>(profile.steps) : 1.0);
  };
  out.beforeSteps = before.stepTimes;
  out.afterSteps = after.stepTimes;
  out.beforeNs = whole(before);
  out.afterNs = whole(after);
  std::map<std::string, SlowerRow> rows;
  for (const InstructionTime& row : before.instructions)
    rows[row.name].beforeNs += perStep(row.times, before, out.perStep);
  std::set<std::string_view> shared;
  for (const InstructionTime& row : after.instructions) {
    if (rows.contains(row.name)) shared.insert(row.name);
    rows[row.name].afterNs += perStep(row.times, after, out.perStep);
  }
  out.shared = shared.size();
  for (auto& [name, row] : rows) {
    row.name = name;
    if (row.beforeNs != row.afterNs) out.rows.push_back(std::move(row));
  }
  const auto difference = [](const SlowerRow& row) { return std::abs(row.afterNs - row.beforeNs); };
  sortDescending(out.rows, difference);
  return out;
}

std::string labelOf(const ProfiledModule& module) {
  const std::string name = module.name.empty() ? "(no name)" : module.name;
  return module.program ? fmt::format("{} (program {})", name, *module.program) : name;
}

const ProfiledModule* longestModule(const OpProfile& profile) {
  for (const InstructionTime& row : profile.instructions)
    for (const ProfiledModule& module : profile.modules)
      if (module.module && module.name == row.module && module.program == row.program) return &module;
  return nullptr;
}

bool haveSameInstructions(const Module& a, const Module& b) {
  const auto isSame = [&](InstructionId one, InstructionId other) {
    const Instruction &i = a.at(one), &j = b.at(other);
    return i.name == j.name && i.opcode == j.opcode && *i.shape == *j.shape;
  };
  if (a.instructionCount() != b.instructionCount()) return false;
  return std::ranges::all_of(a.order(), [&](ComputationId id) {
    const auto other = b.findComputation(a.at(id).name);
    return other && std::ranges::equal(a.at(id).instructions, b.at(*other).instructions, isSame);
  });
}

RowsOfModule::RowsOfModule(const OpProfile& profile, const Module& module) : name_(module.name) {
  const auto isNamed = [&](const ProfiledModule& each) { return each.name == name_; };
  if (std::ranges::count_if(profile.modules, isNamed) < 2) return;
  const auto isIt = [&](const ProfiledModule& each) {
    return isNamed(each) && each.module && haveSameInstructions(*each.module, module);
  };
  const auto found = std::ranges::find_if(profile.modules, isIt);
  if (found != profile.modules.end()) program_ = found->program;
}

bool RowsOfModule::has(const InstructionTime& row) const {
  return row.module.empty() || (row.module == name_ && (!program_ || row.program == program_));
}

void linkTimeline(const OpProfile& profile, const std::shared_ptr<const Module>& module) {
  if (!profile.timeline || !module) return;
  const auto isIt = [&](const ProfiledModule& each) {
    return each.name == module->name && each.module && haveSameInstructions(*each.module, *module);
  };
  const auto found = std::ranges::find_if(profile.modules, isIt);
  profile.timeline->link(module, found == profile.modules.end() ? std::nullopt : found->program);
}

Profile toProfile(const OpProfile& profile, const Module& module) {
  std::unordered_map<std::string_view, InstructionId> byName;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) byName.try_emplace(module.at(id).name, id);
  for (InstructionId id : module.entryComputation().instructions) byName[module.at(id).name] = id;
  Profile out;
  out.module = module.name;
  out.runs = std::max<int64_t>(profile.steps, 1);
  out.totalNs = profile.selfNs;
  const RowsOfModule rows(profile, module);
  for (const InstructionTime& row : profile.instructions) {
    const auto found = byName.find(row.name);
    if (found == byName.end() || !rows.has(row)) continue;
    out.steps.push_back({found->second, row.name, row.opcode, row.times.count, row.times.selfNs, row.times.minNs,
                         row.flops, row.bytes});
    out.sources.push_back({found->second, static_cast<double>(row.times.selfNs), row.flops, row.bytes, row.measured});
  }
  sortBy(out.sources, &SourceProfile::instruction);
  return out;
}

}  // namespace tessera
