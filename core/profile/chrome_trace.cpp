// Profile <-> Chrome trace JSON. The events are what Perfetto draws; the object "tessera" carries the whole profile, so
// reading gives back what was written.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/profile/json_numbers.h"
#include "core/profile/profile.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

Json stepJson(const StepProfile& step) {
  return {{"instruction", step.instruction.value},
          {"name", step.name},
          {"what", step.what},
          {"count", step.count},
          {"total_ns", step.totalNs},
          {"min_ns", step.minNs},
          {"flops", step.flops},
          {"bytes", step.bytes},
          {"runs_ns", step.runNs}};
}

// Five numbers, since a large module has a hundred thousand.
Json shareJson(const StepShare& share) {
  return {share.step, share.instruction.value, share.timeNs, share.flops, share.bytes};
}

Json sourceJson(const SourceProfile& source) {
  return {{"instruction", source.instruction.value},
          {"time_ns", source.timeNs},
          {"flops", source.flops},
          {"bytes", source.bytes},
          {"measured", source.measured}};
}

Json eventJson(const Profile& profile, const TimelineEvent& event) {
  const bool known = event.step >= 0 && static_cast<size_t>(event.step) < profile.steps.size();
  const StepProfile* step = known ? &profile.steps[static_cast<size_t>(event.step)] : nullptr;
  return {{"name", step ? step->name : "step " + std::to_string(event.step)},
          {"cat", step ? step->what : ""},
          {"ph", "X"},
          {"pid", 1},
          {"tid", event.thread},
          {"ts", static_cast<double>(event.beginNs) / 1000.0},
          {"dur", static_cast<double>(event.endNs - event.beginNs) / 1000.0},
          {"args", {{"step", event.step}, {"begin_ns", event.beginNs}, {"end_ns", event.endNs}}}};
}

StepProfile stepFrom(const Json& json) {
  return {InstructionId(wholeAt<uint32_t>(json, "instruction")),
          json.at("name").get<std::string>(),
          json.at("what").get<std::string>(),
          wholeAt<int64_t>(json, "count"),
          wholeAt<int64_t>(json, "total_ns"),
          wholeAt<int64_t>(json, "min_ns"),
          json.value("flops", 0.0),
          json.value("bytes", 0.0),
          wholesIn<int64_t>(json, "runs_ns")};
}

StepShare shareFrom(const Json& json) {
  return {wholeIn<int32_t>(json.at(0), "shares"), InstructionId(wholeIn<uint32_t>(json.at(1), "shares")),
          json.at(2).get<double>(), json.at(3).get<double>(), json.at(4).get<double>()};
}

SourceProfile sourceFrom(const Json& json) {
  return {InstructionId(wholeAt<uint32_t>(json, "instruction")), json.at("time_ns").get<double>(),
          json.at("flops").get<double>(), json.at("bytes").get<double>(), json.at("measured").get<bool>()};
}

Profile profileFrom(const Json& json) {
  Profile out;
  const Json& own = json.at("tessera");
  out.module = own.at("module").get<std::string>();
  out.runs = wholeAt<int64_t>(own, "runs");
  out.totalNs = wholeAt<int64_t>(own, "total_ns");
  for (const Json& step : own.at("steps")) out.steps.push_back(stepFrom(step));
  for (const Json& source : own.at("sources")) out.sources.push_back(sourceFrom(source));
  out.runNs = wholesIn<int64_t>(own, "runs_ns");
  out.threadNames = own.value("threads", std::vector<std::string>());
  for (const Json& share : own.value("shares", Json::array())) {
    const StepShare read = shareFrom(share);
    if (read.step >= 0 && static_cast<size_t>(read.step) < out.steps.size()) out.shares.push_back(read);
  }
  for (const Json& event : json.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const Json& args = event.at("args");
    const int32_t step = wholeAt<int32_t>(args, "step");
    if (step < 0 || static_cast<size_t>(step) >= out.steps.size()) continue;
    out.timeline.push_back(
        {wholeAt<int32_t>(event, "tid"), step, wholeAt<int64_t>(args, "begin_ns"), wholeAt<int64_t>(args, "end_ns")});
  }
  return out;
}

}  // namespace

std::string toChromeTrace(const Profile& profile) {
  Json steps = Json::array(), sources = Json::array(), shares = Json::array(), events = Json::array();
  for (const StepProfile& step : profile.steps) steps.push_back(stepJson(step));
  for (const SourceProfile& source : profile.sources) sources.push_back(sourceJson(source));
  for (const StepShare& share : profile.shares) shares.push_back(shareJson(share));
  events.push_back(
      {{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 0}, {"args", {{"name", profile.module}}}});
  for (size_t thread = 0; thread < profile.threadNames.size(); ++thread)
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", thread},
                      {"args", {{"name", profile.nameOfThread(thread)}}}});
  for (const TimelineEvent& event : profile.timeline) events.push_back(eventJson(profile, event));
  Json own = {{"version", 1},
              {"module", profile.module},
              {"runs", profile.runs},
              {"total_ns", profile.totalNs},
              {"runs_ns", profile.runNs},
              {"threads", profile.threadNames},
              {"steps", std::move(steps)},
              {"sources", std::move(sources)},
              {"shares", std::move(shares)}};
  Json out = {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}, {"tessera", std::move(own)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Profile> readChromeTrace(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(error.byte > text.size()
                    ? fmt::format("the JSON of the profile ends too early, after {} bytes", text.size())
                    : fmt::format("the profile is no JSON at byte {}", error.byte));
  } catch (const Json::exception& error) {  // a number beyond all doubles
    return fail(std::string("the profile does not read: ") + error.what());
  }
  if (!json.is_object() || !json.contains("tessera"))
    return fail("the JSON is no profile that this program wrote: it lacks \"tessera\"");
  try {
    return profileFrom(json);
  } catch (const NumberOutOfRange& error) {
    return fail(std::string("the profile does not read: ") + error.what());
  } catch (const Json::exception& error) {
    return fail(std::string("the profile does not read: ") + error.what());
  }
}

}  // namespace tessera
