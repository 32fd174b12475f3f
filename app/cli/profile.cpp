// tessera profile SOURCE [MODULE]: where the time went, of XLA's profiles and of others; a regression gate for CI.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "app/cli/command.h"
#include "app/cli/profile_analysis.h"
#include "app/cli/profile_table.h"
#include "core/profile/op_profile_json.h"
#include "core/profile/sources/profile_source.h"
#include "core/profile/sources/run_source.h"

namespace tessera::cli {
namespace {

struct ProfileArguments {
  std::string source, module, by, baseline, failOver;
  ProfileSelection selection;
  AnalysisArguments analysis;
  size_t top = 30;
  bool csv = false;
};

constexpr std::pair<const char*, ProfileGroup> kGroups[] = {
    {"opcode", ProfileGroup::Opcode}, {"category", ProfileGroup::Category}, {"scope", ProfileGroup::Scope},
    {"source", ProfileGroup::Source}, {"module", ProfileGroup::Module},     {"computation", ProfileGroup::Computation},
};

std::vector<std::string> groupNames() {
  std::vector<std::string> out;
  for (const auto& [name, group] : kGroups) out.emplace_back(name);
  return out;
}

// "5%" or "5": five per cent.
Result<double> shareIn(std::string text) {
  const std::string given = text;
  if (text.ends_with('%')) text.pop_back();
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out) || out < 0)
    return fail({.kind = ErrorKind::Usage,
                 .message = "--fail-over does not read",
                 .expected = "per cent, as 5%",
                 .found = given});
  return out / 100;
}

// Null: none is given, or the report says what is wrong with it.
std::shared_ptr<const Module> givenModule(const std::string& file, Report& report) {
  if (file.empty()) return nullptr;
  auto module = loadModule(file, report, true);
  return module ? std::make_shared<const Module>(*std::move(module)) : nullptr;
}

void tellCsv(std::string csv, Report& report) {
  csv.pop_back();  // the line's end comes with the line
  report.line(csv);
}

// shown: for people.
void tellGroups(const OpProfile& profile, const OpProfile& shown, const ProfileArguments& options, Report& report) {
  const auto* row = std::ranges::find(kGroups, options.by, [](const auto& pair) { return std::string(pair.first); });
  const std::vector<GroupTime> groups = groupedBy(profile, row->second);
  auto& list = report.object["groups"] = nlohmann::ordered_json::array();
  for (const GroupTime& group : groups)
    list.push_back({{"name", group.name},
                    {"instructions", group.instructions},
                    {"count", group.count},
                    {"total_ns", group.totalNs},
                    {"self_ns", group.selfNs},
                    {"flops", group.flops},
                    {"bytes", group.bytes}});
  if (options.csv) return tellCsv(toCsv(groups), report);
  for (const std::string& line : groupLines(shown, groupedBy(shown, row->second), options.top)) report.line(line);
}

// An answer and no failure of the program: exit code 1.
void answerNo(const std::string& why, Report& report) {
  report.line(why);
  report.object["error"] = {{"message", why}};
  report.raise(kNo);
}

// An earlier profile, and how much slower than it the profile may be; limit nullopt: any.
struct Baseline {
  OpProfile profile;
  std::optional<double> limit;
};

void compare(const OpProfile& profile, const Baseline& baseline, Report& report) {
  const ProfileComparison found = compareProfiles(baseline.profile, profile);
  const bool failed = baseline.limit && found.change() > *baseline.limit;
  auto& to = report.object["baseline"];
  to = {{"per_step", found.perStep},
        {"before_ns", found.beforeNs},
        {"after_ns", found.afterNs},
        {"change", found.change()}};
  if (baseline.limit) to["limit"] = *baseline.limit, to["failed"] = failed;
  to["shared"] = found.shared;
  to["instructions"] = nlohmann::ordered_json::array();
  for (const SlowerRow& row : found.rows)
    to["instructions"].push_back({{"name", row.name}, {"before_ns", row.beforeNs}, {"after_ns", row.afterNs}});
  for (const std::string& line : comparisonLines(found)) report.line(line);
  if (found.shared == 0)
    report.failure({.severity = Severity::Warning,
                    .message = "no instruction is in both profiles: they may be of different programs"});
  if (failed)
    answerNo(fmt::format("slower than the baseline by {:.3g} %, the limit is {:.3g} %", found.change() * 100,
                         *baseline.limit * 100),
             report);
}

// By the module's instructions, as the profile that it is compared with, where it is of that module.
Result<OpProfile> earlierProfile(const std::string& file, const std::shared_ptr<const Module>& module) {
  auto out = readProfileSource(file, module);
  return out && out->instructions.empty() && module ? readProfileSource(file) : std::move(out);
}

