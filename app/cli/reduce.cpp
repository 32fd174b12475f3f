// tessera reduce FILE -- COMMAND: the smallest module on which a command still fails.
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/progress.h"
#include "core/base/child_process.h"
#include "core/formats/module_file.h"
#include "core/tools/reduce.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

struct ReduceArguments {
  std::string file, out;
  std::vector<std::string> command;
  int64_t runs = 1000;
  double timeout = 60;
  std::optional<int> exit;
  bool timeoutFails = false;
};

// A folder for the candidates, removed with the object.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "tessera-reduce-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// '{}' in a word is the candidate's file; where no word has it, the file comes last.
std::vector<std::string> wordsFor(const std::vector<std::string>& command, const std::string& file) {
  std::vector<std::string> out = command;
  bool placed = false;
  for (std::string& word : out)
    for (size_t at = word.find("{}"); at != std::string::npos; at = word.find("{}", at + file.size())) {
      word.replace(at, 2, file);
      placed = true;
    }
  if (!placed) out.push_back(file);
  return out;
}

Result<bool> stillFails(const ReduceArguments& options, const fs::path& file, const Module& module) {
  TESSERA_TRY(writeFileAtomically(file, printHloText(module)));
  TESSERA_ASSIGN_OR_RETURN(const Ended ended, runProcess(wordsFor(options.command, file.string()), options.timeout));
  if (ended.timedOut) return options.timeoutFails;
  return options.exit ? ended.exit == *options.exit : ended.exit != 0;
}

// smallest: so far, where the reduction does not come to its end.
Result<Reduction> reduced(const Module& module, const ReduceArguments& options, Report& report,
                          std::optional<Module>& smallest) {
  const InterruptsForChildren interrupts;  // before the folder, which is to be removed
  const Folder folder;
  if (folder.path().empty()) return fail(ErrorKind::Output, "no folder for temporary files can be made");
  auto& steps = report.object["steps"] = nlohmann::ordered_json::array();
  ReduceOptions how;
  int64_t runs = 0;
  size_t left = module.instructionCount();
  how.mostRuns = options.runs;
  ProgressLine line;
  how.fails = [&](const Module& candidate) {
    line.tell(fmt::format("run {} of at most {}: {} instructions", ++runs, options.runs, left), -1);
    return stillFails(options, folder.path() / "candidate.hlo", candidate);
  };
  how.observe = [&](std::string_view step, const Module& now) {
    left = now.instructionCount();
    smallest = now;
    line.wipe();
    steps.push_back({{"step", step}, {"instructions", now.instructionCount()}});
    if (!options.out.empty()) report.line(fmt::format("{} instructions: {}", now.instructionCount(), step));
  };
  return reduceModule(module, how);
}

}  // namespace

void addReduce(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("reduce", "Shrink a module while a command still fails on it");
  auto options = std::make_shared<ReduceArguments>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command
      ->add_option("COMMAND", options->command,
                   "After --: program and arguments; {} is the module's file (else it comes last)")
      ->required();
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_option("--runs", options->runs, "At most so many runs of the command")->check(CLI::Range(1, 1000000));
  command->add_option("--timeout", options->timeout, "Seconds for one run")->check(CLI::Range(0.01, 86400.0));
  command->add_option("--exit", options->exit,
                      "Failing is this exit code (128 + signal for a crash); default: any but 0");
  command->add_flag("--timeout-fails", options->timeoutFails, "A run that takes too long fails too");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  command->footer(
      "Interrupted, it writes the smallest module so far.\nExample: tessera reduce model.hlo -o small.hlo -- sh -c '! "
      "grep -q \"add(\" {}'");
  command->callback([options, &report] {
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    std::optional<Module> smallest;
    const auto found = reduced(*module, *options, report, smallest);
    if (!found) {
      if (smallest) printModule(*smallest, options->out, report);
      return report.failure(found.error());
    }
    report.object["instructions"] = found->module.instructionCount();
    report.object["runs"] = found->runs;
    report.object["complete"] = found->complete;
    printModule(found->module, options->out, report);
  });
}

}  // namespace tessera::cli
