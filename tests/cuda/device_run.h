// A program compiled for a device and run once, and its result against the reference evaluator. Used by tests of
// kernels of one kind.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/argument_rules.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {

struct DeviceRun {
  std::optional<Module> module;
  std::vector<Literal> arguments, results;
  std::unique_ptr<Executable> executable;
};

// Compiled for the device and run once with the default arguments; failures are reported.
inline void runOnDevice(const std::string& hloText, const std::string& device, DeviceRun& out) {
  ReadResult read = readHloText(hloText);
  ASSERT_TRUE(read.module) << hloText;
  inferModule(*read.module);
  const auto backend = makeBackend("cuda");
  ASSERT_TRUE(backend) << backend.error().toString();
  CompileOptions options;
  options.device = device;
  auto executable = (*backend)->compile(*read.module, options);
  ASSERT_TRUE(executable) << executable.error().toString();
  auto arguments = argumentsBy({}, *read.module);
  ASSERT_TRUE(arguments) << arguments.error().toString();
  auto found = (*executable)->run(*arguments);
  ASSERT_TRUE(found) << found.error().toString();
  out = {std::move(read.module), *std::move(arguments), *std::move(found), *std::move(executable)};
}

// Each result is the evaluator's, within the tolerance, or that of its type.
inline void expectEvaluatorsResults(const DeviceRun& run, std::optional<Tolerance> tolerance = std::nullopt) {
  const auto wanted = evaluateModule(*run.module, run.arguments);
  ASSERT_TRUE(wanted) << wanted.error().toString();
  ASSERT_EQ(wanted->size(), run.results.size());
  for (size_t k = 0; k < wanted->size(); ++k) {
    const Tolerance allowed = tolerance.value_or(defaultTolerance((*wanted)[k].shape().type));
    const Comparison comparison = compareLiterals((*wanted)[k], run.results[k], allowed, "result " + std::to_string(k));
    EXPECT_TRUE(comparison.equal) << comparison.firstMismatch;
  }
}

inline void expectNoErrors(const DeviceRun& run) {
  for (const DeviceReport& report : run.executable->deviceReports())
    EXPECT_FALSE(report.isError) << report.kernel << ", " << report.place << ": " << report.kind << ": " << report.text;
}

}  // namespace tessera
