// See op_profile.h.
#include "core/profile/op_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/base/sorting.h"

namespace tessera {
namespace {

const std::string& groupName(const InstructionTime& row, ProfileGroup by) {
  switch (by) {
    case ProfileGroup::Opcode: return row.opcode;
    case ProfileGroup::Category: return row.category;
    case ProfileGroup::Scope: return row.scope;
    case ProfileGroup::Source: return row.source;
    case ProfileGroup::Computation: return row.computation;
    case ProfileGroup::Module: return row.module;
  }
  return row.opcode;
}

double perStep(int64_t ns, const OpProfile& profile, bool divide) {
  return static_cast<double>(ns) / (divide ? static_cast<double>(profile.steps) : 1.0);
}

}  // namespace

std::vector<GroupTime> groupedBy(const OpProfile& profile, ProfileGroup by) {
  std::map<std::string, GroupTime> groups;
  for (const InstructionTime& row : profile.instructions) {
    const std::string& name = groupName(row, by);
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
  out.beforeNs = perStep(before.selfNs, before, out.perStep);
  out.afterNs = perStep(after.selfNs, after, out.perStep);
  std::map<std::string, SlowerRow> rows;
  for (const InstructionTime& row : before.instructions)
    rows[row.name].beforeNs += perStep(row.times.selfNs, before, out.perStep);
  for (const InstructionTime& row : after.instructions)
    rows[row.name].afterNs += perStep(row.times.selfNs, after, out.perStep);
  for (auto& [name, row] : rows) {
    row.name = name;
    if (row.beforeNs != row.afterNs) out.rows.push_back(std::move(row));
  }
  const auto difference = [](const SlowerRow& row) { return std::abs(row.afterNs - row.beforeNs); };
  sortDescending(out.rows, difference);
  return out;
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
  for (const InstructionTime& row : profile.instructions) {
    const auto found = byName.find(row.name);
    if (found == byName.end() || (!row.module.empty() && row.module != module.name)) continue;
    out.steps.push_back({found->second, row.name, row.opcode, row.times.count, row.times.selfNs, row.times.minNs,
                         row.flops, row.bytes});
    out.sources.push_back({found->second, static_cast<double>(row.times.selfNs), row.flops, row.bytes, row.measured});
  }
  sortBy(out.sources, &SourceProfile::instruction);
  return out;
}

}  // namespace tessera
