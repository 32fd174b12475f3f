// See explain_code.h.
#include "app/cli/explain_code.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "app/cli/explain_device.h"
#include "backends/backend.h"
#include "backends/derived.h"
#include "backends/roofline.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/tools/explain.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Scheduled instructions of the optimised module that compute it, or the one of this name itself.
Result<std::vector<InstructionId>> findOptimized(const Module& source, const Module& optimized,
                                                 const std::string& name) {
  const auto found = instructionNamed(source, name);
  if (!found) {
    TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(optimized, name));
    return std::vector{id};
  }
  return derivedOf(optimized, *found);
}

class CodeReporter {
 public:
  CodeReporter(const Module& source, const Executable& executable, const CodeOptions& options, const Roofline* roofline,
               const Profile& profile, const std::optional<MachineCode>& machineCode, Report& report)
      : source_(source),
        optimized_(executable.optimized()),
        executable_(executable),
        options_(options),
        roofline_(roofline),
        profile_(profile),
        machineCode_(machineCode),
        report_(report) {}

  Status report(InstructionId id);

 private:
  void reportSources(InstructionId id, Json& out);
  void reportInsertion(InstructionId id, Json& out);
  Status reportLoops(InstructionId id, Json& out);
  void reportStep(const StepListing& step, size_t occurrence, ElementType type, Json& out);
  void reportTime(const StepListing& step, size_t occurrence, Json& out);
  void block(const char* title, const std::string& text);

  const Module &source_, &optimized_;
  const Executable& executable_;
  const CodeOptions& options_;
  const Roofline* roofline_;
  const Profile& profile_;  // without runs where none are asked for
  const std::optional<MachineCode>& machineCode_;
  Report& report_;
};

void CodeReporter::block(const char* title, const std::string& text) {
  report_.line(title);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) report_.line("  " + line);
}

void CodeReporter::reportSources(InstructionId id, Json& out) {
  out["sources"] = Json::array();
  std::string text;
  for (const std::string& name : sourcesOf(source_, optimized_, id)) {
    out["sources"].push_back(name);
    text += (text.empty() ? "%" : ", %") + name;
  }
  if (!text.empty()) report_.line("computes: " + text);
}

void CodeReporter::reportInsertion(InstructionId id, Json& out) {
  const std::string text = insertionText(optimized_, id);
  if (text.empty()) return;
  const Insertion& insertion = *optimized_.at(id).provenance->insertion;
  out["insertion"] = {{"user", optimized_.at(insertion.user).name}, {"reason", insertion.reason}};
  report_.line(text);
}

Status CodeReporter::reportLoops(InstructionId id, Json& out) {
  TESSERA_ASSIGN_OR_RETURN(const Explanation e, explain(optimized_, id));
  out["loop_nest"] = e.loopNest;
  if (e.loopNest.empty()) {
    report_.line("loop nest: none; " + e.without);
    return {};
  }
  for (size_t i = 0; i < e.buffers.size(); ++i) report_.line(fmt::format("operand{} is {}", i, e.buffers[i]));
  block("loop nest:", e.loopNest);
  return {};
}

// Of the whole step: a region's time is that of all its instructions. The profile lists steps in the same order.
void CodeReporter::reportTime(const StepListing& step, size_t occurrence, Json& out) {
  if (profile_.runs == 0) return;
  for (const StepProfile& each : profile_.steps) {
    if (each.name != step.name || each.what != step.what || occurrence-- > 0) continue;
    const auto runs = static_cast<double>(profile_.runs);
    const double ns = static_cast<double>(each.totalNs) / runs;
    out["measured"] = {{"ns", ns},
                       {"least_ns", each.minNs},
                       {"executions", static_cast<double>(each.count) / runs},
                       {"flops", each.flops / runs},
                       {"bytes", each.bytes / runs}};
    std::string rates;
    if (ns > 0) rates = fmt::format(": {:.2f} Gflop/s, {:.2f} GB/s", each.flops / runs / ns, each.bytes / runs / ns);
    report_.line(fmt::format("measured: {:.3f} us a run in {:g} executions, {:.0f} flops, {:.0f} bytes{}", ns / 1e3,
                             static_cast<double>(each.count) / runs, each.flops / runs, each.bytes / runs, rates));
    return;
  }
  report_.line("measured: it did not run");
}

