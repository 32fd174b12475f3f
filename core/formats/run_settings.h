// How a document is run: kept with its project, shown in the studio, and printed as a `tessera run` command. Used by
// project files, file access and the run panel.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct RunSettings {
  std::string backend = "cpu";
  std::string device;                    // of backend cuda: a card's number or "simulated"; "": the first card
  int threads = 0;                       // 0: all cores
  int64_t replicas = 0, partitions = 0;  // 0: from the module
  uint64_t seed = 0;
  bool usual = true;  // arguments without a source: as data and weights usually are; else by the fill rule
  std::map<int64_t, std::string> sources;  // by argument leaf: words of argument_source.h; others are the default
  std::string infeed, outfeed, library;    // files; empty: none
  std::map<int64_t, int64_t> feedback;     // play: argument leaf -> output leaf that feeds it
  bool operator==(const RunSettings&) const = default;
};

// The lines of a project file, "run KEY VALUE" each; nothing for what is as it was made.
std::string printRunSettings(const RunSettings& settings);
// Parses the rest of a line behind "run ".
Status readRunSetting(RunSettings& settings, std::string_view line);
// "tessera run FILE --backend=evaluator --argument='0=ramp 0 1'": words are quoted for a shell.
std::string commandOf(const RunSettings& settings, const std::string& file, const std::string& inputs);

}  // namespace tessera
