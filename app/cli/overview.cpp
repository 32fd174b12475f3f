// tessera overview FILE: what a file is, and where its cost is.
#include "core/overview/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/findings.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/scopes.h"
#include "core/base/units.h"
#include "core/overview/facts.h"
#include "core/picture/picture.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShownShare = 0.02;  // of the tree's lines
constexpr int kShownDepth = 5;

struct OverviewArguments {
  std::string file, profile;
};

void putWork(Json& to, const Cost& cost) {
  to["flops"] = cost.flops;
  to["transcendentals"] = cost.transcendentals;
  to["bytes"] = cost.bytesAccessed;
}

void putPlace(Json& to, const Module& module, InstructionId id) {
  if (!id.valid()) return;
  to["instruction"] = module.at(id).name;
  to["computation"] = module.at(module.at(id).computation).name;
}

Json jsonOf(const Module& module, const std::vector<Overview::Array>& arrays) {
  Json out = Json::array();
  for (const Overview::Array& array : arrays) {
    out.push_back({{"name", array.name}, {"shape", array.shape}, {"bytes", array.bytes}});
    putPlace(out.back(), module, array.instruction);
  }
  return out;
}

Json jsonOf(const Module& module, const std::vector<Overview::Kind>& kinds) {
  Json out = Json::array();
  for (const Overview::Kind& kind : kinds) {
    out.push_back({{"name", kind.name}, {"count", kind.count}, {"bytes", kind.bytes}});
    putPlace(out.back(), module, kind.instruction);
  }
  return out;
}

Json jsonOf(const Module& module, const Overview::Argument& argument) {
  Json out{
      {"name", argument.name}, {"arrays", argument.arrays}, {"elements", argument.elements}, {"bytes", argument.bytes}};
  if (argument.arrays == 1) out["shape"] = argument.shape;
  putPlace(out, module, argument.instruction);
  return out;
}

Json jsonOf(const Workload& work, const CostScope& scope) {
  Json out{{"name", scope.name}, {"share", work.totalWeight() > 0 ? scope.weight / work.totalWeight() : 0}};
  putWork(out, scope.cost);
  putPlace(out, work.module, scope.instruction);
  if (scope.children.empty()) return out;
  Json& children = out["children"] = Json::array();
  for (const CostScope& child : scope.children) children.push_back(jsonOf(work, child));
  return out;
}

void putLayers(Json& to, const Module& module, const std::vector<Overview::Layers>& layers) {
  for (const auto& each : layers) {
    to.push_back({{"name", each.name}, {"count", each.count}, {"from", each.from}});
    putPlace(to.back(), module, each.instruction);
  }
}

void putFacts(Json& to, const Module& module, const Overview& overview) {
  to["module"] = module.name;
  to["optimized"] = overview.stage.optimised;
  to["scheduled"] = overview.stage.scheduled;
  to["device"] = overview.stage.device;
  to["instructions"] = overview.instructions;
  to["computations"] = overview.computations;
  putLayers(to["layers"] = Json::array(), module, overview.layers);
  putLayers(to["loops"] = Json::array(), module, overview.loops);
  to["parameters"] = overview.parameters ? jsonOf(module, *overview.parameters) : Json();
  putWork(to, overview.work);
  to["trips_known"] = overview.tripsKnown;
  to["peak_memory_bytes"] = overview.peakMemory ? Json(*overview.peakMemory) : Json();
  Json& arguments = to["arguments"] = Json::array();
  for (const auto& each : overview.arguments) arguments.push_back(jsonOf(module, each));
  to["inputs"] = jsonOf(module, overview.inputs);
  to["outputs"] = jsonOf(module, overview.outputs);
  to["replicas"] = overview.replicas;
  to["partitions"] = overview.partitions;
  Json& meshes = to["meshes"] = Json::object();
  for (const auto& [name, axes] : overview.meshes) meshes[name] = axes;
  to["types"] = jsonOf(module, overview.types);
  to["collectives"] = jsonOf(module, overview.collectives);
  to["custom_calls"] = jsonOf(module, overview.customCalls);
}

void putTop(Json& to, const Workload& work, const Overview& overview) {
  Json& top = to["top"] = Json::array();
  for (const auto& each : overview.top) {
    top.push_back({{"share", each.weight / work.totalWeight()}, {"times", each.times}});
    putWork(top.back(), each.cost);
    putPlace(top.back(), work.module, each.instruction);
    if (each.alike > 1) top.back()["alike"] = each.alike;
    if (work.measured()) top.back()["time_ns"] = each.weight;
  }
}

