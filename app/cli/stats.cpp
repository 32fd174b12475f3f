// tessera stats FILE: what is in a module and what it costs, counted as XLA's cost analysis counts.
#include <algorithm>
#include <map>

#include "app/cli/command.h"
#include "core/base/units.h"
#include "core/cost/cost.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/dot_reader.h"
#include "core/formats/module_file.h"
#include "core/memory/memory_report.h"

namespace tessera::cli {
namespace {

int64_t bytesOf(const Shape& shape) { return shape.denseBytes().value_or(0); }

nlohmann::ordered_json statsOf(const Module& module) {
  std::map<std::string, int64_t> opcodes;
  int64_t constants = 0, parameters = 0;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& instruction = module.at(id);
      ++opcodes[std::string(instruction.opcodeName())];
      if (instruction.opcode == Opcode::Constant) constants += bytesOf(*instruction.shape);
    }
  for (const Shape& shape : entryArgumentShapes(module)) parameters += bytesOf(shape);
  const Cost cost = costOf(module);
  nlohmann::ordered_json out;
  out["module"] = module.name;
  out["instructions"] = module.instructionCount();
  out["computations"] = module.order().size();
  out["parameter_bytes"] = parameters;
  out["constant_bytes"] = constants;
  out["output_bytes"] = bytesOf(module.shapeOf(module.entryComputation().root));
  out["flops"] = cost.flops;
  out["transcendentals"] = cost.transcendentals;
  out["bytes_accessed"] = cost.bytesAccessed;
  const auto memory = memoryReport(module);
  out["peak_memory_bytes"] = memory ? memory->peakBytes() : peakMemory(module);
  out["opcodes"] = opcodes;
  return out;
}

// "parameter_bytes: 13.1 KB (13,096)".
std::string statLine(const std::string& key, const nlohmann::ordered_json& value) {
  if (!value.is_number()) return key + ": " + (value.is_string() ? value.get<std::string>() : value.dump());
  const auto number = value.get<double>();
  const std::string exact = countText(static_cast<uint64_t>(std::max(number, 0.0)));
  if (key == "instructions" || key == "computations") return key + ": " + exact;
  const bool isBytes = key.find("bytes") != std::string::npos;
  return key + ": " + (isBytes ? bytesText(number) : amountText(number)) + (number < 1000 ? "" : " (" + exact + ")");
}

// A Graphviz file: what is in the picture. False: it is none.
bool tellPlainGraph(const std::string& file, Report& report) {
  const auto content = readFile(file);
  if (!content || !looksLikeDot(*content)) return false;
  const auto graph = readDot(*content, file);
  if (!graph) return report.failure(graph.error()), true;
  report.object["graph"] = graph->name;
  report.object["nodes"] = graph->nodes.size();
  report.object["edges"] = graph->edges.size();
  report.object["clusters"] = graph->clusters.size();
  for (const auto& [key, value] : report.object.items())
    report.line(key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return true;
}

}  // namespace

void addStats(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("stats", "Count instructions, bytes, flops and peak memory of a module");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "HLO file, project or Graphviz file")->required();
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera stats model.hlo --json");
  command->callback([file, &report] {
    if (tellPlainGraph(*file, report)) return;
    auto module = loadModule(*file, report, true);
    if (!module) return;
    auto stats = statsOf(*module);
    for (const auto& [key, value] : stats.items()) {
      report.object[key] = value;
      if (key != "opcodes") report.line(statLine(key, value));
    }
    std::vector<std::pair<int64_t, std::string>> rows;
    for (const auto& [name, count] : stats["opcodes"].items()) rows.emplace_back(count.get<int64_t>(), name);
    std::ranges::sort(rows, std::greater());
    for (const auto& [count, name] : rows) report.line("  " + countText(static_cast<uint64_t>(count)) + " " + name);
  });
}

}  // namespace tessera::cli
