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

// Devices compile the same module, so their steps agree by place; what does not is a step of its own.
std::vector<int32_t> addSteps(Profile& into, const Profile& from) {
  std::vector<int32_t> places;
  for (size_t i = 0; i < from.steps.size(); ++i) {
    const StepProfile& step = from.steps[i];
    const bool same = i < into.steps.size() && into.steps[i].name == step.name && into.steps[i].what == step.what;
    if (same)
      add(into.steps[i], step);
    else
      into.steps.push_back(step);
    places.push_back(static_cast<int32_t>(same ? i : into.steps.size() - 1));
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

int32_t threadsOf(const Profile& profile) {
  int32_t out = 1;
  for (const TimelineEvent& event : profile.timeline) out = std::max(out, event.thread + 1);
  return out;
}

}  // namespace

void addDevices(Profile& into, std::vector<Profile> devices) {
  const int64_t before = into.totalNs;  // later runs follow in the timeline
  int32_t thread = 0;
  int64_t longest = 0, runs = 0;
  for (const Profile& device : devices) {
    into.module = device.module;
    const std::vector<int32_t> places = addSteps(into, device);
    addSources(into, device);
    for (TimelineEvent event : device.timeline) {
      event.thread += thread;
      event.step = places[static_cast<size_t>(event.step)];
      event.beginNs += before;
      event.endNs += before;
      into.timeline.push_back(event);
    }
    thread += threadsOf(device);
    longest = std::max(longest, device.totalNs);
    runs = std::max(runs, device.runs);
  }
  into.runs += runs;
  into.totalNs += longest;
}

}  // namespace tessera
