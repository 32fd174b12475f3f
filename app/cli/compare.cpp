// tessera compare A [B]: two backends, versions or precisions, value by value. tessera bisect: the smallest module that
// shows the difference, or most of the time, with its inputs and the command that runs it.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/run_compare.h"
#include "backends/device_times.h"
#include "backends/reproducer.h"
#include "core/base/sorting.h"
#include "core/evaluate/argument_rules.h"
#include "core/formats/module_file.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  std::string left, right, inputs, precision, folder;
  std::vector<std::string> backends;
  FillRule fill;
  ComparedTolerance tolerance;
  size_t top = 20;
  int64_t runs = 300;
  double slow = 0;  // a share of the time; 0: values are compared
  int times = 0;    // runs whose times are compared, too
};

using Sides = ComparedPair;

// --- what is compared

std::pair<std::string, std::string> backendsOf(const CompareArguments& options) {
  const bool twoModules = !options.right.empty() || !options.precision.empty();
  if (options.backends.empty()) return twoModules ? std::pair("cpu", "cpu") : std::pair("evaluator", "cpu");
  return {options.backends.front(), options.backends.back()};
}

Result<std::vector<Literal>> argumentsOf(const Module& module, const CompareArguments& options) {
  ArgumentRules rules;
  rules.fill = options.fill;
  if (!options.inputs.empty()) {
    TESSERA_ASSIGN_OR_RETURN(rules.given, readNpz(options.inputs));
    rules.givenFrom = options.inputs;
  }
  return argumentsBy(rules, module);
}

Result<std::unique_ptr<Sides>> sidesOf(Module left, std::optional<Module> right, const CompareArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsOf(left, options));
  const auto type = options.precision.empty() ? std::nullopt : elementTypeFromName(options.precision);
  return comparedPair(std::move(left), std::move(right), type, backendsOf(options), std::move(arguments));
}

// --- what came of it

Json toJson(const Sides& sides, const ComparedValue& value) {
  const Instruction &a = sides.leftModule.at(value.left), &b = sides.rightModule.at(value.right);
  Json out = {{"a", a.name},
              {"b", b.name},
              {"opcode", a.opcodeName()},
              {"shape", toString(*a.shape, false)},
              {"equal", value.comparison.equal},
              {"max_abs_err", value.comparison.maxAbsError},
              {"max_rel_err", value.comparison.maxRelError},
              {"share_of_tolerance", value.comparison.worstShare}};
  if (!value.comparison.equal) out["mismatch"] = value.comparison.firstMismatch;
  if (value.leftNans + value.rightNans > 0) out["nans"] = {value.leftNans, value.rightNans};
  if (value.leftInfinities + value.rightInfinities > 0)
    out["infinities"] = {value.leftInfinities, value.rightInfinities};
  return out;
}

void putFound(const Sides& sides, const ValueComparison& found, Json& object) {
  object["equal"] = found.differing == 0;
  object["results_equal"] = found.resultsEqual;
  object["compared"] = found.values.size();
  object["differing"] = found.differing;
  const auto put = [&](const char* key, const std::optional<size_t>& row) {
    object[key] = row ? toJson(sides, found.values[*row]) : Json();
  };
  put("first_divergence", found.first);
  put("first_nan", found.firstNan);
  put("first_infinity", found.firstInfinity);
  object["path"] = object["values"] = Json::array();
  for (size_t row : found.path) object["path"].push_back(toJson(sides, found.values[row]));
  for (const ComparedValue& value : found.values) object["values"].push_back(toJson(sides, value));
}

std::string words(const Sides& sides, const ComparedValue& value) {
  const Instruction &a = sides.leftModule.at(value.left), &b = sides.rightModule.at(value.right);
  const std::string other = a.name == b.name ? "" : fmt::format(" (%{})", b.name);
  return fmt::format("%{}{} = {} {}: max_abs_err {:.4g}, max_rel_err {:.4g}, {:.3g} of what is allowed", a.name, other,
                     toString(*a.shape, false), a.opcodeName(), value.comparison.maxAbsError,
                     value.comparison.maxRelError, value.comparison.worstShare);
}

