// Any bytes as a profile of XLA, with the modules that it holds: reading and matching end without a crash, no time is
// lost between what is placed and what is not, and the JSON reads back.
#include <nlohmann/json.hpp>

#include "core/profile/op_profile_json.h"
#include "core/profile/sources/matching.h"
#include "core/profile/sources/xplane.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

static int64_t placedBy(const OpProfile& profile) {
  int64_t out = 0;
  for (const InstructionTime& row : profile.instructions) {
    expect(row.times.selfNs >= 0 && row.times.selfNs <= row.times.totalNs, "own time is a part of the time", row.name);
    out = __builtin_add_overflow(out, row.times.totalNs, &out) ? INT64_MAX : out;
  }
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto recorded = readXplane({reinterpret_cast<const char*>(data), size});
  if (!recorded) return expect(!recorded.error().message.empty(), "what is no profile says why"), 0;
  std::vector<Recorded> files;
  files.push_back(*std::move(recorded));
  const OpProfile profile = matchProfiles(std::move(files), nullptr);
  const int64_t placed = placedBy(profile);
  expect(placed == profile.placedNs, "the rows add up to what is placed");
  expect(profile.totalNs == INT64_MAX || profile.totalNs == profile.placedNs + profile.unmatchedNs, "no time is lost");
  const std::string json = toJson(profile).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const auto again = readOpProfileJson(json);
  expect(again && again->totalNs == profile.totalNs, "what was written reads again", json);
  return 0;
}
