// tessera check FILE…: reads, infers and verifies each file.
#include "app/cli/command.h"

namespace tessera::cli {

void addCheck(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("check", "Read and verify files: one line each, or their diagnostics");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "HLO files")->required();
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera check model.hlo");
  command->callback([files, &report] {
    auto list = nlohmann::ordered_json::array();
    for (const std::string& file : *files) {
      auto module = loadModule(file, report, true);
      list.push_back({{"file", file}, {"ok", module.has_value()}});
      if (!module) continue;
      list.back()["instructions"] = module->instructionCount();
      report.line(file + ": ok, " + std::to_string(module->instructionCount()) + " instructions");
    }
    report.object["files"] = std::move(list);
  });
}

}  // namespace tessera::cli
