// tessera cost FILE: flops, transcendentals and bytes of each instruction, most expensive first.
#include <fmt/format.h>

#include "app/cli/one_partition.h"
#include "core/hlo/place_text.h"
#include "core/tools/cost_table.h"

namespace tessera::cli {
namespace {

struct CostArguments {
  std::string file, by = "flops";
  size_t top = 0;
  int64_t partitions = 0;
};

CostOrder orderOf(const std::string& by) {
  if (by == "transcendentals") return CostOrder::Transcendentals;
  return by == "bytes" ? CostOrder::Bytes : CostOrder::Flops;
}

void put(nlohmann::ordered_json& to, const Cost& cost) {
  to["flops"] = cost.flops;
  to["transcendentals"] = cost.transcendentals;
  to["bytes_accessed"] = cost.bytesAccessed;
}

void tell(const Module& module, const CostTable& table, const CostArguments& options, Report& report) {
  put(report.object["total"], table.total);
  auto& list = report.object["instructions"] = nlohmann::ordered_json::array();
  const auto row = [&](const Cost& cost, const std::string& name) {
    report.line(fmt::format("{:>16} {:>16} {:>16}  {}", cost.flops, cost.transcendentals, cost.bytesAccessed, name));
  };
  report.line(fmt::format("{:>16} {:>16} {:>16}  {}", "flops", "transcendentals", "bytes", "instruction"));
  row(table.total, "in all");
  for (const CostRow& one : table.rows) {
    if (options.top != 0 && list.size() == options.top) break;
    const Instruction& instruction = module.at(one.instruction);
    const std::string& computation = module.at(instruction.computation).name;
    list.push_back({{"name", instruction.name}, {"opcode", instruction.opcodeName()}, {"computation", computation}});
    put(list.back(), one.cost);
    // What the partitioner has made stands in no file.
    if (!instruction.provenance) list.back()["link"] = options.file + "#" + placeText(module, one.instruction);
    const std::string where = instruction.computation == module.entry() ? "" : "%" + computation + ": ";
    row(one.cost, fmt::format("{}%{} = {} {}", where, instruction.name, toString(*instruction.shape, false),
                              instruction.opcodeName()));
  }
}

}  // namespace

void addCost(CLI::App& app, Report& report) {
  auto* command =
      app.add_subcommand("cost", "List what each instruction costs, most expensive first, and all together");
  auto options = std::make_shared<CostArguments>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("--by", options->by, "flops, transcendentals or bytes")
      ->check(CLI::IsMember({"flops", "transcendentals", "bytes"}));
  command->add_option("--top", options->top, "Only the N most expensive (0: all that cost anything)");
  addPartitions(*command, options->partitions);
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "Loops count once; a loop's row includes its body.\nExample: tessera cost model.hlo --by=bytes --top=10");
  command->callback([options, &report] {
    if (auto module = loadProgram(options->file, options->partitions, report))
      tell(*module, costTable(*module, orderOf(options->by)), *options, report);
  });
}

}  // namespace tessera::cli
