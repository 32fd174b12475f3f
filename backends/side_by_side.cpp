// See side_by_side.h. The order within a pair of runs changes from pair to pair, so that neither always comes second.
#include "backends/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backends/backend.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double quantileOf(std::vector<double> values, double at) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

Result<std::unique_ptr<Executable>> compiled(const Module& module, const SideBySideOptions& options) {
  const Diagnostics faults = verify(module);  // a backend compiles what is right
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(options.backend));
  CompileOptions how;
  how.cancel = options.cancel;
  how.threads = options.threads;
  how.kernelCache = defaultKernelCache();
  return backend->compile(module, how);
}

Result<Comparison> comparisonOf(const std::vector<Literal>& before, const std::vector<Literal>& after) {
  Comparison out;
  if (before.size() != after.size())
    return fail({.kind = ErrorKind::Usage,
                 .message = "the two give another number of results",
                 .expected = std::to_string(before.size()),
                 .found = std::to_string(after.size())});
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].shape().dimensions != after[i].shape().dimensions || before[i].shape().type != after[i].shape().type)
      return fail({.kind = ErrorKind::Usage,
                   .message = fmt::format("result {} has another shape", i),
                   .expected = toString(before[i].shape(), false),
                   .found = toString(after[i].shape(), false)});
    out.add(
        compareLiterals(before[i], after[i], defaultTolerance(before[i].shape().type), fmt::format("result {}", i)));
  }
  return out;
}

}  // namespace

double RunTimes::median() const { return quantileOf(ms, 0.5); }
double RunTimes::spread() const {
  const double middle = median();
  return middle > 0 ? (quantileOf(ms, 0.75) - quantileOf(ms, 0.25)) / middle : 0;
}

bool SideBySide::isTold() const { return std::abs(change()) > before.spread() + after.spread(); }

Result<SideBySide> runSideBySide(const Module& before, const Module& after, const std::vector<Literal>& arguments,
                                 const SideBySideOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const auto one, compiled(before, options));
  TESSERA_ASSIGN_OR_RETURN(const auto other, compiled(after, options));
  const RunOptions running{options.cancel};
  SideBySide out;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> wanted, one->run(arguments, running));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> found, other->run(arguments, running));
  TESSERA_ASSIGN_OR_RETURN(out.values, comparisonOf(wanted, found));
  std::vector<Literal> into[2];
  const auto run = [&](Executable& which, std::vector<Literal>& outputs, RunTimes& times) -> Status {
    const auto begin = Clock::now();
    TESSERA_TRY(which.runInto(arguments, outputs, running));
    times.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    return {};
  };
  const auto begin = Clock::now();
  const auto lasts = [&] { return std::chrono::duration<double>(Clock::now() - begin).count() < options.seconds; };
  for (int i = 0; i < options.leastRuns || (i < options.mostRuns && lasts()); ++i) {
    if (i % 2 == 0) TESSERA_TRY(run(*one, into[0], out.before));
    TESSERA_TRY(run(*other, into[1], out.after));
    if (i % 2 != 0) TESSERA_TRY(run(*one, into[0], out.before));
  }
  return out;
}

}  // namespace tessera