// nullopt: none is asked for.
Result<std::optional<Baseline>> baselineOf(const ProfileArguments& options,
                                           const std::shared_ptr<const Module>& module) {
  if (options.baseline.empty() && !options.failOver.empty())
    return fail(ErrorKind::Usage, "--fail-over needs --baseline: what the profile is compared with");
  if (options.baseline.empty()) return std::nullopt;
  Baseline out;
  if (!options.failOver.empty()) {
    TESSERA_ASSIGN_OR_RETURN(out.limit, shareIn(options.failOver));
  }
  TESSERA_ASSIGN_OR_RETURN(out.profile, earlierProfile(options.baseline, module));
  return out;
}

void tellProfile(const OpProfile& profile, const ProfileArguments& options, Report& report) {
  report.object = toJson(profile);
  for (const std::string& warning : profile.warnings)
    report.failure({.severity = Severity::Warning, .message = warning, .file = options.source});
  if (options.csv && options.by.empty()) return tellCsv(toCsv(profile), report);
  if (!options.csv)
    for (const std::string& line : summaryLines(profile)) report.line(line);
  const std::optional<OpProfile> median = options.csv ? std::nullopt : medianRunOf(profile);
  if (median) report.line("the median run:");
  const OpProfile& shown = median ? *median : profile;
  if (options.by.empty())
    for (const std::string& line : instructionLines(shown, options.top)) report.line(line);
  else
    tellGroups(profile, shown, options, report);
  if (options.csv) return;
  for (const std::string& line : lostLines(profile, options.top)) report.line(line);
}

void profile(const ProfileArguments& options, Report& report) {
  const std::shared_ptr<const Module> module = givenModule(options.module, report);
  if (!options.module.empty() && !module) return;
  const auto baseline = baselineOf(options, module);
  if (!baseline) return report.failure(baseline.error());
  ProfileSelection selection = options.selection;
  selection.timeline = options.analysis.communication || !options.analysis.html.empty();
  auto read = readProfileSource(options.source, module, selection);
  if (!read) return report.failure(read.error());
  if (options.analysis.html != "-") tellProfile(*read, options, report);
  if (auto told = tellAnalysis(*read, module, options.source, options.top, options.analysis, report); !told)
    return report.failure(told.error());
  if (*baseline) compare(*read, **baseline, report);
  if (module && read->instructions.empty() && !read->unmatched.empty())
    answerNo(fmt::format("nothing of the profile lands on the module {}", module->name), report);
}

}  // namespace

void addProfile(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("profile", "List where the time went: XLA's profiles, traces, runs, tables");
  auto options = std::make_shared<ProfileArguments>();
  command
      ->add_option(
          "SOURCE", options->source,
          "xplane.pb, trace.json (also .gz), a log folder, a file of `run --profile`, an SQLite export of Nsight "
          "Systems, a CSV or JSON of names and values")
      ->required();
  command->add_option("MODULE", options->module,
                      "HLO file whose instructions are meant (default: those in the profile)");
  command->add_option("--by", options->by, "Sum by opcode, category, scope, source, computation or module")
      ->check(CLI::IsMember(groupNames()));
  command->add_option("--top", options->top, "Only the N longest rows of the table (0: all)");
  command->add_option("--host", options->selection.host, "Only this host of a log folder");
  command->add_option("--run", options->selection.run, "Only this run of a log folder");
  command->add_option("--baseline", options->baseline, "An earlier profile, or its --json, to compare with");
  command->add_option("--fail-over", options->failOver, "With --baseline: exit code 1 when slower by more, as 5%");
  command->add_option(
      "--device", options->analysis.device,
      "Hold the kernels against a device: `this` machine, the one `recorded`, or one of `machine --devices`");
  command->add_flag("--communication", options->analysis.communication,
                    "Collectives by kind and group: bytes, time, what no computation hides, rates, skew");
  command->add_flag("--html{-}", options->analysis.html,
                    "Print one HTML page: graph, tables, roofline, memory; --html=FILE writes it there");
  command->add_flag("--csv", options->csv, "Print a line an instruction, or a group, separated by commas")
      ->excludes("--baseline");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "`total` counts what is nested in an instruction, `self` does not. Exit code 1 when nothing lands on MODULE.\n"
      "Example: tessera profile profile.json model.hlo --by=opcode\n"
      "         tessera profile logs/plugins/profile --run=2026_11_23 --csv\n"
      "         tessera profile host.xplane.pb --baseline=old.json --fail-over=5%\n"
      "         tessera profile profile.json model.hlo --device=this --html=report.html");
  command->callback([options, &report] { profile(*options, report); });
}

}  // namespace tessera::cli
