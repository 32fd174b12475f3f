// tessera scale FILE: the time of a step on many devices, predicted from one device's measured work and a model of the
// links; beside it what real ranks on this machine take, and what the model says of them.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/cli/command.h"
#include "app/cli/rank_trial.h"
#include "backends/alone_profile.h"
#include "core/base/units.h"
#include "core/scaling/prediction.h"

namespace tessera::cli {
namespace {

struct ScaleArguments {
  std::string file, links, grow;
  RankDevice on;
  std::vector<int64_t> devices = {8, 64, 512, 4096}, ranks = {2, 4};
  int64_t replicas = 0, partitions = 0, runs = 5;
};

double milliseconds(double seconds) { return seconds * 1e3; }

GridAxis axisOf(const ScaleArguments& options, const DeviceWork& work) {
  if (options.grow.empty()) return likelyAxis(work);
  return options.grow == "replicas" ? GridAxis::Replicas : GridAxis::Partitions;
}

nlohmann::ordered_json asJson(const LinkTier& tier) {
  return {{"topology", nameOf(tier.topology)},
          {"bytes_per_second", tier.bytesPerSecond},
          {"latency_us", tier.seconds * 1e6}};
}

nlohmann::ordered_json asJson(const Links& links) {
  nlohmann::ordered_json out{{"name", links.name}, {"what", links.what}, {"source", links.source}};
  out["node_devices"] = links.nodeDevices;
  if (links.nodeDevices > 1) out["inner"] = asJson(links.inner);
  out["outer"] = asJson(links.outer);
  return out;
}

void tellWork(const DeviceWork& work, GridAxis axis, Report& report) {
  const char* grows = axis == GridAxis::Replicas ? "replicas" : "partitions";
  report.object["grow"] = grows;
  report.object["profile"] = {{"replicas", work.grid.replicas},
                              {"partitions", work.grid.partitions},
                              {"compute_ms", milliseconds(work.computeSeconds)}};
  auto& list = report.object["collectives"] = nlohmann::ordered_json::array();
  double bytes = 0;
  for (const Communication& each : work.communications) {
    list.push_back({{"name", each.name},
                    {"bytes", each.bytes},
                    {"times", each.times},
                    {"group", each.groupSize},
                    {"hidden_ms", milliseconds(each.hiddenSeconds)}});
    bytes += each.times * each.bytes;
  }
  report.line(fmt::format("one of {} devices: {:.3f} ms of its own work, {} collectives of {} a step; {} grow",
                          work.grid.count(), milliseconds(work.computeSeconds), work.communications.size(),
                          bytesText(bytes), grows));
}

void tellPrediction(const StepPrediction& step, Report& report) {
  report.object["predictions"].push_back({{"devices", step.grid.count()},
                                          {"replicas", step.grid.replicas},
                                          {"partitions", step.grid.partitions},
                                          {"compute_ms", milliseconds(step.computeSeconds)},
                                          {"communication_ms", milliseconds(step.communicationSeconds)},
                                          {"exposed_ms", milliseconds(step.exposedSeconds)},
                                          {"step_ms", milliseconds(step.stepSeconds())},
                                          {"efficiency", step.efficiency()}});
  report.line(fmt::format("{:>8} {:>9} {:>10} {:>11.3f} {:>14.3f} {:>11.3f} {:>11.3f} {:>10}", step.grid.count(),
                          step.grid.replicas, step.grid.partitions, milliseconds(step.computeSeconds),
                          milliseconds(step.communicationSeconds), milliseconds(step.exposedSeconds),
                          milliseconds(step.stepSeconds()), percentText(step.efficiency())));
}

Status predictAll(const DeviceWork& work, GridAxis axis, const Links& links, const std::vector<int64_t>& devices,
                  Report& report) {
  report.object["links"] = asJson(links);
  report.object["predictions"] = nlohmann::ordered_json::array();
  report.line(fmt::format("links {}: {} ({})", links.name, links.what, links.source));
  report.line(fmt::format("{:>8} {:>9} {:>10} {:>11} {:>14} {:>11} {:>11} {:>10}", "devices", "replicas", "partitions",
                          "compute ms", "communicate ms", "exposed ms", "step ms", "efficiency"));
  for (int64_t count : devices) {
    TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, grownGrid(work, axis, count));
    tellPrediction(predictStep(work, links, grid), report);
  }
  return {};
}

// --- real ranks

// A program is compiled for its partitions; other replicas it takes where its groups do.
Result<DeviceGrid> gridOfRanks(const DeviceWork& work, GridAxis axis, int64_t ranks) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, grownGrid(work, axis, ranks));
  if (grid.partitions == work.grid.partitions) return grid;
  return fail("the program is written for " + std::to_string(work.grid.partitions) + " partitions");
}

