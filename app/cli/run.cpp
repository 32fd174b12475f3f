// tessera run FILE: compiles, runs, times, compares and profiles a module.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "app/cli/command.h"
#include "app/cli/feed_files.h"
#include "app/cli/physical_run.h"
#include "app/cli/run_compare.h"
#include "backends/backend.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/evaluate/argument_source.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/profile/profile.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string file, backend = "cpu", inputs, out, profile, infeed, outfeed, library;
  int64_t replicas = 0, partitions = 0;  // 0: as the module says
  FillRule fill;
  std::vector<std::string> sources;  // "0=constant 3"
  Expectation expectation;
  int64_t runs = 1;
  int64_t hottest = 0;
  bool physical = false;
  ProtoContent snapshot;
  CompileOptions compile;
  std::shared_ptr<const CustomCallLibrary> customCalls;  // of the file `library`
};

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

int64_t bytesOf(std::span<const Literal> literals) {
  int64_t bytes = 0;
  for (const Literal& literal : literals) bytes += static_cast<int64_t>(literal.bytes().size());
  return bytes;
}

Result<NamedArrays> readInputs(const Module& module, const Options& options) {
  TESSERA_ASSIGN_OR_RETURN(NamedArrays given, readNpz(options.inputs));
  // An array under another name would be left out without a word, and the rule's values taken.
  for (const auto& [name, value] : given)
    if (!name.starts_with("arg") || name.size() == 3 ||
        !std::ranges::all_of(name.substr(3), [](char c) { return c >= '0' && c <= '9'; }))
      return std::unexpected(
          inputFault(options.inputs + ": an argument's array is named arg0, arg1 … after its number; found " + name));
  if (!options.physical) return given;
  return argumentsFromMemory(std::move(given), entryMemoryOf(module));
}

// What --argument says of single arguments goes over what the npz holds.
Status addSources(const Module& module, const Options& options, NamedArrays& given) {
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (const std::string& words : options.sources) {
    size_t leaf = 0;
    const size_t equals = words.find('=');
    const auto [end, error] = std::from_chars(words.data(), words.data() + std::min(equals, words.size()), leaf);
    Diagnostic d;
    d.kind = ErrorKind::Usage;
    d.message = "--argument=" + words + ": ";
    if (equals == std::string::npos || error != std::errc() || end != words.data() + equals)
      d.message += "expected N=SOURCE, such as 0=constant 3";
    else if (leaf >= shapes.size())
      d.message += "the program has " + std::to_string(shapes.size()) + " arguments";
    else if (auto made = argumentFrom(words.substr(equals + 1), shapes[leaf], {options.fill, leaf, {}, readNetpbm})) {
      given["arg" + std::to_string(leaf)] = *std::move(made);
      continue;
    } else {
      d.message += made.error().message;
    }
    return std::unexpected(std::move(d));
  }
  return {};
}

// The entry's arguments: those of the npz or of the snapshot, the rest by the rule.
Result<std::vector<Literal>> argumentsOf(const Module& module, const Options& options) {
  NamedArrays given = namedLeaves(options.snapshot.arguments, "arg");
  if (!options.inputs.empty()) {
    TESSERA_ASSIGN_OR_RETURN(given, readInputs(module, options));
  }
  TESSERA_TRY(addSources(module, options, given));
  std::vector<Literal> arguments;
  std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string key = "arg" + std::to_string(i);
    if (auto found = given.find(key); found != given.end()) {
      if (!takesArgument(shapes[i], found->second.shape()))
        return std::unexpected(inputFault((options.inputs.empty() ? options.file : options.inputs) + ": " + key +
                                          " has shape " + toString(found->second.shape(), false) +
                                          ", the program's is " + toString(shapes[i], false)));
      arguments.push_back(found->second);
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(Literal filled, fillParameter(shapes[i], i, options.fill));
    arguments.push_back(std::move(filled));
  }
  return arguments;
}

