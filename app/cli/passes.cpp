// tessera passes FILE|DIR: what each pass did, of a dump folder or of our own pipeline, and the history of one
// instruction through them.
#include <fmt/format.h>

#include "app/cli/command.h"
#include "core/base/units.h"
#include "core/tools/passes/pass_history.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PassesArguments {
  std::string source, module, history;
  std::vector<std::string> passes;
  bool changes = false;
};

Json placeJson(const Module& module, InstructionId id) {
  if (!id.valid()) return nullptr;
  return {{"name", module.at(id).name}, {"computation", module.at(module.at(id).computation).name}};
}

Json changesJson(const PassChanges& changes, const Module* before, const Module& after) {
  Json out = Json::array();
  for (const PassChange& change : changes.changes)
    out.push_back({{"what", nameOf(change.mark)},
                   {"before", before ? placeJson(*before, change.before) : Json(nullptr)},
                   {"after", placeJson(after, change.after)},
                   {"words", change.words}});
  return out;
}

Json momentJson(const PassMoment& moment) {
  Json out = {{"number", moment.number}, {"pipeline", moment.pipeline}, {"pass", moment.pass}};
  if (!moment.files.empty()) out["files"] = moment.files;
  return out;
}

void tellChanges(const PassChanges& changes, const Module* before, const Module& after, Report& report) {
  for (const PassChange& change : changes.changes) {
    const Instruction& in = change.after.valid() ? after.at(change.after) : before->at(change.before);
    report.line(fmt::format("      {}: {}", in.reference(), phraseOf(change)));
  }
}

Status tellMoment(PassTrail& trail, size_t at, const PassesArguments& options, Report& report) {
  const PassMoment& moment = trail.moments()[at];
  Json& out = report.object["passes"].emplace_back(momentJson(moment));
  const auto module = trail.moduleAt(at);
  if (!module) {
    out["unreadable"] = module.error().message;
    Diagnostic warning = module.error();
    warning.severity = Severity::Warning;
    warning.message = fmt::format("pass {:04} is left out: {}", moment.number, warning.message);
    report.failure(warning);
    return {};
  }
  TESSERA_ASSIGN_OR_RETURN(const auto changes, trail.changesTo(at));
  TESSERA_ASSIGN_OR_RETURN(const PassCost cost, trail.costAt(at));
  const auto from = trail.momentBefore(at);
  const auto before = from ? *trail.moduleAt(*from) : nullptr;
  out["instructions"] = cost.instructions;
  out["flops"] = cost.flops;
  out["bytes"] = cost.bytes;
  out["peak"] = cost.peak;
  for (size_t i = 0; i < kPassMarks; ++i)
    out[std::string(nameOf(static_cast<PassMark>(i)))] = changes->count(static_cast<PassMark>(i));
  out["changes"] = changesJson(*changes, before.get(), **module);
  report.line(fmt::format("  {}  {} instructions, {} flops, {}; {}", moment.title(), countText(cost.instructions),
                          amountText(cost.flops), bytesText(cost.bytes), from ? countsText(*changes) : "the start"));
  if (options.changes) tellChanges(*changes, before.get(), **module, report);
  return {};
}

Status tellHistory(PassTrail& trail, const PassesArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const auto last, lastNamed(trail, options.history));
  TESSERA_ASSIGN_OR_RETURN(const InstructionHistory history, historyOf(trail, last.first, last.second));
  Json& out = report.object["history"] = {{"name", options.history}, {"events", Json::array()}};
  for (const PassEvent& event : history.events) {
    const PassMoment& moment = trail.moments()[event.moment];
    Json& one = out["events"].emplace_back(momentJson(moment));
    one["name"] = event.name;
    one["computation"] = event.computation;
    one["words"] = event.words;
    report.line(fmt::format("  {}  %{}: %{} {}", moment.title(), event.computation, event.name, event.words));
  }
  return {};
}

Result<PassTrail> trailOf(const PassesArguments& options, Report& report) {
  std::error_code error;
  if (std::filesystem::is_directory(options.source, error)) {
    if (!options.passes.empty())
      return fail(ErrorKind::Usage, "--passes are those of our own pipeline: a dump folder has its own");
    return PassTrail::ofFolder(options.source, options.module);
  }
  if (!options.module.empty()) return fail(ErrorKind::Usage, "--module chooses in a dump folder; this is a file");
  const auto module = loadModule(options.source, report, true);
  if (!module) return fail("");
  return PassTrail::ofPipeline(*module, options.passes);
}

Status tellPasses(const PassesArguments& options, Report& report) {
  auto trail = trailOf(options, report);
  if (!trail) return trail.error().message.empty() ? Status() : fail(trail.error());
  report.object["source"] = options.source;
  report.object["module"] = trail->name();
  report.object["other_modules"] = trail->otherModules();
  report.object["warnings"] = trail->warnings();
  for (const std::string& warning : trail->warnings())
    report.failure({.severity = Severity::Warning, .message = warning, .file = options.source});
  if (!options.history.empty()) return tellHistory(*trail, options, report);
  report.line(fmt::format("{}: {} passes", trail->name(), trail->moments().size()));
  if (options.module.empty() && !trail->otherModules().empty())
    report.line(fmt::format("  --module shows one of the others: {}", fmt::join(trail->otherModules(), ", ")));
  report.object["passes"] = Json::array();
  for (size_t at = 0; at < trail->moments().size(); ++at) TESSERA_TRY(tellMoment(*trail, at, options, report));
  return {};
}

}  // namespace

void addPasses(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("passes", "Tell what each pass did: of a dump folder, or of our own pipeline");
  auto options = std::make_shared<PassesArguments>();
  command->add_option("SOURCE", options->source, "A dump folder of XLA, or an HLO file that our passes run on")
      ->required();
  command->add_option("--module", options->module,
                      "Of a folder: which module, by name or number (default: most passes)");
  command->add_option("--passes", options->passes, "Of a file: passes in this order (default: all)")->delimiter(',');
  command->add_option("--history", options->history,
                      "What became of this instruction, named as in the last pass that has it");
  command->add_flag("--changes", options->changes, "List every change, not counts alone");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "Partners between the files of a dump are found by structure; of our passes they are known.\n"
      "Example: tessera passes model.hlo --passes=simplify,fuse --changes");
  command->callback([options, &report] {
    if (auto status = tellPasses(*options, report); !status) report.failure(status.error());
  });
}

}  // namespace tessera::cli
