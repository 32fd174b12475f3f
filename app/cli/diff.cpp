// tessera diff A B: do two files hold the same graph, whatever its names, ids and order, and what differs? Of two
// profiles: which instructions took longer.
#include "core/tools/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cli/command.h"
#include "app/cli/profile_table.h"
#include "core/formats/module_file.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/diff/diff_page.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLines = 100;  // of each kind; the JSON form has all

struct DiffArguments {
  std::string left, right;
  std::string html;  // "-": to stdout
};

Json toJson(const Module& module, InstructionId id, CostCounter& costs) {
  const Instruction& instruction = module.at(id);
  const Cost cost = costs.of(id);
  return {{"name", instruction.name},
          {"computation", module.at(instruction.computation).name},
          {"opcode", instruction.opcodeName()},
          {"shape", toString(*instruction.shape, false)},
          {"flops", cost.flops},
          {"bytes", cost.bytesAccessed}};
}

Json toJson(const std::vector<Change>& changes) {
  Json out = Json::array();
  for (const Change& change : changes)
    out.push_back({{"what", change.what}, {"a", change.inLeft}, {"b", change.inRight}});
  return out;
}

Json toJson(const Cost& cost, int64_t peak) {
  return {{"flops", cost.flops}, {"bytes", cost.bytesAccessed}, {"peak", peak}};
}

void putFound(const Module& left, const Module& right, const DiffResult& found, Json& object) {
  object["equal"] = found.same();
  object["matched"] = found.matched;
  for (const char* list : {"changed", "added", "removed", "computations"}) object[list] = Json::array();
  CostCounter ofLeft(left), ofRight(right);
  for (const ChangedInstruction& one : found.changed)
    object["changed"].push_back({{"a", toJson(left, one.left, ofLeft)},
                                 {"b", toJson(right, one.right, ofRight)},
                                 {"changes", toJson(one.changes)}});
  for (InstructionId id : found.added) object["added"].push_back(toJson(right, id, ofRight));
  for (InstructionId id : found.removed) object["removed"].push_back(toJson(left, id, ofLeft));
  for (const ChangedComputation& one : found.computations)
    object["computations"].push_back(
        {{"a", left.at(one.left).name}, {"b", right.at(one.right).name}, {"changes", toJson(one.changes)}});
}

void putCost(const CostDelta& cost, Json& object) {
  object["a"] = toJson(cost.left, cost.leftPeak);
  object["b"] = toJson(cost.right, cost.rightPeak);
  object["delta"] = {{"flops", cost.right.flops - cost.left.flops},
                     {"bytes", cost.right.bytesAccessed - cost.left.bytesAccessed},
                     {"peak", cost.rightPeak - cost.leftPeak}};
}

// --- lines for people

void tellChanges(const std::string& place, const std::vector<Change>& changes, Report& report) {
  for (const Change& change : changes) {
    report.line("~ " + place + ": " + change.what);
    if (!change.inLeft.empty()) report.line("    - " + change.inLeft);
    if (!change.inRight.empty()) report.line("    + " + change.inRight);
  }
}

template <class List, class Tell>
void tellSome(const List& list, Report& report, const Tell& tell) {
  for (size_t i = 0; i < std::min(list.size(), kMaxLines); ++i) tell(list[i]);
  if (list.size() > kMaxLines) report.line(fmt::format("… and {} more", list.size() - kMaxLines));
}

void tellFound(const Module& left, const Module& right, const DiffResult& found, Report& report) {
  tellSome(found.computations, report, [&](const ChangedComputation& one) {
    tellChanges("%" + left.at(one.left).name + " | %" + right.at(one.right).name, one.changes, report);
  });
  tellSome(found.changed, report, [&](const ChangedInstruction& one) {
    tellChanges(placeOf(left, one.left) + " | " + placeOf(right, one.right), one.changes, report);
  });
  const auto place = [](const Module& module, InstructionId id) {
    return "%" + module.at(module.at(id).computation).name + ": " + shortDescription(module, id);
  };
  tellSome(found.removed, report, [&](InstructionId id) { report.line("- " + place(left, id)); });
  tellSome(found.added, report, [&](InstructionId id) { report.line("+ " + place(right, id)); });
}

void tellCost(const CostDelta& cost, Report& report) {
  const auto line = [&](const char* name, double one, double other) {
    const std::string share = one != 0 ? fmt::format(" ({:+.1f} %)", 100 * (other - one) / one) : "";
    report.line(fmt::format("{}: {:.0f} -> {:.0f}{}", name, one, other, other == one ? "" : share));
  };
  line("flops", cost.left.flops, cost.right.flops);
  line("bytes", cost.left.bytesAccessed, cost.right.bytesAccessed);
  line("peak", static_cast<double>(cost.leftPeak), static_cast<double>(cost.rightPeak));
}

