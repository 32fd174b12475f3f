// What the subcommands of `tessera` share: diagnostics on stderr, one JSON object on stdout.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/shared/exit_code.h"
#include "core/base/diagnostics.h"
#include "core/formats/protobuf.h"
#include "core/hlo/module.h"

namespace tessera::cli {

// What a subcommand has to say; printed once, at the end.
class Report {
 public:
  bool json = false;  // --json
  // Of a run of several processes: each prints its errors, with its rank, and rank 0 prints all else.
  std::optional<int64_t> rank;
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  // Key of the list that --json prints in place of the object, unless there is an error; "": the object is printed.
  std::string list;
  int exit = kFine;

  // A line for people; not printed with --json.
  void line(const std::string& text);
  // Prints the diagnostic to stderr, puts it into object["error"] (the first) and raises the exit code.
  void failure(const Diagnostic& diagnostic);
  // Raises the exit code (the highest of several stays).
  void raise(int code);
  // Prints the object with --json; gives the exit code, raised to kNoOutput where stdout did not take all of it.
  int finish();
  // The same for what was printed outside of the report.
  int flushed(int code);

 private:
  bool speaks() const { return rank.value_or(0) == 0; }
};

// Reads and verifies; on error reports and gives nullopt. withVerify false: only what reading itself refuses.
// `beside`: takes what the file holds beside its module: the values of an HloSnapshot, foreign protobuf fields.
std::optional<Module> loadModule(const std::string& file, Report& report, bool withVerify,
                                 ProtoContent* beside = nullptr);

// FILE may be a link, FILE#NAME, that gives both: splits it. False: NAME is missing, or given twice, and
// this is reported. `wanted`: what the subcommand calls NAME.
bool takeLink(std::string& file, std::string& name, const char* wanted, Report& report);

// A module's text to the file `out`, or to stdout when it is "" (with --json: into the object).
void printModule(const Module& module, const std::string& out, Report& report);

// Each adds its subcommand; its callback fills the report.
void addCheck(CLI::App& app, Report& report);
void addPrint(CLI::App& app, Report& report);
void addStats(CLI::App& app, Report& report);
void addOverview(CLI::App& app, Report& report);
void addFindings(CLI::App& app, Report& report);
void addRun(CLI::App& app, Report& report);
void addCompile(CLI::App& app, Report& report);
void addScale(CLI::App& app, Report& report);
void addRender(CLI::App& app, Report& report);
void addLayout(CLI::App& app, Report& report);
void addDiff(CLI::App& app, Report& report);
void addMemory(CLI::App& app, Report& report);
void addCompare(CLI::App& app, Report& report);
void addBisect(CLI::App& app, Report& report);
void addDump(CLI::App& app, Report& report);
void addExtract(CLI::App& app, Report& report);
void addResize(CLI::App& app, Report& report);
void addGradient(CLI::App& app, Report& report);
void addIsolate(CLI::App& app, Report& report);
void addReduce(CLI::App& app, Report& report);
void addCost(CLI::App& app, Report& report);
void addGrep(CLI::App& app, Report& report);
void addPath(CLI::App& app, Report& report);
void addExplain(CLI::App& app, Report& report);
void addOpt(CLI::App& app, Report& report);
void addPasses(CLI::App& app, Report& report);
void addProfile(CLI::App& app, Report& report);
void addWhy(CLI::App& app, Report& report);
void addMachine(CLI::App& app, Report& report);
void addHelp(CLI::App& app, Report& report);

}  // namespace tessera::cli
