// tessera machine: the measured roofline of this machine, or its tuning constants.
#include <fmt/format.h>

#include "app/cli/command.h"
#include "backends/machine_peaks.h"
#include "core/base/tuning_constants.h"

namespace tessera::cli {
namespace {

nlohmann::ordered_json asJson(const Roofline& roofline) {
  nlohmann::ordered_json out{{"processor", roofline.processor}, {"cores", roofline.cores}};
  out["arithmetic"] = nlohmann::ordered_json::array();
  for (const ArithmeticPeak& peak : roofline.arithmetic)
    out["arithmetic"].push_back({{"type", peak.type}, {"one_core", peak.oneCore}, {"all_cores", peak.allCores}});
  out["memory"] = nlohmann::ordered_json::array();
  for (const MemoryPeak& peak : roofline.memory)
    out["memory"].push_back(
        {{"level", peak.level}, {"how", peak.how}, {"one_core", peak.oneCore}, {"all_cores", peak.allCores}});
  return out;
}

void tell(const Roofline& roofline, Report& report) {
  report.object.update(asJson(roofline));
  report.line(fmt::format("{}, {} cores", roofline.processor, roofline.cores));
  report.line(fmt::format("{:14} {:>12} {:>12}", "", "one core", "all cores"));
  for (const ArithmeticPeak& peak : roofline.arithmetic)
    report.line(fmt::format("{:14} {:12.1f} {:12.1f}  Gop/s", peak.type, peak.oneCore / 1e9, peak.allCores / 1e9));
  for (const MemoryPeak& peak : roofline.memory)
    report.line(fmt::format("{:14} {:12.1f} {:12.1f}  GB/s", peak.level + " " + peak.how, peak.oneCore / 1e9,
                            peak.allCores / 1e9));
}

void tellDevices(Report& report) {
  report.object["devices"] = nlohmann::ordered_json::array();
  for (const DevicePeaks& device : knownDevices()) {
    report.object["devices"].push_back({{"name", device.name},
                                        {"flops_per_second", device.flopsPerSecond},
                                        {"bytes_per_second", device.bytesPerSecond},
                                        {"source", device.source}});
    std::string rates;
    for (const auto& [type, flops] : device.flopsPerSecond)
      if (type == "f64" || type == "f32" || type == "bf16" || type == "s8")
        rates += fmt::format(" {} {:.4g}", type, flops / 1e12);
    report.line(fmt::format("{:24} {:>7.0f} GB/s, Tflop/s:{:40}  {}", device.name, device.bytesPerSecond / 1e9, rates,
                            device.source));
  }
}

void tellTuning(Report& report) {
  report.object["tuning"] = nlohmann::ordered_json::array();
  for (const TuningConstant& constant : tuningConstants(tuning())) {
    report.object["tuning"].push_back({{"name", constant.name},
                                       {"value", constant.value},
                                       {"least", constant.least},
                                       {"most", constant.most},
                                       {"whole", constant.isWhole},
                                       {"decides", constant.decides},
                                       {"chosen_by", constant.chosenBy}});
    report.line(fmt::format("{:34} {:>12}  {}", constant.name, constant.value, constant.decides));
  }
}

}  // namespace

void addMachine(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("machine", "Measure what this machine can do at most: its roofline");
  auto seconds = std::make_shared<double>(0.05);
  command->add_option("--seconds", *seconds, "Time for each figure")->check(CLI::Range(0.001, 10.0));
  auto listsTuning = std::make_shared<bool>(false);
  command->add_flag("--tuning", *listsTuning, "List the constants that decide how programs are compiled, instead");
  auto listsDevices = std::make_shared<bool>(false);
  command->add_flag("--devices", *listsDevices, "List the devices that profiles can be held against, instead");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "What is measured is kept with its date, and read by `profile --device=this` and the studio.\n"
      "Example: tessera machine --json");
  command->callback([seconds, listsTuning, listsDevices, &report] {
    if (*listsTuning) return tellTuning(report);
    if (*listsDevices) return tellDevices(report);
    const Roofline measured = measureRoofline(*seconds);
    keepPeaks(peaksOf(measured, today()));
    tell(measured, report);
  });
}

}  // namespace tessera::cli