Status writeOutputs(const Module& module, const Options& options, std::vector<Literal> outputs) {
  if (options.out.empty()) return {};
  if (options.physical) {
    TESSERA_ASSIGN_OR_RETURN(outputs, resultsToMemory(outputs, entryMemoryOf(module)));
  }
  NamedArrays arrays;
  for (size_t i = 0; i < outputs.size(); ++i) arrays["out" + std::to_string(i)] = outputs[i];
  return writeNpz(options.out, arrays);
}

void printHottest(const Module& module, const Profile& profile, int64_t count, Report& report) {
  auto sources = profile.sources;
  std::ranges::stable_sort(sources, std::greater(), &SourceProfile::timeNs);
  double total = 0;
  for (const auto& source : sources) total += source.timeNs;
  if (static_cast<int64_t>(sources.size()) > count) sources.resize(static_cast<size_t>(count));
  report.line("hottest instructions (time over " + std::to_string(profile.runs) + " runs):");
  for (const SourceProfile& source : sources) {
    const Instruction& instruction = module.at(source.instruction);
    char line[160];
    std::snprintf(line, sizeof line, "  %9.1f us %5.1f %% %s ", source.timeNs / 1e3,
                  total > 0 ? 100 * source.timeNs / total : 0.0, source.measured ? "measured   " : "apportioned");
    report.line(line + std::string("%") + std::string(instruction.name) + " " + std::string(instruction.opcodeName()) +
                " " + toString(*instruction.shape, false));
  }
}

Status profileRuns(const Module& module, Executable& executable, const std::vector<Literal>& arguments,
                   const Options& options, const RunOptions& run, Report& report) {
  if (options.profile.empty() && options.hottest == 0) return {};
  Profile profile;
  for (int64_t i = 0; i < options.runs; ++i) {
    auto result = executable.run(arguments, run, &profile);
    if (!result) return std::unexpected(std::move(result).error());
  }
  if (options.hottest > 0) printHottest(module, profile, options.hottest, report);
  if (options.profile.empty()) return {};
  return writeFileAtomically(options.profile, toChromeTrace(profile));
}

Status runModule(const Module& module, const Options& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(options.backend));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsOf(module, options));
  auto begin = std::chrono::steady_clock::now();
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options.compile));
  report.object["compile_ms"] = millisecondsSince(begin);

  HostFeeds outside;
  outside.customCalls = options.customCalls.get();
  DeviceGroup fleet({}, std::move(outside));
  Communicator communicator(fleet, 0);
  RunOptions run;
  if (options.customCalls) run.communicator = &communicator;
  std::vector<Literal> outputs, later;
  std::vector<double> times;
  double firstMs = 0;
  const int64_t warmUps = options.runs > 1 ? 1 : 0;
  for (int64_t i = 0; i < options.runs + warmUps; ++i) {
    begin = std::chrono::steady_clock::now();
    // The first outputs count: a program with a random state gives others later.
    TESSERA_TRY(executable->runInto(arguments, i == 0 ? outputs : later, run));
    if (i == 0) firstMs = millisecondsSince(begin);
    if (i >= warmUps) times.push_back(millisecondsSince(begin));
  }
  report.object["run_ms"] = median(times);
  report.object["first_run_ms"] = firstMs;
  report.object["runs"] = options.runs;
  report.object["peak_bytes"] = executable->peakBytes();
  report.object["argument_bytes"] = bytesOf(arguments);
  report.object["output_bytes"] = bytesOf(outputs);
  report.object["kernels"] = executable->kernelCounts().kernels;
  report.object["kernels_cached"] = executable->kernelCounts().cached;
  char line[160];
  std::snprintf(line, sizeof line, "compile %.2f ms, run %.3f ms (median of %lld), peak %lld bytes",
                report.object["compile_ms"].get<double>(), report.object["run_ms"].get<double>(),
                static_cast<long long>(options.runs), static_cast<long long>(executable->peakBytes()));
  report.line(line);
  TESSERA_TRY(profileRuns(module, *executable, arguments, options, run, report));
  TESSERA_TRY(writeOutputs(module, options, outputs));
  return compareOutputs(module, options.expectation, outputs, report);
}

NamedArrays namedOutputs(const DeviceArrays& outputs) {
  NamedArrays arrays;
  for (size_t device = 0; device < outputs.size(); ++device)
    for (size_t i = 0; i < outputs[device].size(); ++i)
      arrays[(outputs.size() > 1 ? "device" + std::to_string(device) + "_out" : "out") + std::to_string(i)] =
          outputs[device][i];
  return arrays;
}

