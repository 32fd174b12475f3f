// tessera opt FILE: runs passes and writes what is between them, under the names that XLA gives its dumps.
#include <filesystem>

#include "app/cli/one_partition.h"
#include "app/cli/progress.h"
#include "core/formats/module_file.h"
#include "core/tools/passes/pass_run.h"

namespace tessera::cli {
namespace {

struct OptArguments {
  std::string file, out, dump;
  std::vector<std::string> passes;
  bool list = false;
  int64_t partitions = 0;
};

Status dumpTo(const OptArguments& options, const std::string& name, const Module& module) {
  return options.dump.empty() ? Status()
                              : writeFileAtomically(std::filesystem::path(options.dump) / name, printHloText(module));
}

Status makeFolder(const std::string& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::create_directories(folder, error) || std::filesystem::is_directory(folder))
    return {};
  const std::string reason = error ? error.message() : "something else has its name";
  return fail({.kind = ErrorKind::Output, .message = "the folder cannot be made: " + reason, .file = folder});
}

Result<Module> optimised(const Module& module, const OptArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const auto chosen, choosePasses(options.passes));
  TESSERA_TRY(makeFolder(options.dump));
  TESSERA_TRY(dumpTo(options, dumpName(module, "before_optimizations"), module));
  TESSERA_TRY(dumpTo(options, dumpName(module, chosen, 0), module));
  auto& list = report.object["passes"] = nlohmann::ordered_json::array();
  ProgressLine line;
  const auto tellNext = [&](size_t done) {
    if (done < chosen.size())
      line.tell(chosen[done]->name, static_cast<double>(done) / static_cast<double>(chosen.size()));
  };
  tellNext(0);
  const auto observe = [&](const PassStep& step, const Module& now) {
    list.push_back({{"pass", step.pass->name}, {"changed", step.changed}, {"instructions", now.instructionCount()}});
    const std::string name = dumpName(module, chosen, list.size());
    if (!options.dump.empty()) list.back()["file"] = name;
    tellNext(list.size());
    return dumpTo(options, name, now);
  };
  TESSERA_ASSIGN_OR_RETURN(Module out, runPasses(module, chosen, observe));
  TESSERA_TRY(dumpTo(options, dumpName(module, "after_optimizations"), out));
  return out;
}

void sayPartitions(Module& module, int64_t partitions) {
  ModuleConfig config = module.config();
  config.numPartitions = partitions;
  module.setConfig(std::move(config));
}

void listPasses(Report& report) {
  auto& list = report.object["passes"] = nlohmann::ordered_json::array();
  for (const Pass& pass : passes()) {
    list.push_back({{"pass", pass.name}, {"what", pass.what}});
    report.line(std::string(pass.name) + ": " + std::string(pass.what));
  }
}

void tell(const Module& module, const OptArguments& options, Report& report) {
  if (options.dump.empty() || !options.out.empty()) return printModule(module, options.out, report);
  for (const auto& step : report.object["passes"])
    report.line(step["file"].get<std::string>() + (step["changed"].get<bool>() ? "" : " (nothing changed)"));
}

}  // namespace

void addOpt(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("opt", "Run optimisation passes; print or dump the module after each");
  auto options = std::make_shared<OptArguments>();
  auto* list = command->add_flag("--list", options->list, "List the passes in their order");
  command->add_option("FILE", options->file, "HLO file")->excludes(list);
  command->add_option("--passes", options->passes, "Passes in this order (default: those for the processor)")
      ->delimiter(',');
  command->add_option("--dump", options->dump, "A folder for a numbered file a pass, named as XLA names them");
  command->add_option("-o,--output", options->out, "Write the result to a file");
  addPartitions(*command, options->partitions);
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera opt model.hlo --passes=simplify,fuse --dump=passes");
  command->callback([options, &report] {
    if (options->list) return listPasses(report);
    if (options->file.empty()) throw CLI::RequiredError("FILE");
    auto module = loadModule(options->file, report, true);
    if (!module) return;
    if (options->partitions > 0) sayPartitions(*module, options->partitions);
    if (auto out = optimised(*module, *options, report))
      tell(*out, *options, report);
    else
      report.failure(out.error());
  });
}

}  // namespace tessera::cli
