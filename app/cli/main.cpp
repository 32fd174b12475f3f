// `tessera`, the headless program: the list of its subcommands.
#include "app/cli/command.h"

int main(int argc, char** argv) {
  using namespace tessera::cli;
  CLI::App app{"tessera: reads, checks, runs, profiles and draws XLA HLO programs"};
  app.set_version_flag("--version", "tessera 0.1.0");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  Report report;
  addCheck(app, report);
  addPrint(app, report);
  addStats(app, report);
  addRun(app, report);
  addRender(app, report);
  addLayout(app, report);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kUsage;
  }
  report.finish();
  return report.exit;
}
