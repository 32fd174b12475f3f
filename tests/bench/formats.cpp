// formats: reading, inferring, verifying and printing large HLO texts against XLA's own text parser and printer, in one
// run.
//   formats [--xla='python3 tests/tools/xla_parse.py'] [--rounds=5] FILE…
// Each round is a fresh process of either side, they take turns in going first. Printed are the medians over the
// rounds, for memory too: the peak that reading adds to what the process held with the text in memory. Times are of the
// processor (both sides work on one thread), so that a busy machine disturbs them less. Without --xla only our own
// rows.
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/bench/rival.h"

namespace {

using namespace tessera;
using bench::median;
using nlohmann::json;

double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double secondsOf(const std::function<void()>& work) {
  const double begin = processorSeconds();
  work();
  return processorSeconds() - begin;
}

// A line of /proc/self/status in kB: VmRSS, VmHWM.
double memoryKb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return std::atof(line.c_str() + name.size() + 1);
  return 0;
}

// Wrong shapes, one at a time, in up to 64 instructions spread over the module: what it takes to set them right and to
// look at their users. The median in seconds.
double reinferenceOf(Module& module) {
  std::vector<double> seconds;
  const size_t step = std::max<size_t>(1, module.instructionSlots() / 64);
  for (size_t slot = step / 2; slot < module.instructionSlots(); slot += step) {
    const InstructionId id(static_cast<uint32_t>(slot));
    if (!module.contains(id) || !module.shapeOf(id).isArray() || module.at(id).opcode == Opcode::Parameter) continue;
    Shape wrong = module.shapeOf(id);
    wrong.dimensions.push_back(3);
    wrong.layout = Layout::rowMajor(wrong.rank());
    Module edited = module;
    edited.setShape(id, wrong);
    edited.edit(id).shapeWritten = false;
    seconds.push_back(secondsOf([&] { reinfer(edited, std::span(&id, 1)); }));
  }
  return median(seconds);
}

// The child: everything once in a fresh process, as JSON.
int measure(const std::string& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string text = std::move(content).str();
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts anew
  const double before = memoryKb("VmRSS");
  json out;
  std::optional<ReadResult> read;
  out["parse_s"] = secondsOf([&] { read.emplace(readHloText(text)); });
  out["peak_kb"] = memoryKb("VmHWM") - before;
  if (!read->module) return 2;
  out["bytes"] = text.size();
  out["instructions"] = read->module->instructionCount();
  std::string printed;
  out["print_s"] = secondsOf([&] { printed = printHloText(*read->module); });
  out["printed_bytes"] = printed.size();
  Module module = *read->module;
  out["infer_s"] = secondsOf([&] { inferModule(module); });
  out["verify_s"] = secondsOf([&] { verify(*read->module); });
  out["reinfer_s"] = reinferenceOf(module);
  std::puts(out.dump().c_str());
  return 0;
}

struct Samples {
  std::map<std::string, std::vector<double>> values;
  void add(const json& one) {
    for (const auto& [key, value] : one.items())
      if (value.is_number()) values[key].push_back(value);
  }
  double of(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? 0 : median(found->second);
  }
};

void report(const std::string& file, const Samples& ours, const Samples& theirs) {
  const double mb = ours.of("bytes") / 1e6, printedMb = ours.of("printed_bytes") / 1e6;
  std::printf("%s: %.1f MB, %.0f instructions\n", file.c_str(), mb, ours.of("instructions"));
  std::printf("  read    %8.1f ms  %6.0f MB/s", ours.of("parse_s") * 1e3, mb / ours.of("parse_s"));
  if (theirs.of("parse_s") > 0)
    std::printf("   XLA %8.1f ms, %.1f ×", theirs.of("parse_s") * 1e3, theirs.of("parse_s") / ours.of("parse_s"));
  std::printf("\n  memory  %8.1f MB             ", ours.of("peak_kb") / 1e3);
  if (theirs.of("peak_kb") > 0)
    std::printf("   XLA %8.1f MB, %.2f ×", theirs.of("peak_kb") / 1e3, theirs.of("peak_kb") / ours.of("peak_kb"));
  std::printf("\n  print   %8.1f ms  %6.0f MB/s", ours.of("print_s") * 1e3, printedMb / ours.of("print_s"));
  if (theirs.of("print_s") > 0)
    std::printf("   XLA %8.1f ms, %.1f ×", theirs.of("print_s") * 1e3, theirs.of("print_s") / ours.of("print_s"));
  std::printf("\n  infer   %8.1f ms\n  verify  %8.1f ms\n  reinfer %8.3f ms\n", ours.of("infer_s") * 1e3,
              ours.of("verify_s") * 1e3, ours.of("reinfer_s") * 1e3);
}

int compare(const std::string& self, const std::string& xla, int rounds, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    Samples ours, theirs;
    for (int round = 0; round < rounds; ++round)
      for (bool mine : {round % 2 == 0, round % 2 != 0}) {
        if (!mine && xla.empty()) continue;
        const auto one = bench::runJson(mine ? bench::quoted(self) + " --measure " + bench::quoted(file)
                                             : xla + " " + bench::quoted(file));
        if (one) (mine ? ours : theirs).add(*one);
      }
    if (ours.values.empty()) {
      std::printf("%s: does not read\n", file.c_str());
      return 2;
    }
    report(file, ours, theirs);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--measure") return measure(argv[2]);
  std::string xla;
  int rounds = 5;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--xla=", 0) == 0)
      xla = argument.substr(6);
    else if (argument.rfind("--rounds=", 0) == 0)
      rounds = std::max(1, std::atoi(argument.c_str() + 9));
    else
      files.push_back(argument);
  }
  if (files.empty()) {
    std::fputs("usage: formats [--xla=COMMAND] [--rounds=N] FILE...\n", stderr);
    return 64;
  }
  return compare(argv[0], xla, rounds, files);
}
