// A program of a benchmark: compiled by a backend, with arguments by rule, run into the same outputs again and again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera::bench {

using Clock = std::chrono::steady_clock;
inline double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Compiled {
  std::unique_ptr<Executable> executable;
  std::vector<Literal> arguments, outputs;

  // Seconds of one run; negative when it failed.
  double run(Profile* profile = nullptr) {
    const auto begin = Clock::now();
    return executable->runInto(arguments, outputs, {}, profile) ? secondsSince(begin) : -1;
  }
  // Mean seconds of a run among `count`, for runs that are shorter than a reading of the clock.
  double runMany(int count) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i)
      if (!executable->runInto(arguments, outputs)) return -1;
    return secondsSince(begin) / count;
  }
};

// Nothing, and a line on stderr, when it does not compile. threads 0: all cores.
inline std::optional<Compiled> compile(Backend& backend, const std::string& text, int threads = 0) {
  auto read = readHloText(text);
  if (!read.module || inferModule(*read.module).hasErrors()) return std::nullopt;
  Compiled out;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(*read.module)) {
    auto filled = fillParameter(shape, leaf++, FillRule{});
    if (!filled) return std::nullopt;
    out.arguments.push_back(std::move(*filled));
  }
  CompileOptions options;
  options.threads = threads;
  auto executable = backend.compile(*read.module, options);
  if (!executable) {
    std::fprintf(stderr, "%s\n", executable.error().toString().c_str());
    return std::nullopt;
  }
  out.executable = std::move(*executable);
  return out;
}

}  // namespace tessera::bench
