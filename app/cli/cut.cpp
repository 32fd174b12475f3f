// tessera extract and isolate: a part of a module as a module of its own.
#include <cstdio>

#include "app/cli/command.h"
#include "core/formats/module_file.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

struct CutArguments {
  std::string file, name, out;
  int64_t height = kWholeCone;
  bool computation = false;
};

Result<Module> isolated(const Module& module, const CutArguments& options) {
  if (!options.computation) {
    const auto instruction = instructionNamed(module, options.name);
    if (instruction) return isolate(module, *instruction);
    if (!computationNamed(module, options.name)) return std::unexpected(instruction.error());
  }
  TESSERA_ASSIGN_OR_RETURN(const ComputationId id, computationNamed(module, options.name));
  return isolate(module, id);
}

Result<Module> extracted(const Module& module, const CutArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(module, options.name));
  return extract(module, id, options.height);
}

// What came out is a module like any other, so it is checked like any other.
void deliver(Result<Module> cut, const CutArguments& options, Report& report) {
  if (!cut) return report.failure(cut.error());
  Diagnostics found = inferModule(*cut);
  found.addAll(verify(*cut).items());
  for (const Diagnostic& diagnostic : found.items()) report.failure(diagnostic);
  if (found.hasErrors()) return;
  report.object["instructions"] = cut->instructionCount();
  report.object["parameters"] = cut->entryComputation().parameters.size();
  printModule(*cut, options.out, report);
}

CLI::App* addCut(CLI::App& app, const char* name, const char* what, const char* nameHelp, Report& report,
                 const std::shared_ptr<CutArguments>& options) {
  auto* command = app.add_subcommand(name, what);
  command->add_option("FILE", options->file, "HLO file, or a link: FILE#NAME")->required();
  command->add_option("NAME", options->name, nameHelp);
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  return command;
}

}  // namespace

void printModule(const Module& module, const std::string& out, Report& report) {
  std::string text = printHloText(module);
  report.object["bytes"] = text.size();
  if (!out.empty()) {
    report.object["output"] = out;
    if (auto written = writeFileAtomically(out, text); !written) report.failure(written.error());
  } else if (report.json) {
    report.object["text"] = std::move(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);  // finish() tells whether it was taken
  }
}

void addExtract(CLI::App& app, Report& report) {
  auto options = std::make_shared<CutArguments>();
  auto* command = addCut(app, "extract", "Cut an instruction and what it needs out, as a runnable module",
                         "An instruction's name; COMPUTATION/NAME where several have it", report, options);
  command->add_option("--height", options->height, "At most so many operands up; what is above becomes a parameter")
      ->check(CLI::NonNegativeNumber)
      ->default_str("all");
  command->footer("Example: tessera extract model.hlo sum --height=1 -o part.hlo");
  command->callback([options, &report] {
    if (!takeLink(options->file, options->name, "NAME", report)) return;
    if (auto module = loadModule(options->file, report, true)) deliver(extracted(*module, *options), *options, report);
  });
}

void addIsolate(CLI::App& app, Report& report) {
  auto options = std::make_shared<CutArguments>();
  auto* command = addCut(app, "isolate", "Cut one instruction or computation out, its operands as parameters",
                         "An instruction's or a computation's name", report, options);
  command->add_flag("--computation", options->computation, "NAME is a computation, even if an instruction has it too");
  command->footer("Example: tessera isolate model.hlo sum -o one.hlo");
  command->callback([options, &report] {
    if (!takeLink(options->file, options->name, "NAME", report)) return;
    if (auto module = loadModule(options->file, report, true)) deliver(isolated(*module, *options), *options, report);
  });
}

}  // namespace tessera::cli
