// tessera gradient: a module that computes gradients beside its result.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command.h"
#include "core/edit/edit.h"
#include "core/edit/structure/differentiating.h"
#include "core/gradient/gradient.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

struct GradientArguments {
  std::string file, of, out;
  std::vector<std::string> withRespectTo;
};

// The root, or of a tuple the one scalar of floats in it.
Result<InstructionId> defaultResult(const Module& module) {
  const Instruction& root = module.at(module.entryComputation().root);
  std::vector<InstructionId> scalars;
  if (root.opcode == Opcode::Tuple) {
    for (InstructionId id : root.operands)
      if (module.shapeOf(id).isScalar() && isFloat(module.shapeOf(id).type)) scalars.push_back(id);
    if (scalars.size() == 1) return scalars[0];
  } else if (root.shape->isArray()) {
    return root.id;
  }
  return fail(ErrorKind::Usage, fmt::format("the result {} has {} scalars of floats; say which value with --of=NAME",
                                            root.reference(), scalars.size()));
}

Result<AddGradient> requestOf(const Module& module, const GradientArguments& options) {
  AddGradient out;
  TESSERA_ASSIGN_OR_RETURN(out.of, options.of.empty() ? defaultResult(module) : instructionNamed(module, options.of));
  if (module.at(out.of).computation != module.entry())
    return fail(ErrorKind::Usage,
                module.at(out.of).reference() + " is in a called computation; gradients are of the entry's values");
  for (const std::string& name : options.withRespectTo) {
    TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(module, name));
    out.withRespectTo.push_back(id);
  }
  if (out.withRespectTo.empty()) out.withRespectTo = parametersBehind(module, out.of);
  if (out.withRespectTo.empty())
    return fail(ErrorKind::Usage, module.at(out.of).reference() +
                                      " depends on no parameter of floats or complex numbers; say with --wrt=NAME what "
                                      "the gradient is with respect to");
  return out;
}

// The result becomes a tuple of the value and its gradients.
Result<Module> withGradients(Module module, const AddGradient& request) {
  ModuleConfig config = module.config();
  config.inputOutputAlias.clear();  // of the result that was
  config.allowShardingPropagationToOutput.clear();
  module.setConfig(std::move(config));
  const auto n = static_cast<uint32_t>(request.withRespectTo.size());
  AddInstruction tuple{module.entry(), Opcode::Tuple, "", {request.of}, {}, {}, ""};
  for (uint32_t k = 0; k < n; ++k) tuple.operands.push_back(newInstruction(k));
  TESSERA_ASSIGN_OR_RETURN(EditResult done, apply(module, {"Gradient", {request, tuple, SetRoot{newInstruction(n)}}}));
  for (const Diagnostic& each : done.diagnostics.items()) {
    if (each.severity == Severity::Error && each.label == "layout")
      return fail("the layouts of this compiled program are final; take the module before optimization");
    if (each.severity == Severity::Error) return fail(each);
  }
  return std::move(done.module);
}

void gradient(const Module& module, const GradientArguments& options, Report& report) {
  const auto request = requestOf(module, options);
  if (!request) return report.failure(request.error());
  const auto made = withGradients(module, *request);
  if (!made) return report.failure(made.error());
  report.object["of"] = std::string(module.at(request->of).name);
  for (InstructionId id : request->withRespectTo)
    report.object["with_respect_to"].push_back(std::string(module.at(id).name));
  report.object["instructions"] = made->instructionCount();
  printModule(*made, options.out, report);
}

}  // namespace

void addGradient(CLI::App& app, Report& report) {
  auto options = std::make_shared<GradientArguments>();
  auto* command = app.add_subcommand("gradient", "Add the gradient of a value to a module");
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("--of", options->of, "The value; of more than a scalar, the sum of its elements")
      ->default_str("the result, or the one scalar of floats in it");
  command->add_option("--wrt", options->withRespectTo, "With respect to these values of the entry")
      ->delimiter(',')
      ->default_str("all parameters of floats that it depends on");
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  command->footer(
      "The new result is a tuple: the value, then a gradient for each name.\n"
      "Example: tessera gradient model.hlo --wrt=x,y -o step.hlo");
  command->callback([options, &report] {
    if (auto module = loadModule(options->file, report, true)) gradient(*module, *options, report);
  });
}

}  // namespace tessera::cli
