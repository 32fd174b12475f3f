// tessera why FILE NAME: why a copy, transpose, pad, convert, bitcast or fusion is in an optimised module.
#include "core/tools/passes/why.h"

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/explain_code.h"
#include "backends/roofline.h"
#include "core/base/units.h"
#include "core/formats/hlo_text.h"
#include "core/passes/pipeline.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

struct WhyArguments {
  std::string file, name, machine;
  bool optimize = false;
};

void tellWhy(const Module& module, InstructionId id, const Why& why, Report& report) {
  std::string text = printInstruction(module, id);
  text.erase(0, text.find_first_not_of(' '));
  while (text.ends_with('\n')) text.pop_back();
  report.object["text"] = text;
  report.object["why"] = why.answer;
  report.object["inferred"] = !why.known;
  report.object["bytes"] = why.bytes;
  report.object["chain"] = Json::array();
  report.line(text);
  report.line((why.known ? "" : "inferred: ") + why.answer);
  for (const WhyLink& link : why.chain) {
    const Instruction& in = module.at(link.id);
    report.object["chain"].push_back(
        {{"name", in.name}, {"computation", module.at(in.computation).name}, {"words", link.words}});
    report.line(fmt::format("  {} {}: {}", in.reference(), in.opcodeName(), link.words));
  }
  report.line("moves " + bytesText(why.bytes));
}

Status tellTime(const Module& module, InstructionId id, const WhyArguments& options, const Why& why, Report& report) {
  if (options.machine.empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(const Roofline roofline, readRoofline(options.machine));
  const Shape& shape = module.shapeOf(id);
  const ElementType type = shape.isArray() ? shape.type : ElementType::F32;
  const double ns = roofline.attainableNs(std::string(nameOf(type)), 0, why.bytes);
  report.object["ns"] = ns;
  report.line("takes " + durationText(ns) + " at least on that machine");
  return {};
}

Status answerWhy(const Module& source, const WhyArguments& options, Report& report) {
  std::optional<Module> made;
  if (options.optimize) {
    TESSERA_ASSIGN_OR_RETURN(made, optimize(source));
  }
  const Module& module = made ? *made : source;
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(module, options.name));
  TESSERA_ASSIGN_OR_RETURN(const Why why, whyHere(module, id));
  tellWhy(module, id, why, report);
  return tellTime(module, id, options, why, report);
}

}  // namespace

void addWhy(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("why", "Tell why an optimised module has a copy, transpose, bitcast or fusion");
  auto options = std::make_shared<WhyArguments>();
  command->add_option("FILE", options->file, "HLO file, or a link: FILE#INSTRUCTION")->required();
  command->add_option("INSTRUCTION", options->name, "Its name; COMPUTATION/NAME where several have it");
  command->add_flag("--optimize", options->optimize,
                    "FILE is what our passes start from; INSTRUCTION is one of what they end in");
  command->add_option("--machine", options->machine,
                      "With the least time on the machine of this output of `tessera machine --json`");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "What our passes noted is known; of other modules it is inferred from layouts and users, and said to be.\n"
      "Example: tessera why optimized.hlo t");
  command->callback([options, &report] {
    if (!takeLink(options->file, options->name, "INSTRUCTION", report)) return;
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    if (auto status = answerWhy(*module, *options, report); !status) report.failure(status.error());
  });
}

}  // namespace tessera::cli
