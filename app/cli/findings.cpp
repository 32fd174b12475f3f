// tessera findings FILE: what a performance engineer would point at, the costliest first.
#include "app/cli/findings.h"

#include <fmt/format.h>

#include "app/cli/command.h"
#include "core/arrange/scopes.h"
#include "core/base/units.h"
#include "core/formats/module_file.h"
#include "core/overview/facts.h"
#include "core/picture/picture.h"
#include "core/profile/sources/profile_source.h"

namespace tessera::cli {
namespace {

struct FindingsArguments {
  std::string file, profile;
};

nlohmann::ordered_json jsonOf(const Module& module, const Finding& finding) {
  const Instruction& place = module.at(finding.instructions[0]);
  nlohmann::ordered_json out{{"rule", finding.rule},
                             {"text", finding.text},
                             {"instruction", place.name},
                             {"computation", module.at(place.computation).name}};
  if (finding.bytes > 0) out["bytes"] = finding.bytes;
  if (finding.flops > 0) out["flops"] = finding.flops;
  if (finding.timeNs > 0) out["time_ns"] = finding.timeNs;
  out["estimated"] = finding.estimated;
  auto& places = out["places"] = nlohmann::ordered_json::array();
  for (InstructionId id : finding.instructions) places.push_back(placeText(module, id));
  return out;
}

}  // namespace

Result<std::optional<Profile>> profileFor(const Module& module, const std::string& file) {
  if (file.empty()) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(Profile profile, readProfileFor(module, file));
  if (profile.module == module.name) return profile;
  return std::unexpected(Diagnostic{.kind = ErrorKind::Usage,
                                    .message = "the profile is of another module",
                                    .expected = module.name,
                                    .found = profile.module,
                                    .file = file});
}

void tellFindings(const Workload& work, Report& report) {
  auto& list = report.object["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : findingsOf(work)) {
    list.push_back(jsonOf(work.module, finding));
    const std::string time = finding.timeNs > 0 ? ", " + durationText(finding.timeNs) + " measured" : std::string();
    const Instruction& place = work.module.at(finding.instructions[0]);
    const std::string scope = place.metadata ? placeNameOf(work.module, *place.metadata) : std::string();
    report.line(fmt::format(
        "{}: {}{}{}\n    at {}{}", finding.rule, shownText(finding.text), finding.estimated ? " (estimated)" : "", time,
        shownText(placeText(work.module, finding.instructions[0])), scope.empty() ? "" : " · " + shownText(scope)));
  }
}

void addFindings(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("findings", "Point at what costs time or memory for nothing, costliest first");
  auto options = std::make_shared<FindingsArguments>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("--profile", options->profile, "Profile of a run of FILE: measured times for estimates");
  command->add_flag("--json", report.json, "Print a JSON list of them, or an object with an error");
  std::string rules =
      "Exit code 1 when there are none. Numbers are of one run; loops count by their trips where known.\nRules:\n";
  for (const FindingRule& rule : rulesOfFindings()) rules += fmt::format("  {:20} {}\n", rule.name, rule.about);
  command->footer(rules + "Example: tessera findings optimized.hlo --json");
  command->callback([options, &report] {
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    const auto profile = profileFor(*module, options->profile);
    if (!profile) return report.failure(profile.error());
    report.list = "findings";
    tellFindings(Workload(*module, *profile ? &**profile : nullptr), report);
    if (report.object["findings"].empty()) {
      report.line("no findings");
      report.raise(kNo);
    }
  });
}

}  // namespace tessera::cli
