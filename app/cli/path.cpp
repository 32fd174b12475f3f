// tessera path FILE FROM TO: where values go, across calls, loops, fusions and tuples; cones and neighbourhoods of an
// instruction; the computations by caller.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "core/hlo/place_text.h"
#include "core/tools/find_instruction.h"
#include "core/tools/flow/call_tree.h"
#include "core/tools/flow/value_flow.h"
#include "core/tools/link.h"

namespace tessera::cli {
namespace {

struct PathArguments {
  std::string file, from, to;
  std::vector<std::string> via;
  bool up = false, down = false, all = false, callers = false;
  int64_t hops = -1;
};

const char* nameOf(FlowStep::How how) {
  switch (how) {
    case FlowStep::How::Start: return "from";
    case FlowStep::How::Use: return "used by";
    case FlowStep::How::Enter: return "enters";
    case FlowStep::How::Leave: return "returned by";
    case FlowStep::How::NextIteration: return "next iteration";
  }
  return "";
}

// The array of a tuple at the index; the tuple itself where it has no index.
const Shape& elementOf(const Shape& shape, const std::vector<int64_t>& index) {
  const Shape* at = &shape;
  for (int64_t k : index) at = &at->elements[static_cast<size_t>(k)];
  return *at;
}

// "body/add.5 = f32[4] add", "main/loop{1} = f32[8] while".
class PathTeller {
 public:
  PathTeller(const Module& module, const std::string& file, Report& report)
      : module_(module), file_(file), report_(report) {}

  void tell(InstructionId id) {
    report_.object["instructions"].push_back(jsonOf(id, module_.shapeOf(id)));
    report_.line(lineOf(id, {}, module_.shapeOf(id)));
  }
  void tell(const FlowStep& step) {
    const Shape& shape = elementOf(module_.shapeOf(step.instruction), step.element);
    nlohmann::ordered_json one = jsonOf(step.instruction, shape);
    if (!step.element.empty()) one["element"] = step.element;
    one["how"] = nameOf(step.how);
    report_.object["path"].push_back(std::move(one));
    const std::string element = step.element.empty() ? "" : fmt::format("{{{}}}", fmt::join(step.element, ","));
    report_.line(fmt::format("{:<15}{}", nameOf(step.how), lineOf(step.instruction, element, shape)));
  }

 private:
  nlohmann::ordered_json jsonOf(InstructionId id, const Shape& shape) const {
    const Instruction& in = module_.at(id);
    return {{"name", in.name},
            {"computation", module_.at(in.computation).name},
            {"opcode", in.opcodeName()},
            {"shape", toString(shape, false)},
            {"link", file_ + "#" + placeText(module_, id)}};
  }
  std::string lineOf(InstructionId id, const std::string& element, const Shape& shape) const {
    constexpr size_t kMostShape = 60;  // a tuple of hundreds of arrays says nothing
    const Instruction& in = module_.at(id);
    std::string text = toString(shape, false);
    if (text.size() > kMostShape) text = text.substr(0, kMostShape) + "…)";
    return fmt::format("{}/{}{} = {} {}", module_.at(in.computation).name, in.name, element, text, in.opcodeName());
  }

  const Module& module_;
  const std::string& file_;
  Report& report_;
};

Result<std::vector<InstructionId>> instructionsNamed(const Module& module, const std::vector<std::string>& names) {
  std::vector<InstructionId> out;
  for (const std::string& name : names) {
    TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(module, name));
    out.push_back(id);
  }
  return out;
}

void tellAll(const Module& module, const std::vector<InstructionId>& found, const PathArguments& options,
             Report& report) {
  report.object["instructions"] = nlohmann::ordered_json::array();
  PathTeller teller(module, options.file, report);
  for (InstructionId id : found) teller.tell(id);
}

// No path: whether there is one the other way tells whether the two were taken for each other.
void tellNoPath(const ValueFlow& flow, const std::vector<InstructionId>& through, const PathArguments& options,
                Report& report) {
  std::vector<InstructionId> back(through.rbegin(), through.rend());
  const bool reverse = !flow.path(back).empty();
  report.object["reverse"] = reverse;
  report.line(fmt::format("no value of {} reaches {}{}{}", options.from, options.to,
                          options.via.empty() ? "" : fmt::format(" through {}", fmt::join(options.via, ", ")),
                          reverse ? "; there is a path the other way" : ""));
  report.raise(kNo);
}

void tellPath(const Module& module, const ValueFlow& flow, const std::vector<InstructionId>& through,
              const PathArguments& options, Report& report) {
  const std::vector<FlowStep> steps = flow.path(through);
  report.object["path"] = nlohmann::ordered_json::array();
  if (steps.empty()) return tellNoPath(flow, through, options, report);
  if (options.all) return tellAll(module, flow.between(through.front(), through.back()), options, report);
  PathTeller teller(module, options.file, report);
  for (const FlowStep& step : steps) teller.tell(step);
}

void tellCallers(const Module& module, Report& report) {
  const CallTree tree(module);
  struct Line {
    CallTree::Call call;
    size_t depth;
  };
  std::vector<Line> open;
  std::vector<bool> told(module.computationSlots());
  report.object["computations"] = nlohmann::ordered_json::array();
  for (auto root = tree.roots().rbegin(); root != tree.roots().rend(); ++root) open.push_back({{*root, {}, 0}, 0});
  while (!open.empty()) {
    const auto [call, depth] = open.back();
    open.pop_back();
    const Computation& computation = module.at(call.computation);
    const bool again = told[call.computation.value];
    const size_t instructions = computation.instructions.size();
    report.line(fmt::format("{:{}}{}{} · {} instruction{}{}", "", 2 * depth, computation.name,
                            call.count > 1 ? fmt::format(" ×{}", call.count) : "", instructions,
                            instructions == 1 ? "" : "s",
                            again && !tree.callees(call.computation).empty() ? " · …" : ""));
    nlohmann::ordered_json one = {{"name", computation.name}, {"depth", depth}, {"instructions", instructions}};
    if (call.count) one["calls"] = call.count, one["caller"] = module.at(call.instruction).name;
    report.object["computations"].push_back(std::move(one));
    if (again) continue;  // what it calls is where it was met first
    told[call.computation.value] = true;
    const auto callees = tree.callees(call.computation);
    for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) open.push_back({*callee, depth + 1});
  }
}

