// See watch.h. The module that runs is a copy whose result has the watched values beside its own.
#include "backends/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/backend.h"
#include "backends/more_results.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// The root's leaves come first.
Module withWatched(const Module& module, std::span<const InstructionId> watched) {
  std::vector<InstructionId> all{module.entryComputation().root};
  all.insert(all.end(), watched.begin(), watched.end());
  return withResults(module, all);
}

}  // namespace

Status checkWatched(const Module& module, InstructionId id) {
  if (!module.contains(id)) return fail(ErrorKind::Usage, "a watched value is no instruction of the graph");
  const Instruction& instruction = module.at(id);
  const bool isReal = instruction.shape->isArray() && !isComplex(instruction.shape->type);
  if (instruction.computation == module.entry() && isReal) return {};
  return fail({.kind = ErrorKind::Usage,
               .message = fmt::format("{} cannot be watched", instruction.reference()),
               .expected = "an array of real numbers of the entry computation",
               .found = isReal ? "a value of " + module.at(instruction.computation).name
                               : toString(*instruction.shape, false)});
}

// Two sweeps: a mean of large numbers first, then how far they are from it.
ValueStats statsOf(const Literal& value) {
  ValueStats out;
  const ElementType type = value.shape().type;
  const auto bytes = value.bytes();
  const auto width = static_cast<size_t>(byteWidth(type));
  if (isComplex(type) || width == 0) return out;
  double sum = 0;
  const auto each = [&](auto&& visit) {
    for (size_t at = 0; at + width <= bytes.size(); at += width) visit(loadDouble(type, bytes.data() + at));
  };
  each([&](double number) {
    if (std::isnan(number)) return void(++out.nans);
    if (std::isinf(number)) return void(++out.infinities);
    out.least = out.finite == 0 ? number : std::min(out.least, number);
    out.most = out.finite == 0 ? number : std::max(out.most, number);
    sum += number;
    ++out.finite;
  });
  if (out.finite == 0) return out;
  const auto count = static_cast<double>(out.finite);
  out.mean = sum / count;
  double squares = 0;
  each([&](double number) {
    if (std::isfinite(number)) squares += (number - out.mean) * (number - out.mean);
  });
  out.deviation = std::sqrt(squares / count);
  return out;
}

Result<WatchSeries> watchValues(const Module& module, const WatchRequest& request) {
  for (InstructionId id : request.watched) TESSERA_TRY(checkWatched(module, id));
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(request.backend));
  CompileOptions options;
  options.cancel = request.cancel;
  options.kernelCache = defaultKernelCache();
  if (request.threads > 0) options.threads = static_cast<int>(request.threads);
  TESSERA_ASSIGN_OR_RETURN(const auto executable, backend->compile(withWatched(module, request.watched), options));
  WatchSeries out(request.watched.size());
  std::vector<Literal> arguments = request.arguments;
  const RunOptions running{request.cancel};
  const auto cancelled = [&] { return request.cancel && *request.cancel; };
  for (int64_t step = 0; step < request.steps && !cancelled(); ++step) {
    auto outputs = executable->run(arguments, running);
    if (!outputs) {
      if (cancelled()) break;
      return std::unexpected(outputs.error());
    }
    const size_t own = outputs->size() - request.watched.size();
    for (size_t i = 0; i < request.watched.size(); ++i) out[i].push_back(statsOf((*outputs)[own + i]));
    for (const auto& [argument, output] : request.feedback)
      if (static_cast<size_t>(argument) < arguments.size() && static_cast<size_t>(output) < own)
        arguments[static_cast<size_t>(argument)] = (*outputs)[static_cast<size_t>(output)];
    if (request.progress) request.progress(step + 1);
  }
  return out;
}

std::string toCsv(const WatchSeries& series, std::span<const std::string> names) {
  std::string out = "step,name,mean,least,most,deviation,finite,nan,infinite\n";
  for (size_t step = 0; !series.empty() && step < series[0].size(); ++step)
    for (size_t i = 0; i < series.size(); ++i) {
      const ValueStats& stats = series[i][step];
      const std::string numbers =
          stats.finite == 0 ? ",,," : fmt::format("{},{},{},{}", stats.mean, stats.least, stats.most, stats.deviation);
      out +=
          fmt::format("{},{},{},{},{},{}\n", step + 1, names[i], numbers, stats.finite, stats.nans, stats.infinities);
    }
  return out;
}

}  // namespace tessera
