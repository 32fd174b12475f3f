// The options of `tessera run`. Used by run.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/run_compare.h"
#include "backends/backend.h"
#include "backends/engine.h"
#include "core/evaluate/argument_rules.h"
#include "core/formats/protobuf.h"
#include "core/formats/run_settings.h"

namespace tessera::cli {

struct RunArguments {
  RunArguments() { settings.usual = false; }

  std::string file, inputs, out, profile;
  RunSettings settings;              // backend, devices, feeds, library: of the command line, else of a project
  std::vector<std::string> sources;  // "0=constant 3"
  std::vector<std::string> allowed;  // files that a project names and may use
  FillRule fill;                     // its seed is the settings'
  Expectation expectation;
  int64_t runs = 1;
  int64_t hottest = 0;
  bool physical = false, counters = false, resident = false;
  std::string engine = "threads";
  EngineOptions engineOptions;
  ProtoContent snapshot;
  CompileOptions compile;
};
void addRunOptions(CLI::App& command, RunArguments& options);

}  // namespace tessera::cli
