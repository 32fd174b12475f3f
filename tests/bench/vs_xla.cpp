// vs_xla: the same programs with the same inputs on Tessera and on the real XLA:CPU, alternating, in one run.
//   vs_xla --tessera=bin/tessera --xla='python3 xla_run.py' --corpus=DIR [--rounds=3] [--runs=20] [PROGRAM…]
// Prints a row a program: compile and run time of both in ms, XLA : Tessera (above 1: Tessera is faster), and the
// geometric means. Each round is a fresh process of either, takes turns in going first, and checks the outputs against
// the corpus' expected ones; compile time is from the module in memory to the executable, run time the median of `runs`
// runs after warm-up. Printed are the medians over the rounds.
#include <cmath>
#include <filesystem>

#include "tests/bench/rival.h"

namespace {

using tessera::bench::median;
using tessera::bench::quoted;
using tessera::bench::runJson;

// The programs of the README's table.
constexpr const char* kPrograms[] = {
    "mlp_small", "attention", "attention_grad", "softmax", "layernorm_grad", "convnet", "lenet_fwd", "lenet_train",
    "gelu", "reductions", "maxpool", "gather_embed", "sort", "while_collatz", "scan_cumsum", "kmeans",
    "nbody", "mandelbrot", "game_of_life", "gpt_tiny_fwd", "gpt_tiny_train", "gnn_fwd", "black_scholes", "mlp_mnist_fwd"};

struct Options {
  std::string tessera, xla, corpus;
  int rounds = 3, runs = 20;
  std::vector<std::string> programs;
};

struct Times {
  std::vector<double> compile, run;
};

struct Row {
  Times ours, theirs;
  std::string problem;
};

bool readOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    auto value = [&](const char* name) -> std::optional<std::string> {
      const std::string prefix = std::string("--") + name + "=";
      return argument.rfind(prefix, 0) == 0 ? std::optional(argument.substr(prefix.size())) : std::nullopt;
    };
    if (auto v = value("tessera")) options.tessera = *v;
    else if (auto v = value("xla")) options.xla = *v;
    else if (auto v = value("corpus")) options.corpus = *v;
    else if (auto v = value("rounds")) options.rounds = std::max(1, std::atoi(v->c_str()));
    else if (auto v = value("runs")) options.runs = std::max(1, std::atoi(v->c_str()));
    else if (argument.rfind("--", 0) == 0) return false;
    else options.programs.push_back(argument);
  }
  if (options.programs.empty()) options.programs.assign(std::begin(kPrograms), std::end(kPrograms));
  return !options.tessera.empty() && !options.xla.empty() && !options.corpus.empty();
}

// "NAMEFILE" of the program's folder behind `option`; nothing when there is no such file.
std::string fileOption(const Options& options, const std::string& program, const char* option, const char* name) {
  const auto path = std::filesystem::path(options.corpus) / program / name;
  return std::filesystem::exists(path) ? option + quoted(path.string()) : std::string();
}

void measureOurs(const Options& options, const std::string& program, const std::string& file, Row& row) {
  auto json = runJson(options.tessera + " run " + quoted(file) + fileOption(options, program, " --inputs=", "inputs.npz") +
                      fileOption(options, program, " --expected=", "expected.npz") + " --json --runs=" + std::to_string(options.runs));
  if (!json || !json->contains("run_ms") || json->contains("error")) {
    row.problem = "Tessera: " + (json && json->contains("error") ? (*json)["error"]["message"].get<std::string>() : "no answer");
    return;
  }
  row.ours.compile.push_back((*json)["compile_ms"]);
  row.ours.run.push_back((*json)["run_ms"]);
}

void measureTheirs(const Options& options, const std::string& program, const std::string& file, Row& row) {
  auto json = runJson(options.xla + " " + quoted(file) + fileOption(options, program, " --inputs ", "inputs.npz") +
                      fileOption(options, program, " --expected ", "expected.npz") + " --seconds 600 --iters " + std::to_string(options.runs));
  if (!json || !json->contains("exec_median_ms") || json->value("rc", 0) != 0) {
    row.problem = "XLA: " + (json && json->contains("mismatch") ? "values differ" : std::string("no answer"));
    return;
  }
  row.theirs.compile.push_back((*json)["compile_s"].get<double>() * 1e3);
  row.theirs.run.push_back((*json)["exec_median_ms"]);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!readOptions(argc, argv, options)) {
    std::fputs("usage: vs_xla --tessera=BIN --xla=COMMAND --corpus=DIR [--rounds=N] [--runs=N] [PROGRAM...]\n", stderr);
    return 64;
  }
  std::printf("%-24s %10s %10s %7s %10s %10s %7s\n", "program", "compile", "XLA", "ratio", "run", "XLA", "ratio");
  double compileLogs = 0, runLogs = 0;
  int counted = 0;
  for (const std::string& program : options.programs) {
    const std::string file = (std::filesystem::path(options.corpus) / program / "before.hlo").string();
    Row row;
    for (int round = 0; round < options.rounds && row.problem.empty(); ++round) {
      auto* first = round % 2 ? measureTheirs : measureOurs;
      auto* second = round % 2 ? measureOurs : measureTheirs;
      first(options, program, file, row);
      if (row.problem.empty()) second(options, program, file, row);
    }
    if (!row.problem.empty()) {
      std::printf("%-24s %s\n", program.c_str(), row.problem.c_str());
      continue;
    }
    const double compileRatio = median(row.theirs.compile) / median(row.ours.compile);
    const double runRatio = median(row.theirs.run) / median(row.ours.run);
    std::printf("%-24s %10.2f %10.2f %7.2f %10.4f %10.4f %7.2f\n", program.c_str(), median(row.ours.compile),
                median(row.theirs.compile), compileRatio, median(row.ours.run), median(row.theirs.run), runRatio);
    std::fflush(stdout);
    compileLogs += std::log(compileRatio);
    runLogs += std::log(runRatio);
    ++counted;
  }
  if (counted)
    std::printf("geometric mean of %d: compile %.2f, run %.2f (XLA : Tessera)\n", counted, std::exp(compileLogs / counted),
                std::exp(runLogs / counted));
  return counted ? 0 : 1;
}