// Ranks that share a core take turns, in work and in what they wait for.
StepPrediction predictHere(DeviceWork work, Links here, DeviceGrid grid) {
  const auto cores = static_cast<double>(std::max(1u, std::thread::hardware_concurrency()));
  const double turns = std::max(1.0, static_cast<double>(grid.count()) / cores);
  work.computeSeconds *= turns;
  here.outer.seconds *= turns;
  return predictStep(work, here, grid);
}

Status tryRanks(const ScaleArguments& options, const DeviceWork& work, DeviceGrid grid, std::optional<Links>& here,
                Report& report) {
  if (!here) {
    TESSERA_ASSIGN_OR_RETURN(here, measureLinksHere(options.on));
    report.object["here"] = asJson(*here);
    report.line(fmt::format("ranks on this machine, by MPI: {:.1f} us, {}/s", here->outer.seconds * 1e6,
                            bytesText(here->outer.bytesPerSecond)));
  }
  TESSERA_ASSIGN_OR_RETURN(const double ms, measureRanks(options.file, options.on, grid, options.runs));
  const double predicted = milliseconds(predictHere(work, *here, grid).stepSeconds());
  report.object["ranks"].push_back({{"ranks", grid.count()}, {"measured_ms", ms}, {"predicted_ms", predicted}});
  report.line(fmt::format("{:>8} ranks: measured {:.3f} ms, predicted {:.3f} ms", grid.count(), ms, predicted));
  return {};
}

void tryAllRanks(const ScaleArguments& options, const DeviceWork& work, GridAxis axis, Report& report) {
  report.object["ranks"] = nlohmann::ordered_json::array();
  std::optional<Links> here;
  for (int64_t ranks : options.ranks) {
    if (ranks == 0) continue;
    const auto grid = gridOfRanks(work, axis, ranks);
    const Status tried = grid ? tryRanks(options, work, *grid, here, report) : Status(std::unexpected(grid.error()));
    if (tried) continue;
    report.object["ranks"].push_back({{"ranks", ranks}, {"error", tried.error().message}});
    report.line(fmt::format("{:>8} ranks: not run: {}", ranks, tried.error().message));
  }
}

Status scale(const Module& module, const ScaleArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const Links links, linksNamed(options.links));
  RunRequest request;
  request.backend = options.on.backend;
  request.compile.device = options.on.device;
  request.compile.kernelCache = defaultKernelCache();
  request.replicas = options.replicas;
  request.partitions = options.partitions;
  request.profiledRuns = options.runs;
  TESSERA_ASSIGN_OR_RETURN(const AloneProfile alone, profileAlone(module, request));
  const DeviceWork work = workOf(alone.optimized, alone.profile, alone.grid);
  const GridAxis axis = axisOf(options, work);
  tellWork(work, axis, report);
  TESSERA_TRY(predictAll(work, axis, links, options.devices, report));
  tryAllRanks(options, work, axis, report);
  return {};
}

}  // namespace

void addScale(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "scale", "Predict the time of a step on many devices, beside what real ranks on this machine take");
  auto options = std::make_shared<ScaleArguments>();
  std::string names;
  for (const Links& links : knownLinks()) names += (names.empty() ? "" : ", ") + links.name;
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("--links", options->links, "What connects the devices: " + names)->required();
  command->add_option("--devices", options->devices, "Numbers of devices (default: 8,64,512,4096)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--ranks", options->ranks, "Real ranks to run on this machine, by mpirun; 0: none (default: 2,4)")
      ->delimiter(',')
      ->check(CLI::Range(0, 1024));
  command->add_option("--replicas", options->replicas, "Replicas of the profile (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--partitions", options->partitions, "Partitions of the profile (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--grow", options->grow,
                   "What there are more of on more devices (default: replicas where a collective joins them)")
      ->check(CLI::IsMember({"replicas", "partitions"}));
  command->add_option("--backend", options->on.backend, "cpu, cuda or evaluator")
      ->check(CLI::IsMember({"cpu", "cuda", "evaluator"}));
  command->add_option("--device", options->on.device, "Of the backend cuda: the card, or simulated");
  command->add_option("--runs", options->runs, "Runs of which the profile has the quickest, and ranks the median")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera scale model.hlo --links=dgx-h100 --devices=8,64,512,4096 --ranks=2,4");
  command->callback([options, &report] {
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    if (auto status = scale(*module, *options, report); !status) report.failure(status.error());
  });
}

}  // namespace tessera::cli