// --- for people

void tellFacts(const Module& module, const Overview& overview, Report& report) {
  report.line(fmt::format("{}: {}", module.name, stageText(overview.stage)));
  for (const OverviewFact& fact : factsOf(overview)) report.line(fact.label + ": " + fact.words());
}

// Scopes that hold the same are one line.
void tellScope(const Workload& work, const CostScope& scope, int depth, bool trains, Report& report) {
  constexpr double kSame = 0.99;
  for (const CostScope& child : scope.children) {
    const double share = child.weight / work.totalWeight();
    if (share < kShownShare || depth > kShownDepth) continue;
    const CostScope* inner = &child;
    std::string name = scopeText(child, trains);
    while (!inner->children.empty() && inner->children.front().weight >= kSame * child.weight) {
      inner = &inner->children.front();
      name += " / " + scopeText(*inner, trains);
    }
    report.line(fmt::format("  {:>6}  {:>8}  {:>8}  {:{}}{}", percentText(share), amountText(child.cost.flops),
                            bytesText(child.cost.bytesAccessed), "", 2 * depth, name));
    tellScope(work, *inner, depth + 1, trains, report);
  }
}

void tellHottest(const Workload& work, const CostScope& scopes, Report& report) {
  const auto way = hottestScope(scopes);
  if (way.empty()) return;
  Json& path = report.object["hottest_scope"]["path"] = Json::array();
  for (const CostScope* scope : way) path.push_back(scope->name);
  report.object["hottest_scope"]["share"] = way.back()->weight / work.totalWeight();
  report.line("hottest scope: " + hottestText(scopes));
}

std::string placeOf(const Module& module, const Instruction& i) {
  const std::string place = i.metadata ? placeNameOf(module, *i.metadata) : std::string();
  return place.empty() ? "" : " · " + shownText(place);
}

void tellTop(const Workload& work, const Overview& overview, Report& report) {
  for (const auto& each : overview.top) {
    const Instruction& i = work.module.at(each.instruction);
    const std::string what = i.opcode == Opcode::Fusion ? fusionTitle(work.module, i)
                                                        : std::string(i.opcodeName()) + placeOf(work.module, i);
    const std::string alike = each.alike > 1 ? fmt::format(", {} like it", countText(each.alike - 1)) : std::string();
    const std::string times = each.times > static_cast<double>(each.alike)
                                  ? fmt::format(", {} times", amountText(each.times))
                                  : std::string();
    report.line(fmt::format("  {:>6}  {:>8}  {:>8}  {} = {} {}{}{}", percentText(each.weight / work.totalWeight()),
                            amountText(each.cost.flops), bytesText(each.cost.bytesAccessed),
                            shownText(placeText(work.module, each.instruction)), toString(*i.shape, false), what, alike,
                            times));
  }
}

void tell(const Workload& work, Report& report) {
  const Overview overview = overviewOf(work);
  const CostScope scopes = costByScope(work);
  putFacts(report.object, work.module, overview);
  report.object["measured"] = work.measured();
  report.object["cost_by_scope"] = jsonOf(work, scopes);
  putTop(report.object, work, overview);
  tellFacts(work.module, overview, report);
  const CostScope families = costByScopeFamily(work);
  const bool trains = holdsBackward(families);
  tellHottest(work, families, report);
  const char* kind = work.measured() ? "measured time" : "estimated";
  if (!scopes.children.empty()) report.line(fmt::format("cost by scope (share {}, flops, bytes):", kind));
  tellScope(work, families, 0, trains, report);
  if (!overview.top.empty()) report.line(fmt::format("costliest instructions (share {}, flops, bytes):", kind));
  tellTop(work, overview, report);
  report.line("findings:");
  tellFindings(work, report);
  if (report.object["findings"].empty()) report.line("  none");
}

}  // namespace

void addOverview(CLI::App& app, Report& report) {
  auto* command =
      app.add_subcommand("overview", "Tell what a file is: layers, parameters, work, and where its cost is");
  auto options = std::make_shared<OverviewArguments>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("--profile", options->profile, "Profile of a run of FILE: measured times for estimates");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "Numbers are of one run; loops count by their trips where known.\nExample: tessera overview model.hlo --json");
  command->callback([options, &report] {
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    const auto profile = profileFor(*module, options->profile);
    if (!profile) return report.failure(profile.error());
    tell(Workload(*module, *profile ? &**profile : nullptr), report);
  });
}

}  // namespace tessera::cli
