// `tessera`, the headless program: the list of its subcommands.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/shared/last_words.h"
#include "core/base/tuning_constants.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

// A closed standard stream would give its number to the next file that is opened: keep it taken by what cannot be
// written, so that printing fails and is reported.
void holdStandardStreams() {
  int taken = 0;
  do taken = ::open("/dev/null", O_RDONLY);
  while (taken >= 0 && taken <= STDERR_FILENO);
  if (taken >= 0) ::close(taken);
}

// The first word, where it should name a subcommand and does not.
std::optional<std::string> unknownSubcommand(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  if (!app.get_subcommands().empty() || words.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(subcommand->get_name());
  return "there is no subcommand " + words.front() + nearMisses(words.front(), names);
}

// The parser only names an option that is missing; behind the name stands what it takes.
std::string withMeaning(const CLI::App& app, const CLI::ParseError& error) {
  const std::string words = error.what();
  const std::string name = words.substr(0, words.find(' '));
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::RequiredError)) return words;
  for (const CLI::App* command : app.get_subcommands())
    if (const CLI::Option* option = command->get_option_no_throw(name)) return words + ": " + option->get_description();
  return words;
}

// A command line that cannot be understood: the parser's words on stderr, and with --json still one object.
int refuseUsage(const CLI::App& app, const CLI::ParseError& error, Report& report, bool json) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(error);  // --help, --version
    return report.flushed(kFine);
  }
  report.json = json;
  report.failure({.kind = ErrorKind::Usage, .message = unknownSubcommand(app).value_or(withMeaning(app, error))});
  std::fputs("Run with --help for more information.\n", stderr);
  return report.finish();
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) {
  using namespace tessera::cli;
  holdStandardStreams();
  const bool asksForJson = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
  tessera::endWithASentence({.json = asksForJson});
  CLI::App app{"tessera: reads, checks, runs, profiles and draws XLA HLO programs", "tessera"};
  app.set_version_flag("--version", "tessera 0.1.0");
  app.require_subcommand(1);
  app.footer("Example: tessera check model.hlo");
  Report report;
  if (const tessera::Status taken = tessera::takeTuningFromEnvironment(); !taken) {
    report.json = asksForJson;
    report.failure(taken.error());
    return report.finish();
  }
  addCheck(app, report);
  addPrint(app, report);
  addStats(app, report);
  addOverview(app, report);
  addFindings(app, report);
  addRun(app, report);
  addCompile(app, report);
  addScale(app, report);
  addRender(app, report);
  addLayout(app, report);
  addDiff(app, report);
  addMemory(app, report);
  addCompare(app, report);
  addBisect(app, report);
  addExtract(app, report);
  addIsolate(app, report);
  addResize(app, report);
  addGradient(app, report);
  addReduce(app, report);
  addCost(app, report);
  addGrep(app, report);
  addPath(app, report);
  addExplain(app, report);
  addWhy(app, report);
  addOpt(app, report);
  addPasses(app, report);
  addProfile(app, report);
  addDump(app, report);
  addMachine(app, report);
  addHelp(app, report);
  try {
    app.parse(argc, argv);
  } catch (const std::bad_alloc&) {
    report.json = asksForJson;
    report.failure({.kind = tessera::ErrorKind::Runtime, .message = "not enough memory"});
  } catch (const CLI::ParseError& error) {
    return refuseUsage(app, error, report, asksForJson);
  }
  return report.finish();
}
