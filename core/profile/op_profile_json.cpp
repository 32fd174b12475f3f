// See op_profile_json.h.
#include "core/profile/op_profile_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/profile/json_numbers.h"
#include "core/profile/sources/time_samples.h"

namespace tessera {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::pair<const char*, int64_t TimeStats::*> kTimes[] = {
    {"count", &TimeStats::count},  {"total_ns", &TimeStats::totalNs},   {"self_ns", &TimeStats::selfNs},
    {"min_ns", &TimeStats::minNs}, {"median_ns", &TimeStats::medianNs}, {"p99_ns", &TimeStats::p99Ns},
    {"max_ns", &TimeStats::maxNs},
};
constexpr std::pair<const char*, std::string InstructionTime::*> kTexts[] = {
    {"opcode", &InstructionTime::opcode}, {"category", &InstructionTime::category},
    {"module", &InstructionTime::module}, {"scope", &InstructionTime::scope},
    {"source", &InstructionTime::source},
};

void putTimes(OrderedJson& to, const TimeStats& times) {
  for (const auto& [key, field] : kTimes) to[key] = times.*field;
}

TimeStats timesIn(const OrderedJson& json) {
  TimeStats out;
  for (const auto& [key, field] : kTimes) out.*field = wholeOr<int64_t>(json, key, 0);
  return out;
}

OrderedJson rowJson(const InstructionTime& row, bool measure) {
  OrderedJson out = {{"name", row.name}, {"computation", row.computation}};
  putTimes(out, row.times);
  out["flops"] = row.flops;
  out["bytes"] = row.bytes;
  for (const auto& [key, field] : kTexts) out[key] = row.*field;
  if (!row.measured) out["measured"] = false;
  if (measure) out["value"] = row.value;
  return out;
}

InstructionTime rowIn(const OrderedJson& json) {
  InstructionTime out{.name = json.at("name").get<std::string>(), .computation = json.value("computation", "")};
  out.times = timesIn(json);
  out.flops = json.value("flops", 0.0);
  out.bytes = json.value("bytes", 0.0);
  for (const auto& [key, field] : kTexts) out.*field = json.value(key, "");
  out.measured = json.value("measured", true);
  out.value = json.value("value", 0.0);
  return out;
}

OrderedJson lostJson(const LostTime& row) {
  OrderedJson out = {{"name", row.name}};
  if (!row.reason.empty()) out["reason"] = row.reason;
  out["where"] = row.where;
  putTimes(out, row.times);
  if (row.value != 0) out["value"] = row.value;
  return out;
}

// All that is unmatched; of the host, whose functions are thousands, the longest.
OrderedJson lostList(const std::vector<LostTime>& rows, size_t most) {
  OrderedJson out = OrderedJson::array();
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) out.push_back(lostJson(rows[i]));
  return out;
}

std::vector<LostTime> lostIn(const OrderedJson& json, const char* key) {
  std::vector<LostTime> out;
  for (const OrderedJson& row : json.value(key, OrderedJson::array()))
    out.push_back({row.at("name").get<std::string>(), row.value("reason", ""), row.value("where", ""), timesIn(row),
                   row.value("value", 0.0)});
  return out;
}

OrderedJson moduleJson(const ProfiledModule& module) {
  OrderedJson out = {{"name", module.name}};
  if (module.program) out["program_id"] = *module.program;
  if (module.module) out["instructions"] = module.module->instructionCount();
  return out;
}

template <class Row>
int64_t totalOf(const std::vector<Row>& rows) {
  int64_t out = 0;
  for (const Row& row : rows) out = saturatingAdd(out, row.times.totalNs);
  return out;
}

// Somebody may have left out rows or written others: the sums are made of those that are there.
void sumRows(OpProfile& profile) {
  const int64_t placed = totalOf(profile.instructions), unmatched = totalOf(profile.unmatched);
  if (placed == profile.placedNs && unmatched == profile.unmatchedNs) return;
  profile.warnings.push_back(fmt::format(
      "the file says that {} ns are placed and {} ns unmatched, but its rows add up to {} ns and {} ns: the "
      "rows count",
      profile.placedNs, profile.unmatchedNs, placed, unmatched));
  profile.placedNs = placed;
  profile.unmatchedNs = unmatched;
}

