// See profile_table.h.
#include "app/cli/profile_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/picture/picture.h"

namespace tessera::cli {
namespace {

std::string percent(int64_t part, int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string timeText(int64_t ns) { return durationText(static_cast<double>(ns)); }

// Flops or bytes a nanosecond are giga a second.
std::string rate(double amount, int64_t ns) {
  return amount > 0 && ns > 0 ? fmt::format("{:.2f}", amount / static_cast<double>(ns)) : "-";
}

std::string joined(const std::vector<std::string>& words, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(words.size(), most); ++i) out += (i ? ", " : "") + words[i];
  return words.size() > most ? out + fmt::format(" and {} more", words.size() - most) : out;
}

std::vector<std::string> moduleWords(const OpProfile& profile) {
  std::vector<std::string> out;
  for (const ProfiledModule& module : profile.modules) {
    out.push_back(labelOf(module) + (module.module ? "" : ", not in the profile"));
  }
  return out;
}

void cutTable(std::vector<std::string>& lines, size_t shown, size_t all, const char* what) {
  if (shown < all) lines.push_back(fmt::format("… and {} more {} (--top=0 lists all)", all - shown, what));
}

std::string instructionLine(const InstructionTime& row, const OpProfile& profile) {
  const std::string place = row.computation.empty() ? row.name : row.computation + "/" + row.name;
  const std::string what = row.opcode.empty() ? "" : "  (" + row.opcode + ")";
  const TimeStats& times = row.times;
  return fmt::format("{:>10} {:>7} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>9}  {}{}{}", timeText(times.selfNs),
                     percent(times.selfNs, profile.selfNs), timeText(times.totalNs), times.count, timeText(times.minNs),
                     timeText(times.medianNs), timeText(times.p99Ns), rate(row.flops, times.selfNs),
                     rate(row.bytes, times.selfNs), place, what, row.measured ? "" : "  (a share)");
}

std::vector<std::string> valueLines(const OpProfile& profile, size_t top) {
  std::vector<std::string> out = {fmt::format("{:>16} {:>8}  instruction", profile.measure, "count")};
  const size_t shown = top == 0 ? profile.instructions.size() : std::min(top, profile.instructions.size());
  for (size_t i = 0; i < shown; ++i) {
    const InstructionTime& row = profile.instructions[i];
    out.push_back(fmt::format("{:>16} {:>8}  {}", row.value, row.times.count, row.name));
  }
  cutTable(out, shown, profile.instructions.size(), "instructions");
  return out;
}

std::string lostLine(const LostTime& row, bool time = true) {
  const std::string where = row.where.empty() ? "" : " on " + row.where;
  return fmt::format("{:>10} {:>8}  {}{}{}", time ? timeText(row.times.selfNs) : fmt::format("{}", row.value),
                     row.times.count, row.name, where, row.reason.empty() ? "" : ": " + row.reason);
}

int64_t selfOf(const std::vector<LostTime>& rows) {
  int64_t out = 0;
  for (const LostTime& row : rows) out += row.times.selfNs;
  return out;
}

}  // namespace

std::vector<std::string> summaryLines(const OpProfile& profile) {
  std::vector<std::string> out = {fmt::format("{} of {}", profile.format, joined(moduleWords(profile), 4))};
  if (profile.modules.empty()) out[0] = profile.format;
  if (!profile.hosts.empty()) out.push_back("hosts: " + joined(profile.hosts, 8));
  if (!profile.runs.empty()) out.push_back("runs: " + joined(profile.runs, 8));
  if (!profile.devices.empty()) out.push_back("devices: " + joined(profile.devices, 8));
  if (!profile.measure.empty()) return out;
  out.push_back(fmt::format("total {}: placed {} ({}), unmatched {} ({}); self {}", timeText(profile.totalNs),
                            timeText(profile.placedNs), percent(profile.placedNs, profile.totalNs),
                            timeText(profile.unmatchedNs), percent(profile.unmatchedNs, profile.totalNs),
                            timeText(profile.selfNs)));
  if (profile.steps > 0)
    out.push_back(fmt::format("{} {}, {} of instructions each", profile.steps, profile.steps == 1 ? "step" : "steps",
                              timeText(profile.selfNs / profile.steps)));
  if (profile.stepTimes.count > 0)
    out.push_back(fmt::format("a step lasts {} at least, {} in the median, {} at the 99th percentile",
                              timeText(profile.stepTimes.minNs), timeText(profile.stepTimes.medianNs),
                              timeText(profile.stepTimes.p99Ns)));
  return out;
}

std::vector<std::string> instructionLines(const OpProfile& profile, size_t top) {
  if (!profile.measure.empty()) return valueLines(profile, top);
  std::vector<std::string> out = {fmt::format("{:>10} {:>7} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>9}  {}", "self",
                                              "", "total", "count", "min", "median", "p99", "GF/s", "GB/s",
                                              "computation/instruction")};
  const size_t shown = top == 0 ? profile.instructions.size() : std::min(top, profile.instructions.size());
  for (size_t i = 0; i < shown; ++i) out.push_back(instructionLine(profile.instructions[i], profile));
  cutTable(out, shown, profile.instructions.size(), "instructions");
  return out;
}

std::vector<std::string> groupLines(const OpProfile& profile, const std::vector<GroupTime>& groups, size_t top) {
  std::vector<std::string> out = {fmt::format("{:>10} {:>7} {:>10} {:>8} {:>12} {:>9} {:>9}  group", "self", "",
                                              "total", "count", "instructions", "GF/s", "GB/s")};
  const size_t shown = top == 0 ? groups.size() : std::min(top, groups.size());
  for (size_t i = 0; i < shown; ++i) {
    const GroupTime& group = groups[i];
    out.push_back(fmt::format("{:>10} {:>7} {:>10} {:>8} {:>12} {:>9} {:>9}  {}", timeText(group.selfNs),
                              percent(group.selfNs, profile.selfNs), timeText(group.totalNs), group.count,
                              group.instructions, rate(group.flops, group.selfNs), rate(group.bytes, group.selfNs),
                              group.name));
  }
  cutTable(out, shown, groups.size(), "groups");
  return out;
}

std::vector<std::string> lostLines(const OpProfile& profile, size_t top) {
  constexpr size_t kHostRows = 5;
  std::vector<std::string> out;
  const size_t shown = top == 0 ? profile.unmatched.size() : std::min(top, profile.unmatched.size());
  const bool time = profile.measure.empty();
  if (shown > 0)
    out.push_back(time ? fmt::format("unmatched, {} in all:", timeText(profile.unmatchedNs)) : "unmatched:");
  for (size_t i = 0; i < shown; ++i) out.push_back(lostLine(profile.unmatched[i], time));
  cutTable(out, shown, profile.unmatched.size(), "unmatched names");
  if (!profile.host.empty())
    out.push_back(fmt::format("beside them on the host, in no sum above (Python, launches, waiting), {} in {} name{}:",
                              timeText(selfOf(profile.host)), profile.host.size(),
                              profile.host.size() == 1 ? "" : "s"));
  for (size_t i = 0; i < std::min(kHostRows, profile.host.size()); ++i) out.push_back(lostLine(profile.host[i]));
  return out;
}

// " (5 steps, 90.1 ms to 140 ms)"
std::string spreadText(const TimeStats& steps) {
  if (steps.count < 2) return {};
  return fmt::format(" ({} steps, {} to {})", steps.count, durationText(static_cast<double>(steps.minNs)),
                     durationText(static_cast<double>(steps.maxNs)));
}

std::vector<std::string> comparisonLines(const ProfileComparison& comparison) {
  constexpr size_t kRows = 10;
  const auto change = [](double before, double after) {
    return before > 0 ? fmt::format("{:+.1f} %", 100 * (after / before - 1)) : std::string("new");
  };
  std::vector<std::string> out = {fmt::format(
      "against the baseline{}: {}{} before, {}{} now, {}", comparison.perStep ? ", a step" : "",
      durationText(comparison.beforeNs), spreadText(comparison.beforeSteps), durationText(comparison.afterNs),
      spreadText(comparison.afterSteps), change(comparison.beforeNs, comparison.afterNs))};
  for (size_t i = 0; i < std::min(kRows, comparison.rows.size()); ++i) {
    const SlowerRow& row = comparison.rows[i];
    out.push_back(fmt::format("{:>10} {:>10} {:>10}  {}", durationText(row.beforeNs), durationText(row.afterNs),
                              change(row.beforeNs, row.afterNs), row.name));
  }
  return out;
}

std::vector<std::string> rooflineLines(const std::vector<RooflineDot>& kernels, const ModelError& error,
                                       const DevicePeaks& device, size_t top) {
  std::vector<std::string> out = {fmt::format("against {} ({}):", device.name, device.source),
                                  fmt::format("{:>10} {:>10} {:>10} {:>9} {:>9} {:>9}  {:8}  kernel", "measured",
                                              "at least", "wasted", "GF/s", "GB/s", "flop/B", "bound by")};
  const size_t shown = top == 0 ? kernels.size() : std::min(top, kernels.size());
  for (size_t i = 0; i < shown; ++i) {
    const RooflineDot& dot = kernels[i];
    out.push_back(fmt::format("{:>10} {:>10} {:>10} {:>9.2f} {:>9.2f} {:>9.2f}  {:8}  {}", durationText(dot.measuredNs),
                              durationText(dot.predictedNs),
                              durationText(std::max(0.0, dot.measuredNs - dot.predictedNs)), dot.rate(), dot.byteRate(),
                              dot.intensity(), nameOf(dot.bound), dot.name));
  }
  cutTable(out, shown, kernels.size(), "kernels");
  if (error.kernels > 0)
    out.push_back(fmt::format("measured is {:.3g} to {:.3g} times that, {:.3g} in the median, over {} kernels",
                              error.low, error.high, error.median, error.kernels));
  if (error.faster > 0) out.push_back(error.doubt());
  return out;
}

std::vector<std::string> communicationLines(const CommunicationTimes& communication) {
  if (communication.uses.empty()) return {"nothing was exchanged between devices"};
  std::vector<std::string> out = {fmt::format("communication: {} a run on a device, {} of it exposed",
                                              durationText(communication.ns), durationText(communication.exposedNs)),
                                  fmt::format("{:>10} {:>10} {:>8} {:>11} {:>9} {:>9} {:>10}  kind, groups", "time",
                                              "exposed", "count", "bytes each", "GB/s", "bus GB/s", "skew")};
  for (const CollectiveUse& use : groupedByKind(communication))
    out.push_back(fmt::format("{:>10} {:>10} {:>8g} {:>11} {:>9.2f} {:>9.2f} {:>10}  {}, {}{}", durationText(use.ns),
                              use.exposedKnown ? durationText(use.exposedNs) : "?", use.count, bytesText(use.bytes),
                              use.rate(), use.busRate(), use.skewNs > 0 ? durationText(use.skewNs) : "-", use.kind,
                              use.groups, use.axis.empty() ? "" : " along " + use.axis));
  for (const std::string& note : communication.notes) out.push_back(note);
  return out;
}

}  // namespace tessera::cli