void tellFound(const Sides& sides, const ValueComparison& found, const CompareArguments& options, Report& report) {
  report.line(fmt::format("{} values compared, {} differ; the results are {}", found.values.size(), found.differing,
                          found.resultsEqual ? "equal" : "different"));
  const auto special = [&](const char* what, const std::optional<size_t>& row, int64_t left, int64_t right) {
    if (row) report.line(fmt::format("first {}: {} ({} | {})", what, words(sides, found.values[*row]), left, right));
  };
  if (found.firstNan)
    special("NaN", found.firstNan, found.values[*found.firstNan].leftNans, found.values[*found.firstNan].rightNans);
  if (found.firstInfinity)
    special("infinity", found.firstInfinity, found.values[*found.firstInfinity].leftInfinities,
            found.values[*found.firstInfinity].rightInfinities);
  if (!found.first) return;
  report.line("first divergence: " + words(sides, found.values[*found.first]));
  report.line("  " + found.values[*found.first].comparison.firstMismatch);
  report.line("from there to the result, by way of the largest error:");
  for (size_t i = 0; i < found.path.size() && i < options.top; ++i)
    report.line("  " + words(sides, found.values[found.path[i]]));
  if (found.path.size() > options.top) report.line(fmt::format("  … and {} more", found.path.size() - options.top));
}

// Of one module on two devices, node by node, the slowest first.
Status tellTimes(const Sides& sides, const CompareArguments& options, Report& report) {
  if (options.times == 0) return {};
  if (!options.right.empty() || !options.precision.empty())
    return fail(ErrorKind::Usage, "--times compares one module on two devices: name one file and --backends=A,B");
  TESSERA_ASSIGN_OR_RETURN(DeviceTimes times, timesOnDevices(sides.leftModule, sides.left.arguments, sides.left.backend,
                                                             sides.right.backend, options.times));
  Json& out = report.object["times"] = {
      {"a", sides.left.backend}, {"b", sides.right.backend}, {"a_ns", times.leftNs}, {"b_ns", times.rightNs}};
  out["nodes"] = Json::array();
  sortDescending(times.nodes, [](const NodeTimes& node) { return std::max(node.leftNs, node.rightNs); });
  report.line(fmt::format("a run: {:.1f} us on {}, {:.1f} us on {}", times.leftNs / 1e3, sides.left.backend,
                          times.rightNs / 1e3, sides.right.backend));
  size_t shown = 0;
  for (const NodeTimes& node : times.nodes) {
    const Instruction& instruction = sides.leftModule.at(node.instruction);
    out["nodes"].push_back({{"name", instruction.name},
                            {"opcode", instruction.opcodeName()},
                            {"a_ns", node.leftNs},
                            {"b_ns", node.rightNs},
                            {"a_measured", node.leftMeasured},
                            {"b_measured", node.rightMeasured}});
    if (shown++ < options.top)
      report.line(fmt::format("  {:10.1f} us {:10.1f} us  %{} {}", node.leftNs / 1e3, node.rightNs / 1e3,
                              instruction.name, instruction.opcodeName()));
  }
  return {};
}

Status tellComparison(Sides& sides, const CompareArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const ValueComparison found,
                           compareValues(sides.left, sides.right, sides.pairs, options.tolerance));
  if (report.json)  // which has a record a value
    putFound(sides, found, report.object);
  else
    tellFound(sides, found, options, report);
  if (found.differing > 0) report.raise(kDiffers);
  return tellTimes(sides, options, report);
}

// --- bisect

Status bisect(Sides& sides, const CompareArguments& options, Report& report) {
  BisectOptions how{options.tolerance, options.runs, {}};
  how.observe = [&](std::string_view step, const Module& now) {
    report.line(fmt::format("{} instructions: {}", now.instructionCount(), step));
  };
  const bool two = !options.right.empty() || !options.precision.empty();
  TESSERA_ASSIGN_OR_RETURN(const WrittenReproducer written,
                           writeReproducer(sides, two && options.slow == 0, options.slow, how, options.folder));
  report.object["instructions"] = written.files[0].instructions;
  if (written.runs > 0) report.object["runs"] = written.runs;
  Json& files = report.object["files"] = Json::array();
  for (const WrittenReproducer::File& file : written.files) {
    files.push_back(file.name);
    report.line(fmt::format("{}: {} instructions", (std::filesystem::path(options.folder) / file.name).string(),
                            file.instructions));
  }
  report.object["command"] = written.command;
  report.line(written.command);
  return {};
}

// --- options