OpProfile profileIn(const OrderedJson& json) {
  OpProfile out;
  out.format = json.value("format", "");
  out.measure = json.value("measure", "");
  out.steps = wholeOr<int64_t>(json, "steps", 0);
  const auto written = wholeAt<int64_t>(json, "total_ns");
  out.placedNs = wholeAt<int64_t>(json, "placed_ns");
  out.unmatchedNs = wholeOr<int64_t>(json, "unmatched_ns", 0);
  out.selfNs = wholeOr<int64_t>(json, "self_ns", written);
  if (json.contains("step_times")) out.stepTimes = timesIn(json["step_times"]);
  for (const OrderedJson& row : json.at("instructions")) out.instructions.push_back(rowIn(row));
  out.unmatched = lostIn(json, "unmatched");
  out.host = lostIn(json, "host");
  sumRows(out);
  out.totalNs = saturatingAdd(out.placedNs, out.unmatchedNs);
  for (const OrderedJson& module : json.value("modules", OrderedJson::array()))
    out.modules.push_back({module.value("name", ""), std::nullopt, nullptr});
  for (const auto& [key, list] :
       {std::pair{"hosts", &out.hosts}, std::pair{"runs", &out.runs}, std::pair{"devices", &out.devices}})
    *list = json.value(key, std::vector<std::string>());
  return out;
}

std::string quotedCsv(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

OrderedJson toJson(const OpProfile& profile) {
  constexpr size_t kHostRows = 100;
  OrderedJson out = {{"format", profile.format},      {"total_ns", profile.totalNs},
                     {"placed_ns", profile.placedNs}, {"unmatched_ns", profile.unmatchedNs},
                     {"self_ns", profile.selfNs},     {"steps", profile.steps}};
  if (!profile.measure.empty()) out["measure"] = profile.measure;
  if (profile.stepTimes.count > 0) putTimes(out["step_times"], profile.stepTimes);
  out["hosts"] = profile.hosts;
  out["runs"] = profile.runs;
  out["devices"] = profile.devices;
  out["modules"] = OrderedJson::array();
  for (const ProfiledModule& module : profile.modules) out["modules"].push_back(moduleJson(module));
  out["instructions"] = OrderedJson::array();
  for (const InstructionTime& row : profile.instructions)
    out["instructions"].push_back(rowJson(row, !profile.measure.empty()));
  out["unmatched"] = lostList(profile.unmatched, profile.unmatched.size());
  out["host"] = lostList(profile.host, kHostRows);
  out["host_names"] = profile.host.size();
  out["warnings"] = profile.warnings;
  return out;
}

Result<OpProfile> readOpProfileJson(const std::string& content, const std::string& fileName) {
  const OrderedJson json = OrderedJson::parse(content, nullptr, false);
  if (json.is_discarded())
    return fail({.message = "the profile's JSON does not read: it is cut or damaged", .file = fileName});
  try {
    return profileIn(json);
  } catch (const NumberOutOfRange& error) {
    return fail({.message = std::string("the profile's JSON does not read: ") + error.what(), .file = fileName});
  } catch (const OrderedJson::exception& error) {
    return fail({.message = std::string("the profile's JSON does not read: ") + error.what(), .file = fileName});
  }
}

std::string toCsv(const OpProfile& profile) {
  std::string out = "name,computation";
  for (const auto& [key, field] : kTimes) out += fmt::format(",{}", key);
  out += ",flops,bytes";
  for (const auto& [key, field] : kTexts) out += fmt::format(",{}", key);
  out += profile.measure.empty() ? "\n" : ",value\n";
  for (const InstructionTime& row : profile.instructions) {
    out += quotedCsv(row.name) + "," + quotedCsv(row.computation);
    for (const auto& [key, field] : kTimes) out += fmt::format(",{}", row.times.*field);
    out += fmt::format(",{},{}", row.flops, row.bytes);
    for (const auto& [key, field] : kTexts) out += "," + quotedCsv(row.*field);
    out += profile.measure.empty() ? "\n" : fmt::format(",{}\n", row.value);
  }
  return out;
}

std::string toCsv(const std::vector<GroupTime>& groups) {
  std::string out = "name,instructions,count,total_ns,self_ns,flops,bytes\n";
  for (const GroupTime& group : groups)
    out += fmt::format("{},{},{},{},{},{},{}\n", quotedCsv(group.name), group.instructions, group.count, group.totalNs,
                       group.selfNs, group.flops, group.bytes);
  return out;
}

}  // namespace tessera
