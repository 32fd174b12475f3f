// read_text: reading HLO text against XLA's own text parser, alternating, in one run.
//   read_text --xla='python3 xla_run.py' [--rounds=5] FILE…
// Prints a row a file: seconds of both (medians), MB/s, and XLA : Tessera. Without --xla only our own column.
#include <chrono>
#include <fstream>
#include <sstream>

#include "core/formats/hlo_text.h"
#include "tests/bench/rival.h"

int main(int argc, char** argv) {
  std::string xla;
  int rounds = 5;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--xla=", 0) == 0) xla = argument.substr(6);
    else if (argument.rfind("--rounds=", 0) == 0) rounds = std::max(1, std::atoi(argument.c_str() + 9));
    else files.push_back(argument);
  }
  if (files.empty()) {
    std::fputs("usage: read_text [--xla=COMMAND] [--rounds=N] FILE...\n", stderr);
    return 64;
  }
  for (const std::string& file : files) {
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string text = content.str();
    std::vector<double> ours, theirs;
    for (int round = 0; round < rounds; ++round) {
      auto begin = std::chrono::steady_clock::now();
      auto read = tessera::readHloText(text);
      ours.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      if (!read.module) {
        std::printf("%s: does not read\n", file.c_str());
        return 2;
      }
      if (xla.empty()) continue;
      auto json = tessera::bench::runJson(xla + " " + tessera::bench::quoted(file) + " --parse-only");
      if (json && json->contains("parse_s")) theirs.push_back((*json)["parse_s"]);
    }
    const double mine = tessera::bench::median(ours);
    std::printf("%s: %.4f s, %.1f MB/s", file.c_str(), mine, static_cast<double>(text.size()) / 1e6 / mine);
    if (!theirs.empty())
      std::printf("; XLA %.4f s, ratio %.2f", tessera::bench::median(theirs), tessera::bench::median(theirs) / mine);
    std::printf("\n");
  }
  return 0;
}
