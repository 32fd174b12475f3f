// vs_xla: the same programs with the same inputs on Tessera and on the real XLA:CPU, alternating, in one run.
//   vs_xla --tessera=bin/tessera --xla='python3 xla_run.py' [--corpus=DIR] [--programs=DIR] [--rounds=3] [--runs=20]
//          [--json=FILE] [--backend=cuda [--device=N]] [NAME…]
// A NAME is a folder of the corpus or a file of the programs' folder without its ".hlo"; none: all that the table below
// lists and all files. Each round is a fresh process a side: Tessera with an empty kernel cache (cold), Tessera with
// what that left (warm, and the run times), XLA. Sides take turns in going first; outputs are compared with the corpus'
// expected ones, or XLA's. Compile time is from the module in memory to the executable; run time the median of `runs`
// after warm-up; memory is temporaries, arguments and outputs. Ratios are XLA : Tessera, above 1 Tessera is ahead;
// printed are medians over the rounds. With --backend=cuda the rival is what --xla starts for the card, and neither
// side's run times count copies to and from it.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/bench/rival.h"

namespace {

namespace fs = std::filesystem;
using tessera::bench::median;
using tessera::bench::quoted;
using tessera::bench::runJson;

// Of the corpus: tiny and medium programs and training steps.
constexpr const char* kPrograms[] = {"activations",
                                     "argsort_searchsorted",
                                     "attention",
                                     "attention_grad",
                                     "avgpool",
                                     "axpy",
                                     "batched_matmul",
                                     "batchnorm_train",
                                     "black_scholes",
                                     "concat_pad_slice",
                                     "conjugate_gradient",
                                     "conv_depthwise",
                                     "convnet",
                                     "diffusion_sampler",
                                     "einsum_outer",
                                     "f16_softmax",
                                     "fori_power_iteration",
                                     "game_of_life",
                                     "gather_embed",
                                     "gelu",
                                     "gnn_fwd",
                                     "gnn_train",
                                     "gpt_tiny_fwd",
                                     "gpt_tiny_scan_train",
                                     "gpt_tiny_train",
                                     "int8_matmul",
                                     "jvp_hessian",
                                     "kmeans",
                                     "knn",
                                     "layernorm_grad",
                                     "lenet_fwd",
                                     "lenet_train",
                                     "logsumexp",
                                     "lorenz_rk4",
                                     "mandelbrot",
                                     "matmul",
                                     "matmul_bias_relu",
                                     "maxpool",
                                     "mlp_mnist_fwd",
                                     "mlp_mnist_sgd_train",
                                     "mlp_small",
                                     "nbody",
                                     "nnx_mlp_train",
                                     "reductions",
                                     "rmsnorm",
                                     "rng_threefry",
                                     "saxpy_big",
                                     "scan_cumsum",
                                     "softmax",
                                     "sort",
                                     "vmap_matvec",
                                     "while_collatz"};

struct Options {
  std::string tessera, xla, corpus, programs, json, backend, device;
  int rounds = 3, runs = 20;
  std::vector<std::string> names;
};

struct Program {
  std::string name, file, inputs, expected;
};

struct Row {
  std::string name, problem;
  std::vector<double> cold, warm, run, firstRun, memory, xlaCompile, xlaRun, xlaMemory;
  double compileRatio() const { return median(xlaCompile) / median(cold); }
  double warmRatio() const { return median(xlaCompile) / median(warm); }
  double runRatio() const { return median(xlaRun) / median(run); }
  double memoryRatio() const { return memory.empty() || xlaMemory.empty() ? 0 : median(xlaMemory) / median(memory); }
};

// A folder of our own, removed with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "tessera-bench-XXXXXX").string();
    if (::mkdtemp(name.data())) folder_ = name;
  }
  ~Scratch() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

bool readOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    auto value = [&](const char* name) -> std::optional<std::string> {
      const std::string prefix = std::string("--") + name + "=";
      return argument.rfind(prefix, 0) == 0 ? std::optional(argument.substr(prefix.size())) : std::nullopt;
    };
    if (auto v = value("tessera"))
      options.tessera = *v;
    else if (auto v = value("xla"))
      options.xla = *v;
    else if (auto v = value("corpus"))
      options.corpus = *v;
    else if (auto v = value("programs"))
      options.programs = *v;
    else if (auto v = value("json"))
      options.json = *v;
    else if (auto v = value("backend"))
      options.backend = *v;
    else if (auto v = value("device"))
      options.device = *v;
    else if (auto v = value("rounds"))
      options.rounds = std::max(1, std::atoi(v->c_str()));
    else if (auto v = value("runs"))
      options.runs = std::max(2, std::atoi(v->c_str()));
    else if (argument.rfind("--", 0) == 0)
      return false;
    else
      options.names.push_back(argument);
  }
  return !options.tessera.empty() && !options.xla.empty() && !(options.corpus.empty() && options.programs.empty());
}