Status writeDeviceOutputs(const Module& module, const Options& options, DeviceArrays outputs) {
  const EntryMemory memory = entryMemoryOf(module);
  for (std::vector<Literal>& device : outputs) {
    if (!options.physical) break;
    TESSERA_ASSIGN_OR_RETURN(device, resultsToMemory(device, memory));
  }
  return writeNpz(options.out, namedOutputs(outputs));
}

HostFeeds outsideOf(FeedFiles& files, const Options& options) {
  HostFeeds out = files.feeds();
  out.customCalls = options.customCalls.get();
  return out;
}

// One run on all devices at once, an executable and a thread each.
Status runOnGrid(const Module& module, DeviceGrid grid, const Options& options, Report& report) {
  FeedFiles files(options.physical);
  if (!options.infeed.empty()) TESSERA_TRY(files.open(options.infeed));
  if (!options.outfeed.empty()) files.keep();
  NamedArrays given;
  if (!options.inputs.empty()) {
    TESSERA_ASSIGN_OR_RETURN(given, readInputs(module, options));
  }
  TESSERA_TRY(addSources(module, options, given));
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, argumentsByDevice(module, grid, given, options.fill));
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(options.backend));
  std::vector<std::unique_ptr<Executable>> executables;
  for (int64_t device = 0; device < grid.count(); ++device) {
    CompileOptions compile = options.compile;
    compile.threads = 1;
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, compile));
    executables.push_back(std::move(executable));
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto program = [&](Communicator& communicator) {
    const auto device = static_cast<size_t>(communicator.device());
    RunOptions run;
    run.communicator = &communicator;
    return executables[device]->run(arguments[device], run);
  };
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays outputs, runOnDevices(grid, program, outsideOf(files, options)));
  report.object["replicas"] = grid.replicas;
  report.object["partitions"] = grid.partitions;
  report.object["run_ms"] = millisecondsSince(begin);
  report.line(std::to_string(grid.replicas) + " replicas of " + std::to_string(grid.partitions) + " partitions, run " +
              std::to_string(millisecondsSince(begin)) + " ms");
  if (!options.out.empty()) TESSERA_TRY(writeDeviceOutputs(module, options, outputs));
  if (!options.outfeed.empty()) TESSERA_TRY(writeNpz(options.outfeed, files.taken()));
  return compareDevices(module, options.expectation, outputs, report);
}

Status runAsAsked(const Module& module, Options& options, Report& report) {
  if (!options.library.empty()) {
    TESSERA_ASSIGN_OR_RETURN(options.customCalls, CustomCallLibrary::open(options.library));
    options.compile.customCalls = options.customCalls.get();
  }
  TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, gridOf(module, options.replicas, options.partitions));
  const bool alone = grid.replicas == 1 && grid.partitions == 1 && options.infeed.empty() && options.outfeed.empty();
  if (alone) return runModule(module, options, report);
  if (options.runs > 1 || !options.profile.empty() || options.hottest > 0) {
    Diagnostic d = inputFault("--runs, --profile and --hottest are for runs on one device without feeds");
    d.kind = ErrorKind::Usage;
    return std::unexpected(std::move(d));
  }
  return runOnGrid(module, grid, options, report);
}

// Values that a dump leaves out are zeros in a run, and its results are not the program's.
void tellElided(const Module& module, const std::string& file, Report& report) {
  int64_t count = 0;
  Diagnostic d;
  for (ComputationId computation : module.order()) {
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& in = module.at(id);
      if (!in.literal || !in.literal->elided() || count++ > 0) continue;
      d.instructionName = std::string(in.name);
      d.position = in.position;
    }
  }
  if (count == 0) return;
  d.severity = Severity::Warning;
  d.file = file;
  d.message = "%" + d.instructionName +
              (count > 1 ? " and " + std::to_string(count - 1) + " more constants are" : " is a constant that is") +
              " written as {...}: the values that the file leaves out are zeros here";
  report.failure(d);
  report.object["elided_constants"] = count;
}