void CodeReporter::reportStep(const StepListing& step, size_t occurrence, ElementType type, Json& out) {
  out["name"] = step.name;
  out["what"] = step.what;
  out["flops"] = step.flops;
  out["bytes"] = step.bytes;
  report_.line(fmt::format("step: {}, estimated {:.0f} flops, {:.0f} bytes", step.what, step.flops, step.bytes));
  reportTime(step, occurrence, out);
  if (roofline_) {
    const double ns = roofline_->attainableNs(std::string(info(type).name), step.flops, step.bytes);
    out["attainable_ns"] = ns;
    report_.line(fmt::format("attainable on this machine: {:.3f} us from memory", ns / 1e3));
  }
  out["buffers"] = Json::array();
  for (const BufferLocation& buffer : step.buffers) {
    out["buffers"].push_back(
        {{"role", buffer.role}, {"place", buffer.place}, {"offset", buffer.offset}, {"bytes", buffer.bytes}});
    report_.line(fmt::format("  {}: {} at {}, {} bytes", buffer.role, buffer.place, buffer.offset, buffer.bytes));
  }
  if (options_.ir) {
    out["ir_before"] = step.irBefore;
    out["ir_after"] = step.irAfter;
    if (step.irBefore.empty())
      report_.line("LLVM IR: none; code of the run time or of a library");
    else
      block("LLVM IR before LLVM's passes:", step.irBefore), block("LLVM IR after them:", step.irAfter);
  }
  if (options_.assembly || options_.ptx) {
    out["assembly"] = step.assembly;
    if (step.assembly.empty())
      report_.line("assembly: none; code of the run time or of a library");
    else
      block(step.kernel.empty() ? "assembly:" : "PTX:", step.assembly);
  }
  if (machineCode_ && !step.kernel.empty()) tellMachineCode(*machineCode_, step, out, report_);
}

Status CodeReporter::report(InstructionId id) {
  Json out;
  const std::string text = trimmed(printInstruction(optimized_, id));
  out["text"] = text;
  report_.line(text);
  reportSources(id, out);
  reportInsertion(id, out);
  if (options_.loops) TESSERA_TRY(reportLoops(id, out));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<StepListing> steps,
                           executable_.list(id, options_.ir || options_.assembly || options_.ptx));
  out["steps"] = Json::array();
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepListing& step = steps[i];
    const auto isLike = [&](const StepListing& other) { return other.name == step.name && other.what == step.what; };
    const auto before =
        static_cast<size_t>(std::count_if(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i), isLike));
    Json& one = out["steps"].emplace_back(Json::object());
    const Shape& shape = optimized_.shapeOf(id);
    reportStep(step, before, shape.isArray() ? shape.type : ElementType::F32, one);
  }
  if (steps.empty()) report_.line("step: none of its own");
  report_.object["optimized"].push_back(std::move(out));
  return {};
}

// Of the first device, with all others beside it: times of collectives are those of waiting for them, too.
Result<Profile> measureOnGrid(const Module& module, DeviceGrid grid, Backend& backend, const CompileOptions& options,
                              Executable& first, int64_t runs) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, argumentsByDevice(module, grid, {}, {}));
  std::vector<std::unique_ptr<Executable>> others;
  for (int64_t device = 1; device < grid.count(); ++device) {
    TESSERA_ASSIGN_OR_RETURN(auto other, backend.compile(module, options));
    others.push_back(std::move(other));
  }
  Profile profile;
  for (int64_t i = 0; i <= runs; ++i) {
    const auto program = [&](Communicator& communicator) {
      const auto device = static_cast<size_t>(communicator.device());
      RunOptions run;
      run.communicator = &communicator;
      return (device == 0 ? first : *others[device - 1])
          .run(arguments[device], run, device == 0 && i > 0 ? &profile : nullptr);
    };
    TESSERA_TRY(runOnDevices(grid, program));
  }
  return profile;
}

Result<Profile> measure(const Module& module, Executable& executable, int64_t runs) {
  Profile profile;
  std::vector<Literal> arguments, outputs;
  for (const Shape& shape : entryArgumentShapes(module)) {
    TESSERA_ASSIGN_OR_RETURN(Literal argument, fillParameter(shape, arguments.size(), {}));
    arguments.push_back(std::move(argument));
  }
  TESSERA_TRY(executable.runInto(arguments, outputs));  // takes memory and what libraries make at first
  for (int64_t i = 0; i < runs; ++i) TESSERA_TRY(executable.runInto(arguments, outputs, {}, &profile));
  return profile;
}

}  // namespace