std::vector<Program> programsOf(const Options& options) {
  std::set<std::string> wanted(options.names.begin(), options.names.end());
  auto isWanted = [&](const std::string& name) { return wanted.empty() || wanted.contains(name); };
  std::vector<Program> out;
  std::set<std::string> ofCorpus(std::begin(kPrograms), std::end(kPrograms));
  if (!wanted.empty()) ofCorpus = wanted;
  for (const std::string& name : ofCorpus) {
    const fs::path folder = fs::path(options.corpus) / name;
    if (options.corpus.empty() || !isWanted(name) || !fs::exists(folder / "before.hlo")) continue;
    auto existing = [&](const char* file) {
      return fs::exists(folder / file) ? (folder / file).string() : std::string();
    };
    out.push_back({name, (folder / "before.hlo").string(), existing("inputs.npz"), existing("expected.npz")});
  }
  std::set<fs::path> files;
  std::error_code error;
  if (!options.programs.empty())
    for (const auto& entry : fs::directory_iterator(options.programs, error))
      if (entry.path().extension() == ".hlo" && isWanted(entry.path().stem().string())) files.insert(entry.path());
  for (const fs::path& file : files) out.push_back({file.stem().string(), file.string(), "", ""});
  return out;
}

std::string argument(const char* option, const std::string& value) {
  return value.empty() ? "" : " " + std::string(option) + quoted(value);
}

std::optional<nlohmann::json> runOurs(const Options& options, const Program& program, const std::string& expected,
                                      const std::string& cache, int runs, Row& row) {
  auto json = runJson(options.tessera + " run " + quoted(program.file) + argument("--inputs=", program.inputs) +
                      argument("--expected=", expected) + argument("--kernel-cache=", cache) +
                      argument("--backend=", options.backend) + argument("--device=", options.device) +
                      (options.backend == "cuda" ? " --resident" : "") + " --json --runs=" + std::to_string(runs));
  if (json && json->contains("run_ms") && !json->contains("error")) return json;
  row.problem =
      "Tessera: " + (json && json->contains("error") ? (*json)["error"]["message"].get<std::string>() : "no answer");
  return std::nullopt;
}

void measureOurs(const Options& options, const Program& program, const std::string& expected, const Scratch& scratch,
                 int round, Row& row) {
  const std::string cache = scratch.at("cache-" + program.name + "-" + std::to_string(round));
  auto cold = runOurs(options, program, "", cache, 1, row);
  if (!cold) return;
  auto warm = runOurs(options, program, expected, cache, options.runs, row);
  if (!warm) return;
  row.cold.push_back((*cold)["compile_ms"]);
  row.warm.push_back((*warm)["compile_ms"]);
  row.firstRun.push_back((*warm)["first_run_ms"]);
  row.run.push_back((*warm)["run_ms"]);
  row.memory.push_back((*warm)["peak_bytes"]);
}

void measureTheirs(const Options& options, const Program& program, const std::string& out, Row& row) {
  auto json = runJson(options.xla + " " + quoted(program.file) + argument("--inputs ", program.inputs) +
                      argument("--expected ", program.expected) + argument("--out ", out) + " --seconds 600 --iters " +
                      std::to_string(options.runs));
  if (!json || !json->contains("exec_median_ms") || json->value("rc", 0) != 0) {
    row.problem = "XLA: " + (json && json->contains("mismatch") ? "values differ" : std::string("no answer"));
    return;
  }
  row.xlaCompile.push_back((*json)["compile_s"].get<double>() * 1e3);
  row.xlaRun.push_back((*json)["exec_median_ms"]);
  if (json->contains("temp_bytes")) row.xlaMemory.push_back((*json)["temp_bytes"]);
}

// XLA tells its temporaries only; arguments and outputs are the same on both sides.
void addArgumentsAndOutputs(const Options& options, const Program& program, const Scratch& scratch, Row& row) {
  Row unused;
  auto json = runOurs(options, program, "", scratch.at("cache-" + program.name + "-0"), 1, unused);
  if (!json || !json->contains("argument_bytes")) return row.xlaMemory.clear();
  for (double& bytes : row.xlaMemory)
    bytes += (*json)["argument_bytes"].get<double>() + (*json)["output_bytes"].get<double>();
}