// A backend knows neither the file nor what the reader sees of the instruction but its place; memory
// that a run cannot have is asked for by no single instruction.
Diagnostic placed(Diagnostic diagnostic, const Options& options) {
  const bool ofTheModule = diagnostic.position.line || diagnostic.kind == ErrorKind::Runtime;
  if (diagnostic.file.empty() && ofTheModule) diagnostic.file = options.file;
  if (diagnostic.message.find(diagnostic.instructionName) == std::string::npos)
    diagnostic.message = "%" + diagnostic.instructionName + ": " + diagnostic.message;
  return diagnostic;
}

}  // namespace

void addRun(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("run", "Compile and run a module; time, compare, profile");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "HLO file; an HloSnapshot brings its arguments and expected result")
      ->required();
  command->add_option("--backend", options->backend, "cpu or evaluator")->check(CLI::IsMember({"cpu", "evaluator"}));
  command->add_option("--inputs", options->inputs, "npz with arg0 …; missing ones follow the fill rule");
  command
      ->add_option("--argument", options->sources,
                   "N=SOURCE, the value of one argument: constant V, ramp A B, random A B, npy FILE or image FILE "
                   "(pgm, ppm); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--threads", options->compile.threads, "Threads of a run on one device (default: all cores)")
      ->check(CLI::Range(0, 4096));
  command
      ->add_option("--replicas", options->replicas,
                   "Replicas that run at once, each in a thread (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--partitions", options->partitions, "Partitions of each replica (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--infeed", options->infeed, "npz with feed0 …: the source of infeeds");
  command->add_option("--outfeed", options->outfeed, "npz for what outfeeds give: feed0 …");
  command->add_option("--custom-call-library", options->library, "Shared library with targets of custom calls");
  command->add_option("--seed", options->fill.seed, "Fill rule: seed")->check(CLI::NonNegativeNumber);
  command->add_option("--scale", options->fill.scale, "Fill rule: floats lie in [0, scale)");
  command->add_option("--imax", options->fill.imax, "Fill rule: integers lie in [0, imax)")->check(CLI::PositiveNumber);
  command->add_option("--out", options->out, "npz for the outputs out0 …");
  command->add_flag("--physical", options->physical,
                    "--inputs, --out and feeds hold buffers: npz arrays of u8, each the bytes in memory under the "
                    "program's layout, padding and tiles");
  command->add_option("--expected", options->expectation.file, "npz to compare the outputs with");
  command->add_option("--rtol", options->expectation.rtol, "Relative tolerance (default: by output type)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--atol", options->expectation.atol,
                   "Tolerance as a share of an output's largest magnitude (default: by output type)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--floor", options->expectation.floor,
                   "Differences up to this never count (default: the type's smallest normal number)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--runs", options->runs, "Timed runs; with more than one, a warm-up goes first")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--profile", options->profile, "Write a Chrome trace with the profile of as many further runs");
  command->add_option("--hottest", options->hottest, "List the N instructions that took the most time")
      ->check(CLI::Range(0, 1000000));
  options->compile.kernelCache = defaultKernelCache();
  command
      ->add_option("--kernel-cache", options->compile.kernelCache,
                   "Folder of compiled kernels, or off (default: $TESSERA_KERNEL_CACHE, else tessera/kernels in the "
                   "user's cache folder)")
      ->transform([](const std::string& folder) { return folder == "off" ? std::string() : folder; });
  command->add_option("--isa", options->compile.isa, "Widest vectors of kernels: native, avx2 or sse4")
      ->check(CLI::IsMember({"native", "avx2", "sse4"}));
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera run model.hlo --inputs=inputs.npz --expected=expected.npz --runs=10");
  command->callback([options, &report] {
    auto module = loadModule(options->file, report, true, &options->snapshot);
    if (!module) return;
    if (options->snapshot.result) options->expectation.result = &*options->snapshot.result;
    options->expectation.snapshot = options->file;
    tellElided(*module, options->file, report);
    if (auto status = runAsAsked(*module, *options, report); !status) report.failure(placed(status.error(), *options));
  });
}

}  // namespace tessera::cli