void addSides(CLI::App& command, CompareArguments& options, Report& report) {
  command.add_option("A", options.left, "HLO file")->required();
  auto* right = command.add_option("B", options.right, "Another version of it");
  command.add_option("--precision", options.precision, "Against itself with its usual floats as f64, f32, bf16 or f16")
      ->check(CLI::IsMember({"f64", "f32", "bf16", "f16"}))
      ->excludes(right);
  command
      .add_option(
          "--backends", options.backends,
          "Of A and of B: cpu, evaluator, cuda (the first card), cuda:1 or cuda:simulated (default: cpu for both; "
          "for one file, evaluator,cpu)")
      ->delimiter(',')
      ->expected(1, 2)
      ->check([](const std::string& name) {
        const bool isKnown = name == "cpu" || name == "evaluator" || name == "cuda" || name.starts_with("cuda:");
        return isKnown ? "" : "expected cpu, evaluator, cuda or cuda:DEVICE, found " + name;
      });
  command.add_option("--inputs", options.inputs, "npz with arg0 … of A; missing ones follow the fill rule");
  command.add_option("--seed", options.fill.seed, "Fill rule: seed");
  command.add_option("--scale", options.fill.scale, "Fill rule: floats lie in [0, scale)")
      ->check(CLI::Range(0.0, 1e30));
  command.add_option("--imax", options.fill.imax, "Fill rule: integers lie in [0, imax)")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 62));
  const auto tolerance = [&](const char* name, std::optional<double>& value, const char* what) {
    command.add_option(name, value, what)->check(CLI::Range(0.0, 1e30));
  };
  tolerance("--rtol", options.tolerance.rtol, "Relative tolerance (default: by element type)");
  tolerance("--atol", options.tolerance.atol, "Tolerance as a share of a value's largest magnitude");
  tolerance("--floor", options.tolerance.floor, "Differences up to this never count");
  command.add_flag("--json", report.json, "Print one JSON object");
}

using What = Status (*)(Sides&, const CompareArguments&, Report&);

void compareFiles(const CompareArguments& options, What what, Report& report) {
  auto left = loadModule(options.left, report, true);
  std::optional<Module> right;
  if (!options.right.empty()) right = loadModule(options.right, report, true);
  if (!left || (!options.right.empty() && !right)) return;
  auto sides = sidesOf(std::move(*left), std::move(right), options);
  const Status done = sides ? what(**sides, options, report) : Status(std::unexpected(sides.error()));
  if (done) return;
  Diagnostic problem = done.error();
  if (problem.file.empty() && problem.position.line && options.right.empty()) problem.file = options.left;
  report.failure(problem);
}

}  // namespace

void addCompare(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "compare", "Compare two backends, versions or precisions value by value: where they part, NaN, how errors grow");
  auto options = std::make_shared<CompareArguments>();
  addSides(*command, *options, report);
  command->add_option("--top", options->top, "Lines of the path and of the times (--json has all)");
  command
      ->add_option("--times", options->times,
                   "Of one file: what each instruction takes on either backend, too, the median of so many runs")
      ->check(CLI::Range(1, 100000));
  command->footer(
      "Exit code 3 when values differ. What a fusion or loop computes inside is one value.\n"
      "Example: tessera compare model.hlo\n"
      "         tessera compare model.hlo --precision=f64 --rtol=1e-5\n"
      "         tessera compare model.hlo --backends=cpu,cuda --times=5");
  command->callback([options, &report] { compareFiles(*options, tellComparison, report); });
}

void addBisect(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "bisect", "Cut out the smallest module that shows a difference, or most of the time, with inputs and command");
  auto options = std::make_shared<CompareArguments>();
  addSides(*command, *options, report);
  command->add_option("-o,--output", options->folder, "The folder for the module, inputs.npz and command.txt")
      ->required();
  command->add_option("--runs", options->runs, "At most so many candidates")->check(CLI::Range(1, 1000000));
  command
      ->add_option("--slow", options->slow,
                   "What takes at least this share of the time, such as 0.5, instead of a difference")
      ->check(CLI::Range(0.01, 1.0))
      ->excludes("B");
  command->footer(
      "Two versions: the first instruction whose operands are equal and whose values are not.\n"
      "Example: tessera bisect model.hlo --slow=0.2 -o slow");
  command->callback([options, &report] { compareFiles(*options, bisect, report); });
}

}  // namespace tessera::cli