Row measure(const Options& options, const Program& program) {
  Scratch scratch;
  Row row;
  row.name = program.name;
  const bool needsExpected = program.expected.empty();
  const std::string expected = needsExpected ? scratch.at("expected.npz") : program.expected;
  for (int round = 0; round < options.rounds && row.problem.empty(); ++round) {
    const bool theirsFirst = needsExpected ? round % 2 == 0 : round % 2 == 1;
    const std::string out = needsExpected && round == 0 ? expected : "";
    if (theirsFirst) measureTheirs(options, program, out, row);
    if (row.problem.empty()) measureOurs(options, program, expected, scratch, round, row);
    if (!theirsFirst && row.problem.empty()) measureTheirs(options, program, out, row);
  }
  if (row.problem.empty()) addArgumentsAndOutputs(options, program, scratch, row);
  return row;
}

void print(const Row& row) {
  if (!row.problem.empty()) {
    std::printf("%-24s %s\n", row.name.c_str(), row.problem.c_str());
  } else {
    std::printf("%-24s %9.2f %9.2f %9.2f %6.1f %6.1f %10.4f %10.4f %6.2f %6.2f\n", row.name.c_str(), median(row.cold),
                median(row.warm), median(row.xlaCompile), row.compileRatio(), row.warmRatio(), median(row.run),
                median(row.xlaRun), row.runRatio(), row.memoryRatio());
  }
  std::fflush(stdout);
}

struct Figure {
  const char* name;
  double (Row::*ratio)() const;
  double minRunMs = 0;  // rows whose run takes less on our side do not count
};
// A call from Python costs XLA 5 to 30 µs, so the run is also summed up without the rows where that counts.
constexpr Figure kFigures[] = {{"cold compile", &Row::compileRatio},
                               {"warm compile", &Row::warmRatio},
                               {"run", &Row::runRatio},
                               {"run, rows of 0.1 ms and more", &Row::runRatio, 0.1},
                               {"memory", &Row::memoryRatio}};

nlohmann::json summary(const std::vector<Row>& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const Figure& figure : kFigures) {
    std::vector<std::pair<double, std::string>> ratios;
    double logs = 0;
    for (const Row& row : rows) {
      const bool counts = row.problem.empty() && median(row.run) >= figure.minRunMs;
      const double ratio = counts ? (row.*figure.ratio)() : 0;
      if (!(ratio > 0) || !std::isfinite(ratio)) continue;
      ratios.push_back({ratio, row.name});
      logs += std::log(ratio);
    }
    if (ratios.empty()) continue;
    std::sort(ratios.begin(), ratios.end());
    const double mean = std::exp(logs / static_cast<double>(ratios.size()));
    std::printf("%s: geometric mean of %zu %.2f; worst", figure.name, ratios.size(), mean);
    nlohmann::json worst = nlohmann::json::array();
    for (size_t i = 0; i < std::min<size_t>(5, ratios.size()); ++i) {
      std::printf("%s %s %.2f", i ? "," : "", ratios[i].second.c_str(), ratios[i].first);
      worst.push_back({{"name", ratios[i].second}, {"ratio", ratios[i].first}});
    }
    std::printf("\n");
    out.push_back({{"figure", figure.name}, {"programs", ratios.size()}, {"geometric_mean", mean}, {"worst", worst}});
  }
  return out;
}

nlohmann::json asJson(const Row& row) {
  if (!row.problem.empty()) return {{"name", row.name}, {"problem", row.problem}};
  nlohmann::json out{{"name", row.name},
                     {"cold_ms", median(row.cold)},
                     {"warm_ms", median(row.warm)},
                     {"xla_compile_ms", median(row.xlaCompile)},
                     {"run_ms", median(row.run)},
                     {"first_run_ms", median(row.firstRun)},
                     {"xla_run_ms", median(row.xlaRun)},
                     {"peak_bytes", median(row.memory)}};
  if (!row.xlaMemory.empty()) out["xla_peak_bytes"] = median(row.xlaMemory);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!readOptions(argc, argv, options)) {
    std::fputs(
        "usage: vs_xla --tessera=BIN --xla=COMMAND --corpus=DIR and/or --programs=DIR [--rounds=N] [--runs=N] "
        "[--json=FILE] [--backend=cuda [--device=N]] [NAME...]\n",
        stderr);
    return 64;
  }
  std::printf("%-24s %9s %9s %9s %6s %6s %10s %10s %6s %6s\n", "program", "cold", "warm", "XLA", "ratio", "ratio",
              "run", "XLA", "ratio", "memory");
  std::vector<Row> rows;
  for (const Program& program : programsOf(options)) {
    rows.push_back(measure(options, program));
    print(rows.back());
  }
  nlohmann::json out{{"rounds", options.rounds}, {"runs", options.runs}, {"rows", nlohmann::json::array()}};
  for (const Row& row : rows) out["rows"].push_back(asJson(row));
  out["summary"] = summary(rows);
  if (!options.json.empty()) std::ofstream(options.json) << out.dump(1) << '\n';
  return out["summary"].empty() ? 1 : 0;
}
