// tessera run FILE: compiles, runs, times, compares and profiles a module.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/cli/command.h"
#include "app/cli/physical_run.h"
#include "app/cli/progress.h"
#include "app/cli/run_compare.h"
#include "app/cli/run_options.h"
#include "backends/engine.h"
#include "backends/run_request.h"
#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/formats/project.h"
#include "core/profile/profile.h"
#include "core/trust/file_access.h"

namespace tessera::cli {
namespace {

// --- which files are used

// What a project says of its runs, where FILE is one.
Result<std::optional<RunSettings>> projectSettings(const std::string& file) {
  if (std::filesystem::path(file).extension() != ".tessera") return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(const std::string content, readFile(file));
  if (!looksLikeProject(content)) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(const ProjectContent project, parseProject(content));
  return project.project.run;
}

// A file of the command line is where the program runs, one of a project in its folder.
std::string inWorkingFolder(const std::string& name) {
  std::error_code error;
  return name.empty() ? name : std::filesystem::absolute(name, error).string();
}

// What the command line says goes over what the project says.
RunSettings overlaid(RunSettings project, const RunSettings& own, const CLI::App& command) {
  const auto given = [&](const char* option) { return command.get_option(option)->count() > 0; };
  if (given("--backend")) project.backend = own.backend;
  if (given("--device")) project.device = own.device;
  if (given("--threads")) project.threads = own.threads;
  if (given("--replicas")) project.replicas = own.replicas;
  if (given("--partitions")) project.partitions = own.partitions;
  if (given("--seed")) project.seed = own.seed;
  if (given("--fill")) project.usual = own.usual;
  if (given("--infeed")) project.infeed = inWorkingFolder(own.infeed);
  if (given("--outfeed")) project.outfeed = inWorkingFolder(own.outfeed);
  if (given("--custom-call-library")) project.library = inWorkingFolder(own.library);
  for (const auto& [leaf, source] : own.sources) {
    const auto file = fileOfSource(source);
    project.sources[leaf] =
        file ? source.substr(0, source.find_first_of(" \t")) + " " + inWorkingFolder(*file) : source;
  }
  return project;
}

Status trustAllowed(const RunArguments& options, const RunSettings& settings, FileAccess& files) {
  for (const std::string& name : options.allowed) {
    bool found = false;
    for (const FileRequest& request : filesNamedBy(settings))
      if (request.name == name) files.trust(request), found = true;
    if (!found) return fail(ErrorKind::Usage, "--allow=" + name + ": the project names no such file");
  }
  return {};
}

// All that is missing is told, with the option that gives it.
Status checkAsks(const FileAccess& files, const RunArguments& options, Report& report) {
  std::optional<Diagnostic> last;
  for (const FileAsk& ask : files.asks(options.settings)) {
    if (last) report.failure(*last);
    last.emplace();
    last->kind = ask.request.use == FileUse::Outfeed ? ErrorKind::Output : ErrorKind::Input;
    last->file = options.file;
    last->message =
        "the project asks to " + ask.words() + ", which is not allowed; --allow with this name allows it for this run";
  }
  return last ? Status(fail(*last)) : Status();
}

// The files of a run: what the command line names is the user's own word, what a project names is not.
Result<FileAccess> takeFiles(const Module& module, const CLI::App& command, RunArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const auto project, projectSettings(options.file));
  FileAccess files;
  if (project) {
    files = FileAccess(std::filesystem::path(inWorkingFolder(options.file)).parent_path());
    options.settings = overlaid(*project, options.settings, command);
    files.trustNew(*project, options.settings);
    if (!files.asks(*project).empty()) files.setGraph(module);
  } else {
    files.trustNew({}, options.settings);
  }
  TESSERA_TRY(trustAllowed(options, options.settings, files));
  TESSERA_TRY(checkAsks(files, options, report));
  return files;
}

// --- what is run

// --argument=N=SOURCE
Status takeSources(RunArguments& options) {
  for (const std::string& words : options.sources) {
    int64_t leaf = 0;
    const size_t equals = words.find('=');
    const auto [end, error] = std::from_chars(words.data(), words.data() + std::min(equals, words.size()), leaf);
    if (equals == std::string::npos || error != std::errc() || end != words.data() + equals || leaf < 0)
      return fail(ErrorKind::Usage, "--argument=" + words + ": expected N=SOURCE, such as 0=constant 3");
    const std::string source = words.substr(equals + 1);
    if (const Status known = checkArgumentSource(source); !known)
      return fail(ErrorKind::Usage, "--argument=" + words + ": " + known.error().message);
    options.settings.sources[leaf] = source;
  }
  return {};
}

Status takeInputs(const Module& module, const RunArguments& options, ArgumentRules& rules) {
  rules.given = namedLeaves(options.snapshot.arguments, "arg");
  rules.givenFrom = options.file;
  if (options.inputs.empty()) return {};
  rules.givenFrom = options.inputs;
  if (options.engine != "threads" && !options.physical) {
    TESSERA_ASSIGN_OR_RETURN(NpzBlocks file, NpzBlocks::open(options.inputs));
    rules.file = std::make_shared<const NpzBlocks>(std::move(file));
    return {};
  }
  TESSERA_ASSIGN_OR_RETURN(rules.given, readNpz(options.inputs));
  if (options.physical) {
    TESSERA_ASSIGN_OR_RETURN(rules.given, argumentsFromMemory(std::move(rules.given), entryMemoryOf(module)));
  }
  return {};
}

FeedForm memoryForm() {
  return {fromMemory, [](const Literal& value) { return toMemory(value, value.shape()); }};
}

Result<RunRequest> makeRequest(const Module& module, const FileAccess& files, const RunArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(RunRequest out, requestOf(options.settings, files));
  const int threads = out.compile.threads;
  const std::string device = out.compile.device;
  out.compile = options.compile;
  out.compile.threads = threads;
  out.compile.device = device;
  out.arguments.fill.scale = options.fill.scale;
  out.arguments.fill.imax = options.fill.imax;
  TESSERA_TRY(takeInputs(module, options, out.arguments));
  if (options.physical) out.feedForm = memoryForm();
  out.counters = options.counters;
  out.runs = options.runs;
  out.resident = options.resident;
  out.warmUps = options.runs > 1 ? 1 : 0;
  out.profiledRuns = options.profile.empty() && options.hottest == 0 ? 0 : options.runs;
  return out;
}

// --- what came of it

NamedArrays namedOutputs(const DeviceArrays& outputs) {
  NamedArrays arrays;
  for (size_t device = 0; device < outputs.size(); ++device)
    for (size_t i = 0; i < outputs[device].size(); ++i)
      arrays[nameOfOutput(outputs.size(), device, i)] = outputs[device][i];
  return arrays;
}

Status writeOutputs(const Module& module, const RunArguments& options, DeviceArrays outputs) {
  const EntryMemory memory = entryMemoryOf(module);
  for (std::vector<Literal>& device : outputs) {
    if (!options.physical) break;
    TESSERA_ASSIGN_OR_RETURN(device, resultsToMemory(device, memory));
  }
  return writeNpz(options.out, namedOutputs(outputs));
}

void printHottest(const Module& module, const Profile& profile, int64_t count, Report& report) {
  auto sources = profile.sources;
  sortDescending(sources, &SourceProfile::timeNs);
  double total = 0;
  for (const auto& source : sources) total += source.timeNs;
  if (static_cast<int64_t>(sources.size()) > count) sources.resize(static_cast<size_t>(count));
  report.line("hottest instructions (time over " + std::to_string(profile.runs) + " runs):");
  for (const SourceProfile& source : sources) {
    const Instruction& instruction = module.at(source.instruction);
    char line[160];
    std::snprintf(line, sizeof line, "  %9.1f us %5.1f %% %s ", source.timeNs / 1e3,
                  total > 0 ? 100 * source.timeNs / total : 0.0, source.measured ? "measured  " : "estimated ");
    report.line(line + std::string("%") + std::string(instruction.name) + " " + std::string(instruction.opcodeName()) +
                " " + toString(*instruction.shape, false));
  }
}

Status writeProfile(const Module& module, const RunArguments& options, const Profile& profile, Report& report) {
  if (options.hottest > 0) printHottest(module, profile, options.hottest, report);
  if (options.profile.empty()) return {};
  return writeFileAtomically(options.profile, toChromeTrace(profile));
}

// What the processor counted in a run, or why it did not.
void tellCounters(const RunReport& ran, Report& report) {
  if (!ran.countersAbsent.empty()) {
    report.object["counters_absent"] = ran.countersAbsent;
    report.line("no hardware counters: " + ran.countersAbsent);
  }
  if (ran.counters.empty()) return;
  std::string words;
  for (const CounterValue& value : ran.counters) {
    report.object["counters"][value.name] = value.count;
    words += (words.empty() ? "" : ", ") + amountText(value.count) + " " + value.name;
  }
  report.line("a run: " + words);
}

void tell(const RunReport& ran, const RunArguments& options, Report& report) {
  std::string devices;
  if (ran.grid.count() > 1) {
    report.object["replicas"] = ran.grid.replicas;
    report.object["partitions"] = ran.grid.partitions;
    devices = ran.grid.text() + ", ";
  }
  report.object["compile_ms"] = ran.compileMs;
  report.object["run_ms"] = ran.medianMs();
  report.object["first_run_ms"] = ran.firstRunMs;
  report.object["runs"] = options.runs;
  report.object["peak_bytes"] = ran.peakBytes;
  report.object["argument_bytes"] = ran.argumentBytes;
  report.object["output_bytes"] = ran.outputBytes;
  report.object["kernels"] = ran.kernels.kernels;
  report.object["kernels_cached"] = ran.kernels.cached;
  const std::string which =
      options.runs > 1 ? fmt::format("median of {} after a first one of {:.3f} ms", options.runs, ran.firstRunMs)
                       : "the first one, nothing warmed up";
  report.line(fmt::format("{}compile {:.2f} ms, run {:.3f} ms ({}), peak {} bytes", devices, ran.compileMs,
                          ran.medianMs(), which, ran.peakBytes));
  tellCounters(ran, report);
}

// Of a run of several processes: how many there were, and whether the values are those of threads to the bit.
void tellEngine(const RunReport& ran, const Engine& engine, Report& report) {
  report.object["engine"] = "mpi";
  report.object["ranks"] = engine.ranks();
  report.object["reduction_order"] = ran.reordered.empty() ? "group" : "mpi";
  report.object["reordered"] = ran.reordered;
  std::string names;
  for (const std::string& name : ran.reordered) names += (names.empty() ? "" : ", ") + name;
  report.line(std::to_string(engine.ranks()) + " ranks; " +
              (ran.reordered.empty()
                   ? "every reduction in the order of its group: the values of threads, bit for bit"
                   : "reduced in MPI's order: " + names + ": the values of threads but for rounding"));
}

void tellDevice(const RunReport& ran, const RunArguments& options, Report& report) {
  if (options.settings.backend != "cuda") return;
  auto reports = nlohmann::ordered_json::array();
  for (const DeviceReport& each : ran.deviceReports) {
    const std::string devices = each.devices > 1 ? " on " + std::to_string(each.devices) + " devices" : "";
    report.line(std::string(each.isError ? "error" : "cost") + " in " + each.kernel + ", " + each.place + ": " +
                each.kind + ": " + each.text +
                (each.count > 1 ? " (" + std::to_string(each.count) + " times" + devices + ")" : ""));
    reports.push_back({{"kind", each.kind},
                       {"kernel", each.kernel},
                       {"place", each.place},
                       {"text", each.text},
                       {"is_error", each.isError},
                       {"count", each.count},
                       {"devices", each.devices}});
  }
  report.object["device"] = options.settings.device;
  report.object["reports"] = std::move(reports);
}

Status checkDevice(const RunArguments& options) {
  if (options.settings.backend == "cuda") return {};
  if (options.resident) return fail(ErrorKind::Usage, "--resident goes with --backend=cuda");
  if (!options.settings.device.empty()) return fail(ErrorKind::Usage, "--device goes with --backend=cuda");
  return {};
}

Result<RunReport> runWithProgress(const Module& module, RunRequest& request) {
  ProgressLine line;
  const auto tell = [&](std::string_view stage, double fraction) {
    const bool runs = stage.starts_with(kRunStage) || stage.starts_with(kProfileStage);
    line.tell((runs ? "" : "compile: ") + std::string(stage), fraction);
  };
  const bool speaks = !request.engine || request.engine->rank() == 0;
  if (speaks && line.isOnTerminal()) request.compile.progress = tell;  // short runs are measured
  auto ran = runModule(module, request);
  request.compile.progress = nullptr;
  return ran;
}

Status runAsAsked(const Module& module, const CLI::App& command, RunArguments& options, Engine* engine,
                  Report& report) {
  if (!engine && command.get_option("--wait-limit")->count() > 0)
    return fail(ErrorKind::Usage, "--wait-limit is for ranks: say --engine=mpi, too");
  TESSERA_TRY(takeSources(options));
  TESSERA_ASSIGN_OR_RETURN(const FileAccess files, takeFiles(module, command, options, report));
  TESSERA_TRY(checkDevice(options));
  TESSERA_ASSIGN_OR_RETURN(RunRequest request, makeRequest(module, files, options));
  request.engine = engine;
  request.gathersOutputs = !options.out.empty() || !options.expectation.file.empty() || options.expectation.result;
  TESSERA_ASSIGN_OR_RETURN(const RunReport ran, runWithProgress(module, request));
  tell(ran, options, report);
  tellDevice(ran, options, report);
  if (engine) tellEngine(ran, *engine, report);
  if (engine && engine->rank() > 0) return {};
  TESSERA_TRY(writeProfile(module, options, ran.profile, report));
  if (!options.out.empty()) {
    TESSERA_ASSIGN_OR_RETURN(DeviceArrays outputs, outputsAsGiven(module, ran));
    TESSERA_TRY(writeOutputs(module, options, std::move(outputs)));
  }
  if (request.keepsOutfeed) TESSERA_TRY(files.writeArrays({FileUse::Outfeed, options.settings.outfeed}, ran.outfeed));
  if (ran.grid.count() > 1) return compareDevices(ran.program, options.expectation, ran.outputs, report);
  return compareOutputs(module, options.expectation, ran.outputs[0], report);
}

// Values that a dump leaves out are zeros in a run, and its results are not the program's.
void tellElided(const Module& module, const std::string& file, Report& report) {
  int64_t count = 0;
  Diagnostic d{.severity = Severity::Warning, .file = file};
  for (ComputationId computation : module.order()) {
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& in = module.at(id);
      if (!in.literal || !in.literal->elided() || count++ > 0) continue;
      d.instructionName = std::string(in.name);
      d.position = in.position;
    }
  }
  if (count == 0) return;
  d.message = "%" + d.instructionName +
              (count > 1 ? " and " + std::to_string(count - 1) + " more constants are" : " is a constant that is") +
              " written as {...}: the values that the file leaves out are zeros here";
  report.failure(d);
  report.object["elided_constants"] = count;
}

