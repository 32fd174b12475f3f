// What holds of any recording of a profiler, however damaged: no time is lost between what is placed and what is not,
// the JSON reads back, and lanes of the timeline are in order. Used by the fuzz targets of profiles.
#pragma once

#include <nlohmann/json.hpp>

#include "core/profile/op_profile_json.h"
#include "core/profile/sources/matching.h"
#include "core/profile/sources/time_samples.h"
#include "core/profile/timeline.h"
#include "tests/fuzz/expect.h"

namespace tessera {

inline int64_t placedBy(const OpProfile& profile) {
  int64_t out = 0;
  for (const InstructionTime& row : profile.instructions) out = saturatingAdd(out, row.times.totalNs);
  return out;
}

inline void expectOrder(const Timeline& timeline) {
  for (const TimelineTrack& track : timeline.tracks)
    for (const TimelineLane& lane : track.lanes)
      for (size_t i = 0; i < lane.spans().size(); ++i) {
        const TimelineSpan& span = lane.spans()[i];
        expect(span.beginNs <= span.endNs, "a span ends after its begin");
        expect(i == 0 || lane.spans()[i - 1].endNs <= span.beginNs, "spans of a lane do not overlap");
        expect(timeline.realNs(timeline.beginNs(), span.beginNs) >= span.beginNs - timeline.beginNs(),
               "a pause is drawn no longer than it was");
      }
}

inline void expectPromises(const OpProfile& profile) {
  expect(placedBy(profile) == profile.placedNs, "the rows add up to what is placed");
  expect(saturatingAdd(profile.placedNs, profile.unmatchedNs) == profile.totalNs, "no time is lost");
  const std::string json = toJson(profile).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const auto again = readOpProfileJson(json);
  expect(again && again->totalNs == profile.totalNs, "what was written reads again", json);
  if (profile.timeline) expectOrder(*profile.timeline);
}

inline void expectPromises(Recorded recorded) {
  std::vector<Recorded> files;
  files.push_back(std::move(recorded));
  const OpProfile profile = matchProfiles(std::move(files), nullptr);
  for (const InstructionTime& row : profile.instructions)
    expect(row.times.selfNs >= 0 && row.times.selfNs <= row.times.totalNs, "own time is a part of the time", row.name);
  expectPromises(profile);
}

}  // namespace tessera
