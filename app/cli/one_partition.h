// The option --partitions of subcommands that look at the program of one device.
#pragma once

#include "app/cli/command.h"

namespace tessera::cli {

void addPartitions(CLI::App& command, int64_t& partitions);
// loadModule, and what one of so many partitions runs (0: as the header says); the module itself where there is one.
// Refuses several partitions of a program that is neither annotated with shardings nor partitioned.
std::optional<Module> loadProgram(const std::string& file, int64_t partitions, Report& report);

}  // namespace tessera::cli