// A backend knows neither the file nor what the reader sees of the instruction but its place; memory
// that a run cannot have is asked for by no single instruction.
Diagnostic placed(Diagnostic diagnostic, const RunArguments& options) {
  const bool ofTheModule = diagnostic.position.line || diagnostic.kind == ErrorKind::Runtime;
  if (diagnostic.file.empty() && ofTheModule) diagnostic.file = options.file;
  if (diagnostic.message.find(diagnostic.instructionName) == std::string::npos)
    diagnostic.message = "%" + diagnostic.instructionName + ": " + diagnostic.message;
  return diagnostic;
}

// Ranks end when rank 0 has written all; what has failed in one alone, the others are told.
void endTogether(Engine& engine, Report& report) {
  if (report.object.contains("error"))
    return engine.fail({.kind = ErrorKind::Runtime, .message = report.object["error"].value("message", "")});
  if (const auto ended = engine.largest("the end of the program", 0); !ended) report.failure(ended.error());
}

void runFile(const CLI::App& command, RunArguments& options, Engine* engine, Report& report) {
  auto module = loadModule(options.file, report, true, &options.snapshot);
  if (!module) return;
  if (options.snapshot.result) options.expectation.result = &*options.snapshot.result;
  options.expectation.snapshot = options.file;
  tellElided(*module, options.file, report);
  if (auto status = runAsAsked(*module, command, options, engine, report); !status)
    report.failure(placed(status.error(), options));
}

}  // namespace

void addRun(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("run", "Compile and run a module; time, compare, profile");
  auto options = std::make_shared<RunArguments>();
  addRunOptions(*command, *options);
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera run model.hlo --inputs=inputs.npz --expected=expected.npz --runs=10");
  command->callback([options, command, &report] {
    std::unique_ptr<Engine> engine;
    if (options->engine != "threads") {
      options->engineOptions.json = report.json;
      auto opened = openEngine(options->engine, options->engineOptions);
      if (!opened) return report.failure(opened.error());
      engine = std::move(*opened);
      report.rank = engine->rank();
    }
    runFile(*command, *options, engine.get(), report);
    if (engine) endTogether(*engine, report);
  });
}

}  // namespace tessera::cli