// What the options ask for fits together.
Status checkPath(const PathArguments& options) {
  const int sets = options.up + options.down + (options.hops >= 0);
  const auto usage = [](const char* message) { return fail(ErrorKind::Usage, message); };
  if (options.callers)
    return options.from.empty() && sets == 0 ? Status() : usage("--callers is of the file and takes no instruction");
  if (options.from.empty()) return usage("FROM is required, here or behind FILE#");
  if (sets > 1) return usage("one of --up, --down and --hops");
  if (sets == 1 && !options.to.empty()) return usage("--up, --down and --hops are of FROM alone");
  if (sets == 0 && options.to.empty()) return usage("TO is required, or one of --up, --down, --hops and --callers");
  if (options.all && !options.via.empty()) return usage("--all and --via exclude each other");
  return {};
}

void answer(const Module& module, const PathArguments& options, Report& report) {
  if (options.callers) return tellCallers(module, report);
  std::vector<std::string> names{options.from};
  names.insert(names.end(), options.via.begin(), options.via.end());
  if (!options.to.empty()) names.push_back(options.to);
  const auto through = instructionsNamed(module, names);
  if (!through) return report.failure(through.error());
  const ValueFlow flow(module);
  if (!options.to.empty()) return tellPath(module, flow, *through, options, report);
  const std::span from(through->data(), 1);
  tellAll(module,
          options.hops >= 0 ? flow.neighbourhood(from, options.hops)
                            : flow.cone(from, options.up ? FlowDirection::Up : FlowDirection::Down),
          options, report);
}

}  // namespace

void addPath(CLI::App& app, Report& report) {
  auto* command =
      app.add_subcommand("path", "Follow values: the shortest path, cones, neighbours, computations by caller");
  auto options = std::make_shared<PathArguments>();
  command->add_option("FILE", options->file, "HLO file, or a link: FILE#FROM")->required();
  command->add_option("FROM", options->from,
                      "Where the value comes from; COMPUTATION/NAME where several have the name");
  command->add_option("TO", options->to, "Where it goes");
  command->add_option("--via", options->via, "Through this one; several in their order")->delimiter(',');
  command->add_flag("--all", options->all, "All that lies on a path between the two, not the shortest one");
  command->add_flag("--up", options->up, "All that FROM is computed from");
  command->add_flag("--down", options->down, "All that is computed from FROM");
  command->add_option("--hops", options->hops, "What is at most so many steps away from FROM")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--callers", options->callers, "The computations of FILE, each below what calls it");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "A path passes a call as one step and goes into what it runs only to reach FROM or TO. Elements of tuples are\n"
      "told apart. Exit code 1 when there is no path.\nExample: tessera path model.hlo x sum");
  command->callback([options, &report] {
    if (options->file.find('#') != std::string::npos) {
      LinkParts parts = splitLink(options->file);
      if (!parts.name.empty()) {  // FILE#FROM TO
        if (!options->to.empty())
          return report.failure({.kind = ErrorKind::Usage, .message = "FILE is a link to FROM already"});
        options->file = parts.file;
        options->to = std::exchange(options->from, parts.name);
      }
    }
    if (const Status fits = checkPath(*options); !fits) return report.failure(fits.error());
    if (const auto module = loadModule(options->file, report, false)) answer(*module, *options, report);
  });
}

}  // namespace tessera::cli
