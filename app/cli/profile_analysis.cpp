// See profile_analysis.h.
#include "app/cli/profile_analysis.h"

#include <fmt/format.h>

#include "app/cli/profile_table.h"
#include "backends/machine_peaks.h"
#include "core/analysis/report_page.h"
#include "core/formats/file_content.h"

namespace tessera::cli {
namespace {

// The module that is meant: the given one, else that of the profile whose instructions took longest.
std::shared_ptr<const Module> moduleOf(const OpProfile& profile, const std::shared_ptr<const Module>& given) {
  if (given) return given;
  const ProfiledModule* longest = longestModule(profile);
  return longest ? longest->module : nullptr;
}

// "": of a run on this machine this one, else the one that was recorded.
Result<std::shared_ptr<const DevicePeaks>> deviceOf(const std::string& name, const OpProfile& profile, bool wanted) {
  if (name == "this" || (name.empty() && wanted && profile.run))
    return std::make_shared<const DevicePeaks>(machinePeaks());
  if (name.empty()) return profile.device;
  if (name == "recorded" && profile.device) return profile.device;
  if (name == "recorded")
    return fail(ErrorKind::Usage, "the profile does not say what its device can do: name the device");
  if (const DevicePeaks* known = findDevice(name)) return std::make_shared<const DevicePeaks>(*known);
  std::string all = "this, recorded";
  for (const DevicePeaks& each : knownDevices()) all += ", " + each.name;
  return fail(
      {.kind = ErrorKind::Usage, .message = "the device is not known", .expected = "one of " + all, .found = name});
}

void tellRoofline(const OpTimes& times, const DevicePeaks& device, size_t top, Report& report) {
  const std::vector<RooflineDot> dots = rooflineDots(times, device, OpGrouping::None);
  const ModelError error = modelError(dots);
  double predicted = 0;
  for (const RooflineDot& dot : dots) predicted += dot.predictedNs;
  auto& to = report.object["roofline"];
  to = {{"device", device.name},        {"source", device.source},  {"predicted_ns", predicted},
        {"measured_ns", times.totalNs}, {"kernels", error.kernels}, {"error_low", error.low},
        {"error_median", error.median}, {"error_high", error.high}, {"faster_than_peaks", error.faster}};
  to["instructions"] = nlohmann::ordered_json::array();
  for (const RooflineDot& dot : dots)
    to["instructions"].push_back({{"name", dot.name},
                                  {"type", dot.type},
                                  {"flops", dot.flops},
                                  {"bytes", dot.bytes},
                                  {"measured_ns", dot.measuredNs},
                                  {"attainable_ns", dot.predictedNs},
                                  {"bound", nameOf(dot.bound)}});
  for (const std::string& line : rooflineLines(dots, error, device, top)) report.line(line);
}

void tellCommunication(const CommunicationTimes& found, Report& report) {
  auto& to = report.object["communication"];
  to = {{"devices", found.devices}, {"ns", found.ns}, {"exposed_ns", found.exposedNs}, {"bytes", found.bytes}};
  to["collectives"] = nlohmann::ordered_json::array();
  for (const CollectiveUse& use : groupedByKind(found))
    to["collectives"].push_back({{"kind", use.kind},
                                 {"groups", use.groups},
                                 {"axis", use.axis},
                                 {"group_size", use.groupSize},
                                 {"count", use.count},
                                 {"bytes", use.bytes},
                                 {"ns", use.ns},
                                 {"exposed_ns", use.exposedKnown ? nlohmann::ordered_json(use.exposedNs) : nullptr},
                                 {"gb_per_s", use.rate()},
                                 {"bus_gb_per_s", use.busRate()},
                                 {"skew_ns", use.skewNs}});
  to["notes"] = found.notes;
  for (const std::string& line : communicationLines(found)) report.line(line);
}

}  // namespace

Status tellAnalysis(const OpProfile& profile, const std::shared_ptr<const Module>& given, const std::string& source,
                    size_t top, const AnalysisArguments& options, Report& report) {
  const bool html = !options.html.empty();
  if (options.device.empty() && !options.communication && !html) return {};
  const std::shared_ptr<const Module> module = moduleOf(profile, given);
  OpTimes times = opTimesOf(profile, module);
  TESSERA_ASSIGN_OR_RETURN(const auto device, deviceOf(options.device, profile, html));
  if (device) holdAgainst(times, *device);
  if (device && !options.device.empty()) tellRoofline(times, *device, top, report);
  if (options.communication) {
    if (!module) return fail(ErrorKind::Usage, "--communication needs the module: the profile does not hold it");
    linkTimeline(profile, module);
    tellCommunication(communicationOf(*module, times, profile.timeline.get()), report);
  }
  if (!html) return {};
  linkTimeline(profile, module);
  const std::string page = reportPage({source, &profile, module, std::move(times), device});
  if (options.html == "-") return report.line(page), Status();
  return writeFileAtomically(options.html, page);
}

}  // namespace tessera::cli
