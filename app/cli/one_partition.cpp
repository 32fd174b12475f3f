// See one_partition.h.
#include "app/cli/one_partition.h"

#include "core/evaluate/device_values.h"
#include "core/passes/partition/partition.h"

namespace tessera::cli {

void addPartitions(CLI::App& command, int64_t& partitions) {
  command
      .add_option(
          "--partitions", partitions,
          "Of a program with sharding annotations: the program of one of N partitions (default: as the module says)")
      ->check(CLI::Range(1, 1024));
}

namespace {

Result<Module> programOfOne(const Module& module, int64_t partitions) {
  if (partitions > 1 && !isShardedProgram(module) && !isPartitionedProgram(module))
    return fail(ErrorKind::Usage, "--partitions: the program has no sharding annotations");
  const ModuleConfig& config = module.config();
  return partitionedFor(
      module, {config.replicaCount.value_or(1), partitions > 0 ? partitions : config.numPartitions.value_or(1)});
}

}  // namespace

std::optional<Module> loadProgram(const std::string& file, int64_t partitions, Report& report) {
  const auto module = loadModule(file, report, true);
  if (!module) return std::nullopt;
  auto out = programOfOne(*module, partitions);
  if (out) return std::move(*out);
  out.error().file = file;
  report.failure(out.error());
  return std::nullopt;
}

}  // namespace tessera::cli
