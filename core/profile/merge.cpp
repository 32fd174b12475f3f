// See merge.h.
#include "core/profile/merge.h"

#include <algorithm>

namespace tessera {
namespace {

void add(StepProfile& into, const StepProfile& step) {
  into.minNs = into.count == 0 ? step.minNs : step.count == 0 ? into.minNs : std::min(into.minNs, step.minNs);
  into.count += step.count;
  into.totalNs += step.totalNs;
  into.flops += step.flops;
  into.bytes += step.bytes;
}

// Times of each run, of which the last begin at `first`; a device's add up.
void addRuns(std::vector<int64_t>& into, const std::vector<int64_t>& runs, size_t first) {
  into.resize(std::max(into.size(), first + runs.size()));
  for (size_t i = 0; i < runs.size(); ++i) into[first + i] += runs[i];
}

// Devices compile the same module, so their steps agree by place; what does not is a step of its own.
std::vector<int32_t> addSteps(Profile& into, const Profile& from, size_t firstRun) {
  std::vector<int32_t> places;
  for (size_t i = 0; i < from.steps.size(); ++i) {
    const StepProfile& step = from.steps[i];
    const bool same = i < into.steps.size() && into.steps[i].name == step.name && into.steps[i].what == step.what;
    if (same)
      add(into.steps[i], step);
    else
      into.steps.push_back(step);
    places.push_back(static_cast<int32_t>(same ? i : into.steps.size() - 1));
    StepProfile& added = into.steps[static_cast<size_t>(places.back())];
    if (!same) added.runNs.clear();
    addRuns(added.runNs, step.runNs, firstRun);
  }
  return places;
}

// Both are sorted by instruction.
void addSources(Profile& into, const Profile& from) {
  std::vector<SourceProfile> out;
  auto a = into.sources.begin();
  for (const SourceProfile& source : from.sources) {
    for (; a != into.sources.end() && a->instruction < source.instruction; ++a) out.push_back(*a);
    if (a == into.sources.end() || a->instruction != source.instruction) {
      out.push_back(source);
      continue;
    }
    SourceProfile sum = *a++;
    sum.timeNs += source.timeNs;
    sum.flops += source.flops;
    sum.bytes += source.bytes;
    sum.measured = sum.measured && source.measured;
    out.push_back(sum);
  }
  out.insert(out.end(), a, into.sources.end());
  into.sources = std::move(out);
}

// Those of devices that agree are at the same places.
void addShares(Profile& into, const Profile& from, const std::vector<int32_t>& places) {
  for (size_t i = 0; i < from.shares.size(); ++i) {
    StepShare share = from.shares[i];
    share.step = places[static_cast<size_t>(share.step)];
    const bool same =
        i < into.shares.size() && into.shares[i].step == share.step && into.shares[i].instruction == share.instruction;
    if (!same) {
      into.shares.push_back(share);
      continue;
    }
    into.shares[i].timeNs += share.timeNs;
    into.shares[i].flops += share.flops;
    into.shares[i].bytes += share.bytes;
  }
}

int32_t threadsOf(const Profile& profile) {
  auto out = std::max<int32_t>(1, static_cast<int32_t>(profile.threadNames.size()));
  for (const TimelineEvent& event : profile.timeline) out = std::max(out, event.thread + 1);
  return out;
}

// A device with one row that has no name is the row's name.
std::string trackName(const Profile& device, int32_t row, int32_t rows, bool isOneOfSeveral, int64_t number) {
  const auto i = static_cast<size_t>(row);
  const std::string own = i < device.threadNames.size() ? device.threadNames[i] : "";
  if (!isOneOfSeveral) return own;
  const std::string name = "device " + std::to_string(number);
  return own.empty() && rows == 1 ? name : name + ", " + device.nameOfThread(i);
}

}  // namespace

void addDevices(Profile& into, std::vector<Profile> devices) {
  const int64_t before = into.totalNs;  // later runs follow in the timeline
  const auto firstRun = static_cast<size_t>(into.runs);
  int32_t thread = 0;
  int64_t longest = 0, runs = 0, number = 0;
  for (const Profile& device : devices) {
    into.module = device.module;
    const std::vector<int32_t> places = addSteps(into, device, firstRun);
    addSources(into, device);
    addShares(into, device, places);
    into.runNs.resize(std::max(into.runNs.size(), firstRun + device.runNs.size()));
    for (size_t i = 0; i < device.runNs.size(); ++i)
      into.runNs[firstRun + i] = std::max(into.runNs[firstRun + i], device.runNs[i]);
    for (TimelineEvent event : device.timeline) {
      event.thread += thread;
      event.step = places[static_cast<size_t>(event.step)];
      event.beginNs += before;
      event.endNs += before;
      into.timeline.push_back(event);
    }
    const int32_t threads = threadsOf(device);
    into.threadNames.resize(std::max(into.threadNames.size(), static_cast<size_t>(thread + threads)));
    for (int32_t i = 0; i < threads; ++i)
      into.threadNames[static_cast<size_t>(thread + i)] = trackName(device, i, threads, devices.size() > 1, number);
    thread += threads;
    ++number;
    longest = std::max(longest, device.totalNs);
    runs = std::max(runs, device.runs);
  }
  into.runs += runs;
  into.totalNs += longest;
}

}  // namespace tessera
