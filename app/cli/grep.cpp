// tessera grep FILE…: instructions by opcode, name, op_name and shape. Only reads, so wrong modules can be searched.
#include "app/cli/command.h"
#include "core/formats/hlo_text.h"
#include "core/tools/search.h"

namespace tessera::cli {
namespace {

struct GrepArguments {
  std::vector<std::string> files;
  std::string opcode, name, opName, shape;
};

Result<Search> searchOf(const GrepArguments& options) {
  Search out{options.opcode, options.name, options.opName, {}};
  if (options.shape.empty()) return out;
  TESSERA_ASSIGN_OR_RETURN(out.shape, ShapePattern::parse(options.shape));
  return out;
}

void tell(const Module& module, const std::string& file, InstructionId id, Report& report) {
  const Instruction& instruction = module.at(id);
  const std::string text = printInstruction(module, id);
  const std::string& computation = module.at(instruction.computation).name;
  report.object["matches"].push_back({{"file", file},
                                      {"line", instruction.position.line},
                                      {"computation", computation},
                                      {"name", instruction.name},
                                      {"opcode", instruction.opcodeName()},
                                      {"shape", toString(*instruction.shape)},
                                      {"text", text}});
  report.line(file + ":" + std::to_string(instruction.position.line) + ": %" + computation + ": " + text);
}

}  // namespace

void addGrep(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("grep", "Find instructions by opcode, name, op_name or shape");
  auto options = std::make_shared<GrepArguments>();
  command->add_option("FILE", options->files, "HLO files")->required();
  command->add_option("--opcode", options->opcode, "An opcode; * and ? stand for letters: 'all-*'");
  command->add_option("--name", options->name, "A part of the name, or with * and ? the whole of it");
  command->add_option("--op-name", options->opName, "The same of the metadata's op_name");
  command->add_option("--shape", options->shape, "'f32[*,128]', '[...,8]', 'bf16': * one dimension, ... any number");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "All that are given must match. Exit code 1 when nothing does.\nExample: tessera grep model.hlo --opcode=add "
      "--shape='f32[*]'");
  command->callback([options, &report] {
    const auto wanted = searchOf(*options);
    if (!wanted) return report.failure(wanted.error());
    report.object["matches"] = nlohmann::ordered_json::array();
    for (const std::string& file : options->files)
      if (const auto module = loadModule(file, report, false))
        for (InstructionId id : search(*module, *wanted)) tell(*module, file, id, report);
    if (report.object["matches"].empty()) report.raise(kNo);
  });
}

}  // namespace tessera::cli
