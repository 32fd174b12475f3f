// A function a kind of fact; their order is the order in which they are read.
#include "core/overview/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/units.h"

namespace tessera {
namespace {

constexpr size_t kShown = 5, kMostArguments = 12;  // of the longer lists

std::string plural(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", countText(count), one, count == 1 ? "" : "s");
}

std::string layersText(const Overview::Layers& layers) {
  if (layers.from == "blocks") return fmt::format("{} equal blocks, the first at {}", layers.count, layers.name);
  const std::string_view toldBy = layers.from == "loop"     ? "each trip of the loop has weights of its own"
                                  : layers.from == "scopes" ? "by its scopes"
                                                            : "by its parameters";
  return fmt::format("{} × {} ({})", layers.name, layers.count, toldBy);
}

OverviewFact layersFact(const Overview& overview) {
  OverviewFact out{"layers", "", {}};
  for (const auto& each : overview.layers) out.items.push_back({layersText(each), each.instruction});
  return out;
}

OverviewFact loopsFact(const Overview& overview) {
  OverviewFact out{"loops", "", {}};
  for (const auto& each : overview.loops)
    out.items.push_back({fmt::format("{} of {} trips", each.name, each.count), each.instruction});
  return out;
}

OverviewFact workFact(const Overview& overview) {
  return {"work of a run",
          fmt::format("{} flops, {} transcendentals, {} read and written{}", amountText(overview.work.flops),
                      amountText(overview.work.transcendentals), bytesText(overview.work.bytesAccessed),
                      overview.tripsKnown ? "" : "; loops of unknown trips count once"),
          {}};
}

OverviewFact arraysFact(std::string label, const std::vector<Overview::Array>& arrays) {
  OverviewFact out{std::move(label), "", {}, arrays.size() > kShown};
  double bytes = 0;
  for (const Overview::Array& array : arrays) {
    bytes += array.bytes;
    if (out.items.size() < kShown)
      out.items.push_back(
          {fmt::format("{} {} ({})", array.name, array.shape, bytesText(array.bytes)), array.instruction});
  }
  out.text = fmt::format("{} in {}{}", bytesText(bytes), plural(arrays.size(), "array"), arrays.empty() ? "" : ": ");
  return out;
}

OverviewFact kindsFact(std::string label, const std::vector<Overview::Kind>& kinds) {
  OverviewFact out{std::move(label), "", {}};
  for (const Overview::Kind& kind : kinds)
    out.items.push_back({fmt::format("{} × {}", countText(kind.count), kind.name), kind.instruction});
  return out;
}

// The arguments of the program, those of one array by their shapes: tokens and labels are small, and looked for.
OverviewFact argumentsFact(const Overview& overview) {
  OverviewFact out{"arguments", "", {}, overview.arguments.size() > kMostArguments};
  for (const auto& each : overview.arguments)
    if (out.items.size() < kMostArguments)
      out.items.push_back(
          {each.arrays > 1 ? fmt::format("{} ({}, {})", each.name, plural(each.arrays, "array"), bytesText(each.bytes))
                           : fmt::format("{} {}", each.name, each.shape),
           each.instruction});
  return out;
}

// A loss is among them.
void addScalars(const Overview& overview, std::vector<OverviewFact>& out) {
  OverviewFact scalars{"scalar outputs", "", {}};
  for (const Overview::Array& array : overview.outputs)
    if (array.shape.ends_with("[]") && scalars.items.size() <= kShown)
      scalars.items.push_back({fmt::format("{} {}", array.name, array.shape), array.instruction});
  scalars.more = scalars.items.size() > kShown;
  if (scalars.more) scalars.items.pop_back();
  if (!scalars.items.empty() && overview.outputs.size() > 1) out.push_back(std::move(scalars));
}

void addDevices(const Overview& overview, std::vector<OverviewFact>& out) {
  if (overview.replicas * overview.partitions > 1)
    out.push_back({"devices",
                   plural(static_cast<size_t>(overview.replicas), "replica") + " × " +
                       plural(static_cast<size_t>(overview.partitions), "partition"),
                   {}});
  for (const auto& [name, axes] : overview.meshes) out.push_back({"mesh " + name, axes, {}});
}

}  // namespace

std::string OverviewFact::words() const {
  std::string out = text;
  for (size_t k = 0; k < items.size(); ++k) out += (k ? ", " : "") + shownText(items[k].text);
  return more ? out + ", …" : out;
}

std::string stageText(const ModuleStage& stage) {
  if (!stage.optimised) return "before optimization";
  std::string out = "after optimization";
  if (!stage.device.empty()) out += fmt::format(" for {} (by its {})", stage.device, stage.deviceSign);
  return stage.scheduled ? out + ", scheduled" : out;
}

std::string shownText(std::string_view text) {
  constexpr size_t kLongest = 160;
  if (text.size() <= kLongest) return std::string(text);
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a letter
  return std::string(text.substr(0, end)) + "…";
}

std::string argumentText(const Overview::Argument& argument) {
  return fmt::format("{} values in {} of {} ({})", amountText(argument.elements), plural(argument.arrays, "array"),
                     argument.name, bytesText(argument.bytes));
}

std::vector<OverviewFact> factsOf(const Overview& overview) {
  std::vector<OverviewFact> out;
  out.push_back(
      {"instructions",
       fmt::format("{} in {}", countText(overview.instructions), plural(overview.computations, "computation")),
       {}});
  if (!overview.layers.empty()) out.push_back(layersFact(overview));
  if (!overview.loops.empty()) out.push_back(loopsFact(overview));
  if (overview.parameters) out.push_back({"parameters", argumentText(*overview.parameters), {}});
  out.push_back(workFact(overview));
  if (overview.peakMemory)
    out.push_back({"peak memory", bytesText(static_cast<double>(*overview.peakMemory)) + " in this order", {}});
  out.push_back(arraysFact("inputs", overview.inputs));
  if (overview.arguments.size() != overview.inputs.size()) out.push_back(argumentsFact(overview));
  out.push_back(arraysFact("outputs", overview.outputs));
  addScalars(overview, out);
  addDevices(overview, out);
  out.push_back(kindsFact("types", overview.types));
  if (!overview.collectives.empty()) out.push_back(kindsFact("collectives", overview.collectives));
  if (!overview.customCalls.empty()) out.push_back(kindsFact("custom calls", overview.customCalls));
  return out;
}

bool holdsBackward(const CostScope& scope) {
  return scope.name.starts_with("transpose(") || std::ranges::any_of(scope.children, holdsBackward);
}

std::string scopeText(const CostScope& scope, bool trains) {
  if (scope.name.starts_with("transpose(")) return shownText(scope.name) + " (backward)";
  if (scope.name.starts_with("jvp(") && trains) return shownText(scope.name) + " (forward)";
  if (scope.name.starts_with("rematted_computation")) return shownText(scope.name) + " (recomputed)";
  return shownText(scope.name);
}

std::string hottestText(const CostScope& root) {
  constexpr size_t kFirst = 2, kLast = 4;  // of a long path
  const auto way = hottestScope(root);
  if (way.empty()) return {};
  const bool trains = holdsBackward(root);
  std::string out;
  for (size_t k = 0; k < way.size(); ++k) {
    const bool told = k < kFirst || k + kLast >= way.size();
    if (told || k == kFirst) out += (out.empty() ? "" : " / ") + (told ? scopeText(*way[k], trains) : "…");
  }
  return fmt::format("{}, {} of the cost", out, percentText(way.back()->weight / root.weight));
}

}  // namespace tessera