void writePage(const std::string& page, const std::string& file, Report& report) {
  if (file == "-") return report.line(page);
  if (const auto written = writeFileAtomically(file, page); !written) report.failure(written.error());
}

void tell(const Module& left, const Module& right, const DiffArguments& options, Report& report) {
  const DiffResult found = diff(left, right);
  const CostDelta cost = costDelta(left, right);
  if (!found.same()) report.raise(kNo);
  if (!options.html.empty())
    writePage(diffPage(left, options.left, right, options.right, found, cost), options.html, report);
  if (report.json) {  // which may hold a record an instruction
    putFound(left, right, found, report.object);
    putCost(cost, report.object);
  } else if (options.html == "-") {
    return;
  } else if (found.same()) {
    report.line(fmt::format("the same graph: {} instructions", found.matched));
  } else {
    tellFound(left, right, found, report);
    report.line(fmt::format("{} matched, {} changed, {} added, {} removed", found.matched, found.changed.size(),
                            found.added.size(), found.removed.size()));
    tellCost(cost, report);
  }
}

// --- two profiles

struct ProfileSums {
  double flops = 0, bytes = 0;
};
ProfileSums sumsOf(const OpProfile& profile) {
  ProfileSums out;
  const auto steps = static_cast<double>(std::max<int64_t>(profile.steps, 1));
  for (const InstructionTime& row : profile.instructions)
    out.flops += row.flops / steps, out.bytes += row.bytes / steps;
  return out;
}

void tellProfiles(const OpProfile& left, const OpProfile& right, Report& report) {
  const ProfileComparison found = compareProfiles(left, right);
  Json& object = report.object;
  for (const char* list : {"changed", "added", "removed"}) object[list] = Json::array();
  std::set<std::string> names;
  for (const InstructionTime& row : left.instructions) names.insert(row.name);
  size_t same = names.size();
  for (const SlowerRow& row : found.rows) {
    const char* list = row.beforeNs <= 0 ? "added" : row.afterNs <= 0 ? "removed" : "changed";
    same -= row.beforeNs > 0 ? 1 : 0;
    object[list].push_back({{"name", row.name},
                            {"before_ns", row.beforeNs},
                            {"after_ns", row.afterNs},
                            {"delta_ns", row.afterNs - row.beforeNs}});
  }
  const ProfileSums a = sumsOf(left), b = sumsOf(right);
  object["equal"] = found.rows.empty();
  object["matched"] = same;
  object["per_step"] = found.perStep;
  object["delta"] = {
      {"time_ns", found.afterNs - found.beforeNs}, {"flops", b.flops - a.flops}, {"bytes", b.bytes - a.bytes}};
  for (const std::string& line : comparisonLines(found)) report.line(line);
  if (!found.rows.empty()) report.raise(kNo);
}

void diffProfiles(const DiffArguments& options, Report& report) {
  const auto left = readProfileSource(options.left);
  if (!left) return report.failure(left.error());
  const auto right = readProfileSource(options.right);
  if (!right) return report.failure(right.error());
  if (!options.html.empty())
    return report.failure(
        {.kind = ErrorKind::Usage, .message = "--html is of two modules; `profile --html` writes one profile"});
  tellProfiles(*left, *right, report);
}

}  // namespace

void addDiff(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("diff", "Compare two modules by structure, whatever their names, ids and order");
  auto options = std::make_shared<DiffArguments>();
  command->add_option("A", options->left, "HLO file, or a profile")->required();
  command->add_option("B", options->right, "HLO file, or another profile")->required();
  command->add_flag("--json", report.json, "Print one JSON object");
  command->add_flag("--html{-}", options->html,
                    "Print one HTML page with both side by side; --html=FILE writes it there");
  command->footer(
      "Exit code 1 when they differ. An instruction that came or went leaves the others matched; its users have other "
      "operands.\nExample: tessera diff model.hlo model.hlo\n"
      "         tessera diff before.hlo after.hlo --html=diff.html");
  command->callback([options, &report] {
    if (looksLikeProfile(options->left) && looksLikeProfile(options->right)) return diffProfiles(*options, report);
    const auto left = loadModule(options->left, report, true);
    const auto right = loadModule(options->right, report, true);
    if (left && right) tell(*left, *right, *options, report);
  });
}

}  // namespace tessera::cli
