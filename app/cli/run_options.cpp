// See run_options.h.
#include "app/cli/run_options.h"

#include <charconv>

namespace tessera::cli {
namespace {

// CLI11's own ranges let "nan" pass, and its unsigned options take "-1" for their largest number.
const CLI::Validator kFraction(
    [](std::string& text) {
      constexpr double kMax = 1e30;
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool reads = error == std::errc() && end == text.data() + text.size();
      return reads && value >= 0 && value <= kMax ? "" : "expected a number from 0 to 1e30, found " + text;
    },
    "NONNEGATIVE");

CLI::Validator countFrom(uint64_t least, const char* name) {
  const auto check = [least](std::string& text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool reads = error == std::errc() && end == text.data() + text.size();
    return reads && value >= least ? "" : "expected a whole number from " + std::to_string(least) + ", found " + text;
  };
  return {check, name};
}

// What is run, and on what.
void addArguments(CLI::App& command, RunArguments& options) {
  command.add_option("FILE", options.file, "HLO file; an HloSnapshot brings its arguments and expected result")
      ->required();
  command.add_option("--backend", options.settings.backend, "cpu, cuda or evaluator")
      ->check(CLI::IsMember({"cpu", "cuda", "evaluator"}));
  command.add_option(
      "--device", options.settings.device,
      "Of the backend cuda: a card's number, or simulated (simulated:sm_90): the kernels' PTX on the CPU, "
      "for correctness and counting, not for speed (default: the first card)");
  command.add_option("--inputs", options.inputs, "npz with arg0 …; missing ones get default values");
  command
      .add_option("--argument", options.sources,
                  "N=SOURCE, the value of one argument: constant V, ramp A B, uniform A B, normal MEAN DEVIATION, npy "
                  "FILE or image FILE (pgm, ppm); may be repeated")
      ->allow_extra_args(false);
}

void addDevices(CLI::App& command, RunArguments& options) {
  command
      .add_option("--threads", options.settings.threads,
                  "Threads of a run on one device (default: all cores), or of each rank of --engine=mpi (default: 1)")
      ->check(CLI::Range(0, 4096));
  command
      .add_option("--replicas", options.settings.replicas,
                  "Replicas that run at once, each in a thread (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--partitions", options.settings.partitions,
                  "Partitions of each replica (default: as the module says)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option(
          "--engine", options.engine,
          "What connects devices: threads of this process, or mpi, where each rank that mpirun has started is one")
      ->check(CLI::IsMember({"threads", "mpi"}));
  command
      .add_option("--wait-limit", options.engineOptions.waitLimit,
                  "Seconds that a rank waits for another one at most; 0: without end (default: 300)")
      ->check(kFraction);
}

// Feeds, a library, and what of a project may be used.
void addFiles(CLI::App& command, RunArguments& options) {
  command.add_option("--infeed", options.settings.infeed, "npz with feed0 …: the source of infeeds");
  command.add_option("--outfeed", options.settings.outfeed, "npz for what outfeeds give: feed0 …");
  command.add_option("--custom-call-library", options.settings.library, "Shared library with targets of custom calls");
  command
      .add_option("--allow", options.allowed,
                  "A file that the project FILE names and that this run may use: a library, a feed, a file elsewhere; "
                  "may be repeated")
      ->allow_extra_args(false);
}

// The fill rule, outputs, and the form of both.
void addFillRule(CLI::App& command, RunArguments& options) {
  command
      .add_option_function<std::string>(
          "--fill", [&options](const std::string& kind) { options.settings.usual = kind == "usual"; },
          "What arguments that nobody gives are: rule, or usual: normal, weights scaled by their fan-in")
      ->check(CLI::IsMember({"rule", "usual"}));
  command.add_option("--seed", options.settings.seed, "Fill rule: seed")->check(countFrom(0, "NONNEGATIVE"));
  command.add_option("--scale", options.fill.scale, "Fill rule: floats lie in [0, scale)")->check(kFraction);
  command.add_option("--imax", options.fill.imax, "Fill rule: integers lie in [0, imax)")
      ->check(countFrom(1, "POSITIVE"));
  command.add_option("--out", options.out, "npz for the outputs out0 …");
  command.add_flag("--physical", options.physical,
                   "--inputs, --out and feeds hold buffers: npz arrays of u8, each the bytes in memory under the "
                   "program's layout, padding and tiles");
}

void addExpectation(CLI::App& command, RunArguments& options) {
  command.add_option("--expected", options.expectation.file, "npz to compare the outputs with");
  command.add_option("--rtol", options.expectation.rtol, "Relative tolerance (default: by output type)")
      ->check(kFraction);
  command
      .add_option("--atol", options.expectation.atol,
                  "Tolerance as a share of an output's largest magnitude (default: by output type)")
      ->check(kFraction);
  command
      .add_option("--floor", options.expectation.floor,
                  "Differences up to this never count (default: the type's smallest normal number)")
      ->check(kFraction);
}

void addMeasurement(CLI::App& command, RunArguments& options) {
  command.add_flag("--counters", options.counters,
                   "Cycles, instructions and cache misses of a run, where the kernel lets them be counted; page "
                   "faults, preemptions");
  command.add_option("--runs", options.runs, "Timed runs; with more than one, a warm-up goes first")
      ->check(CLI::Range(1, 1000000));
  command.add_flag("--resident", options.resident,
                   "Of the backend cuda: arguments and results stay on the card from the second run on, so that times "
                   "are without copies");
  command.add_option("--profile", options.profile, "Write a Chrome trace with the profile of as many further runs");
  command.add_option("--hottest", options.hottest, "List the N instructions that took the most time")
      ->check(CLI::Range(0, 1000000));
}

void addCompilation(CLI::App& command, RunArguments& options) {
  options.compile.kernelCache = defaultKernelCache();
  command
      .add_option("--kernel-cache", options.compile.kernelCache,
                  "Folder of compiled kernels, or off (default: $TESSERA_KERNEL_CACHE, else tessera/kernels in the "
                  "user's cache folder)")
      ->transform([](const std::string& folder) { return folder == "off" ? std::string() : folder; });
  command.add_option("--isa", options.compile.isa, "Widest vectors of kernels: native, avx2 or sse4")
      ->check(CLI::IsMember({"native", "avx2", "sse4"}));
}

}  // namespace

void addRunOptions(CLI::App& command, RunArguments& options) {
  addArguments(command, options);
  addDevices(command, options);
  addFiles(command, options);
  addFillRule(command, options);
  addExpectation(command, options);
  addMeasurement(command, options);
  addCompilation(command, options);
}

}  // namespace tessera::cli
