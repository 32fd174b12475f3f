// tessera diff A B: do two files hold the same graph, whatever its names, ids and parameter order?
#include "core/tools/diff.h"
#include "app/cli/command.h"

namespace tessera::cli {
namespace {

nlohmann::ordered_json toJson(const Difference& difference) {
  return {{"what", difference.what}, {"place", difference.place}, {"a", difference.inLeft}, {"b", difference.inRight}};
}

void tell(const ModuleDiff& found, Report& report) {
  report.object["equal"] = found.differences.empty();
  report.object["matched"] = found.matched;
  report.object["more"] = found.more;
  report.object["differences"] = nlohmann::ordered_json::array();
  for (const Difference& difference : found.differences) {
    report.object["differences"].push_back(toJson(difference));
    report.line(difference.place + ": " + difference.what);
    if (!difference.inLeft.empty()) report.line("  - " + difference.inLeft);
    if (!difference.inRight.empty()) report.line("  + " + difference.inRight);
  }
  if (found.more) report.line("… and more");
  if (found.differences.empty())
    return report.line("the same graph: " + std::to_string(found.matched) + " instructions");
  report.raise(kNo);
}

}  // namespace

void addDiff(CLI::App& app, Report& report) {
  auto* command =
      app.add_subcommand("diff", "Compare two modules by structure: names, ids and parameter order do not count");
  auto files = std::make_shared<std::pair<std::string, std::string>>();
  command->add_option("A", files->first, "HLO file")->required();
  command->add_option("B", files->second, "HLO file")->required();
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Exit code 1 when they differ.\nExample: tessera diff model.hlo model.hlo");
  command->callback([files, &report] {
    const auto left = loadModule(files->first, report, true);
    const auto right = loadModule(files->second, report, true);
    if (left && right) tell(diff(*left, *right), report);
  });
}

}  // namespace tessera::cli
