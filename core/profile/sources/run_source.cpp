// See run_source.h.
#include "core/profile/sources/run_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/sorting.h"
#include "core/base/whole_number.h"
#include "core/profile/op_times.h"
#include "core/profile/sources/instruction_index.h"
#include "core/profile/sources/time_stats.h"
#include "core/profile/timeline.h"

namespace tessera {
namespace {

constexpr int64_t kPsPerNs = 1000;

int64_t sampleOf(int64_t ns) { return std::clamp<int64_t>(ns, 0, int64_t{1} << 50) * kPsPerNs; }

TimeSamples samplesOf(std::span<const int64_t> eachNs) {
  TimeSamples out;
  for (int64_t ns : eachNs) out.add(sampleOf(ns), sampleOf(ns));
  return out;
}

// The durations that the timeline has of each step, where they add up to the step's own time: a loop's hold those of
// its body, too.
std::vector<TimeSamples> samplesOf(const Profile& profile) {
  std::vector<TimeSamples> out(profile.steps.size());
  for (const TimelineEvent& event : profile.timeline) {
    const int64_t ps = sampleOf(event.endNs - event.beginNs);
    out[static_cast<size_t>(event.step)].add(ps, ps);
  }
  return out;
}

// Each execution where the timeline has it, else the mean of those of each run, else of all.
TimeStats statsOfStep(const StepProfile& step, int64_t runs, TimeSamples samples) {
  constexpr double kEqual = 0.01;
  const auto total = static_cast<double>(step.totalNs);
  const bool whole =
      samples.count == step.count && std::abs(static_cast<double>(toNs(samples.totalPs)) - total) <= kEqual * total;
  const int64_t mean = step.count > 0 ? step.totalNs / step.count : 0;
  TimeStats out{.medianNs = mean, .p99Ns = mean, .maxNs = mean};
  if (whole) {
    out = statsOf(std::move(samples));
  } else if (!step.runNs.empty() && std::cmp_equal(step.runNs.size(), runs) && step.count > 0 &&
             step.count % runs == 0) {
    std::vector<int64_t> means = step.runNs;
    for (int64_t& ns : means) ns /= step.count / runs;
    out = statsOf(samplesOf(means));
  }
  out.count = step.count;
  out.totalNs = out.selfNs = step.totalNs;
  out.minNs = step.minNs;
  return out;
}

std::vector<TimeStats> statsOfSteps(const Profile& profile) {
  std::vector<TimeSamples> samples = samplesOf(profile);
  std::vector<TimeStats> out;
  for (size_t i = 0; i < profile.steps.size(); ++i)
    out.push_back(statsOfStep(profile.steps[i], profile.runs, std::move(samples[i])));
  return out;
}

void addSteps(OpProfile& out, const Profile& profile) {
  const std::vector<TimeStats> stats = statsOfSteps(profile);
  for (size_t i = 0; i < profile.steps.size(); ++i) {
    const StepProfile& step = profile.steps[i];
    out.instructions.push_back({.name = step.name,
                                .opcode = step.what,
                                .module = profile.module,
                                .times = stats[i],
                                .flops = step.flops,
                                .bytes = step.bytes});
  }
}

// What is known of a step's executions, as large as an instruction's share of it.
TimeStats sharedStats(TimeStats step, double share) {
  for (int64_t TimeStats::*each : {&TimeStats::minNs, &TimeStats::medianNs, &TimeStats::p99Ns, &TimeStats::maxNs})
    step.*each = saturatingWhole(std::round(static_cast<double>(step.*each) * share));
  return step;
}

// Of what several steps compute together: its shares of them, run by run where each run is known, else the mean.
TimeStats statsOfShares(const Profile& profile, const std::vector<const StepShare*>& shares, int64_t totalNs) {
  const auto stepOf = [&](const StepShare* share) -> const StepProfile& {
    return profile.steps[static_cast<size_t>(share->step)];
  };
  const auto knowsRuns = [&](const StepShare* share) {
    return stepOf(share).totalNs > 0 && std::cmp_equal(stepOf(share).runNs.size(), profile.runs);
  };
  if (shares.empty() || profile.runs < 1 || !std::ranges::all_of(shares, knowsRuns)) {
    const int64_t mean = totalNs / std::max<int64_t>(profile.runs, 1);
    return {.count = profile.runs, .minNs = mean, .medianNs = mean, .p99Ns = mean, .maxNs = mean};
  }
  std::vector<double> each(static_cast<size_t>(profile.runs), 0);
  for (const StepShare* share : shares) {
    const double part = share->timeNs / static_cast<double>(stepOf(share).totalNs);
    for (size_t run = 0; run < each.size(); ++run) each[run] += part * static_cast<double>(stepOf(share).runNs[run]);
  }
  std::vector<int64_t> whole;
  for (double ns : each) whole.push_back(saturatingWhole(std::round(ns)));
  return statsOf(samplesOf(whole));
}

InstructionTime sourceRow(const SourceProfile& source, const InstructionIndex& index, TimeStats times) {
  InstructionTime out = index.describe(source.instruction);
  out.times = times;
  out.times.totalNs = out.times.selfNs = saturatingWhole(std::round(source.timeNs));
  out.flops = source.flops;
  out.bytes = source.bytes;
  out.measured = source.measured;
  return out;
}

void addSources(OpProfile& out, const Profile& profile, const std::shared_ptr<const Module>& given) {
  const InstructionIndex index(given);
  const std::vector<TimeStats> steps = statsOfSteps(profile);
  std::unordered_map<InstructionId, std::vector<const StepShare*>> sharesOf;
  for (const StepShare& share : profile.shares) sharesOf[share.instruction].push_back(&share);
  for (const SourceProfile& source : profile.sources) {
    if (!given->contains(source.instruction)) continue;
    const std::vector<const StepShare*>& shares = sharesOf[source.instruction];
    const TimeStats* only = shares.size() == 1 ? &steps[static_cast<size_t>(shares[0]->step)] : nullptr;
    const bool isOfOne = only && only->totalNs > 0;
    out.instructions.push_back(
        sourceRow(source, index,
                  isOfOne ? sharedStats(*only, source.timeNs / static_cast<double>(only->totalNs))
                          : statsOfShares(profile, shares, saturatingWhole(std::round(source.timeNs)))));
  }
}

void addLost(OpProfile& out, const std::string& name, const std::string& reason, int64_t ns) {
  if (ns <= 0) return;
  out.unmatched.push_back({name, reason, {}, {1, ns, ns, ns, ns, ns, ns}});
  out.unmatchedNs = saturatingAdd(out.unmatchedNs, ns);
}

}  // namespace

OpProfile fromRun(const Profile& profile, std::shared_ptr<const Module> given) {
  OpProfile out;
  out.format = "profile of `tessera run --profile`";
  out.steps = profile.runs;
  if (std::cmp_equal(profile.runNs.size(), profile.runs)) out.stepTimes = statsOf(samplesOf(profile.runNs));
  out.devices = {"CPU"};
  const bool foreign = given && given->name != profile.module;
  if (foreign)
    out.warnings.push_back(
        fmt::format("the profile is of the module {}, and {} is given", profile.module, given->name));
  if (given && !foreign)
    addSources(out, profile, given);
  else if (!foreign)
    addSteps(out, profile);
  for (const InstructionTime& row : out.instructions) out.placedNs = saturatingAdd(out.placedNs, row.times.selfNs);
  if (foreign)
    addLost(out, profile.module, "it is of another module", profile.totalNs);
  else
    addLost(out, "outside of steps", "between the steps of the plan: calling, waiting, and what has no step of its own",
            saturatingAdd(profile.totalNs, -std::max<int64_t>(out.placedNs, -INT64_MAX)));
  out.totalNs = out.selfNs = saturatingAdd(out.placedNs, out.unmatchedNs);
  if (given && !foreign && !profile.timeline.empty()) out.timeline = timelineOf(profile, given);
  out.run = std::make_shared<const Profile>(profile);
  out.modules.push_back({profile.module, std::nullopt, std::move(given)});
  sortDescending(out.instructions, [](const InstructionTime& row) { return row.times.selfNs; });
  return out;
}

std::optional<OpProfile> medianRunOf(const OpProfile& profile) {
  if (!profile.run || profile.run->runs < 2 || profile.instructions.empty()) return std::nullopt;
  OpProfile out = fromRun(medianRun(*profile.run), profile.modules.at(0).module);
  std::map<std::pair<std::string_view, std::string_view>, const TimeStats*> all;
  for (const InstructionTime& row : profile.instructions) all[{row.computation, row.name}] = &row.times;
  for (InstructionTime& row : out.instructions) {
    const auto found = all.find({row.computation, row.name});
    if (found == all.end()) continue;
    for (int64_t TimeStats::*each : {&TimeStats::minNs, &TimeStats::medianNs, &TimeStats::p99Ns, &TimeStats::maxNs})
      row.times.*each = found->second->*each;
  }
  return out;
}

}  // namespace tessera
