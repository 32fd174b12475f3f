// tessera machine: the measured roofline of this machine's processor or of a card in it, or its tuning constants.
#include <fmt/format.h>

#include "app/cli/command.h"
#include "backends/backend.h"
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

void tell(const Roofline& roofline, bool isCard, Report& report) {
  report.object.update(asJson(roofline));
  report.line(fmt::format("{}, {} {}", roofline.processor, roofline.cores, isCard ? "multiprocessors" : "cores"));
  report.line(
      fmt::format("{:20} {:>12} {:>12}", "", isCard ? "one block" : "one core", isCard ? "whole card" : "all cores"));
  for (const ArithmeticPeak& peak : roofline.arithmetic)
    report.line(fmt::format("{:20} {:12.1f} {:12.1f}  Gop/s", peak.type, peak.oneCore / 1e9, peak.allCores / 1e9));
  for (const MemoryPeak& peak : roofline.memory)
    report.line(fmt::format("{:20} {:12.1f} {:12.1f}  GB/s", peak.level + " " + peak.how, peak.oneCore / 1e9,
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

struct MachineArguments {
  double seconds = 0.05;
  bool listsTuning = false, listsDevices = false;
  std::string backend = "cpu", device;
};

Status measure(const MachineArguments& options, Report& report) {
  if (!options.device.empty() && options.backend != "cuda")
    return fail(ErrorKind::Usage, "--device goes with --backend=cuda");
  if (options.backend == "cpu") {
    const Roofline measured = measureRoofline(options.seconds);
    keepPeaks(peaksOf(measured, today()));
    tell(measured, false, report);
    return {};
  }
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(options.backend));
  TESSERA_ASSIGN_OR_RETURN(const Roofline roofline, backend->roofline(options.device, options.seconds));
  tell(roofline, true, report);
  return {};
}

}  // namespace

void addMachine(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("machine", "Measure what this machine can do at most: its roofline");
  auto options = std::make_shared<MachineArguments>();
  command->add_option("--seconds", options->seconds, "Time for each figure")->check(CLI::Range(0.001, 10.0));
  command->add_option("--backend", options->backend, "cpu, or cuda: a card")->check(CLI::IsMember({"cpu", "cuda"}));
  command->add_option("--device", options->device, "Of the backend cuda: a card's number (default: the first card)");
  command->add_flag("--tuning", options->listsTuning,
                    "List the constants that decide how programs are compiled, instead");
  command->add_flag("--devices", options->listsDevices, "List the devices that profiles can be held against, instead");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "What is measured of the processor is kept with its date, and read by `profile --device=this` and the studio.\n"
      "Example: tessera machine --json");
  command->callback([options, &report] {
    if (options->listsTuning) return tellTuning(report);
    if (options->listsDevices) return tellDevices(report);
    if (auto status = measure(*options, report); !status) report.failure(status.error());
  });
}

}  // namespace tessera::cli