Result<Roofline> readRoofline(const std::string& file) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, readFile(file));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  auto refused = [&] { return fail(ErrorKind::Input, file + ": this is no output of tessera machine --json"); };
  if (!json.is_object() || !json.contains("arithmetic") || !json.contains("memory")) return refused();
  Roofline out;
  try {
    for (const auto& peak : json["arithmetic"])
      out.arithmetic.push_back({peak.at("type"), peak.at("one_core"), peak.at("all_cores")});
    for (const auto& peak : json["memory"])
      out.memory.push_back({peak.at("level"), peak.at("how"), peak.at("one_core"), peak.at("all_cores")});
  } catch (const nlohmann::json::exception&) {
    return refused();
  }
  return out;
}

namespace {

Status checkOptions(const CodeOptions& options) {
  const bool isOther = options.device.starts_with("cuda:sm_");
  if (options.onDevice() && options.runs > 0 && isOther)
    return fail(ErrorKind::Usage, "--runs measures on a card: say --device=cuda:0, or another card's number");
  if (options.onDevice() && (options.loops || options.ir || options.assembly))
    return fail(ErrorKind::Usage, "--loops, --ir and --asm are of the CPU's program: they do not go with --ptx");
  return {};
}

CompileOptions compileOptions(const CodeOptions& options) {
  CompileOptions out;
  const std::string device = options.device.substr(options.device.find(':') + 1);
  if (options.onDevice()) out.device = options.warp && device.starts_with("sm_") ? "simulated:" + device : device;
  out.isa = options.isa;
  out.kernelCache = defaultKernelCache();
  return out;
}

// "sm_80", as its head says.
std::string targetOf(const std::string& ptx) {
  const size_t at = ptx.find("\n.target ");
  const size_t begin = at == std::string::npos ? 0 : at + 9;
  return at == std::string::npos ? "sm_80" : ptx.substr(begin, ptx.find_first_of(", \n", begin) - begin);
}

// With arguments by rule.
Status tellWarpOf(Executable& executable, const Module& module, const std::vector<InstructionId>& ids,
                  const CodeOptions& options, Report& report) {
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(module)) {
    TESSERA_ASSIGN_OR_RETURN(Literal argument, fillParameter(shape, arguments.size(), {}));
    arguments.push_back(std::move(argument));
  }
  report.object["warps"] = Json::array();
  for (InstructionId id : ids) {
    const auto accesses =
        executable.warpAccesses(id, arguments, {options.warpPlace[0], options.warpPlace[1]}, RunOptions{});
    if (!accesses && accesses.error().kind == ErrorKind::Unsupported && ids.size() > 1) continue;  // no kernel
    if (!accesses) return std::unexpected(accesses.error());
    Json& one = report.object["warps"].emplace_back(Json{{"instruction", executable.optimized().at(id).name}});
    tellWarp(*accesses, one, report);
  }
  return {};
}

}  // namespace

Status explainCode(const Module& module, const std::string& name, const CodeOptions& options, Report& report) {
  std::optional<Roofline> roofline;
  if (!options.machine.empty()) {
    TESSERA_ASSIGN_OR_RETURN(roofline, readRoofline(options.machine));
  }
  TESSERA_TRY(checkOptions(options));
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(options.onDevice() ? "cuda" : "cpu"));
  CompileOptions compile = compileOptions(options);
  DeviceGrid grid;
  if (options.runs > 0) {
    TESSERA_ASSIGN_OR_RETURN(grid, gridOf(module, 0, 0));
    if (grid.count() > 1) compile.threads = 1;
  }
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, compile));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> ids, findOptimized(module, executable->optimized(), name));
  Profile profile;
  if (options.runs > 0) {
    TESSERA_ASSIGN_OR_RETURN(profile, grid.count() > 1
                                          ? measureOnGrid(module, grid, *backend, compile, *executable, options.runs)
                                          : measure(module, *executable, options.runs));
  }
  report.object["optimized"] = Json::array();
  if (ids.empty()) report.line("nothing of it is left in the optimised module: it was folded, merged or not needed");
  std::optional<MachineCode> machineCode;
  if (options.sass) {
    TESSERA_ASSIGN_OR_RETURN(const std::string ptx, executable->ptx(module.name));
    const std::string device = options.device.substr(options.device.find(':') + 1);
    TESSERA_ASSIGN_OR_RETURN(machineCode, machineCodeOf(ptx, device.starts_with("sm_") ? device : targetOf(ptx)));
  }
  CodeReporter reporter(module, *executable, options, roofline ? &*roofline : nullptr, profile, machineCode, report);
  for (InstructionId id : ids) TESSERA_TRY(reporter.report(id));
  return options.warp ? tellWarpOf(*executable, module, ids, options, report) : Status();
}

}  // namespace tessera::cli
