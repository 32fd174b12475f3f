// The option tables of all subcommands as plain rows, and what is made of them: man pages, completions of three shells
// and the manual's chapter on the command line. So each option is defined once, where its subcommand adds it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"

namespace tessera::cli {

struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its word
  std::string value;               // "TEXT", empty: a flag
  std::string text;
  std::vector<std::string> choices;  // of its value; empty: any
  bool positional = false, required = false, repeated = false;
};
struct CommandRow {
  std::string name, description, example;
  std::vector<OptionRow> options;
};
std::vector<CommandRow> commandRows(const CLI::App& app);

// File names, relative to a folder, and their contents.
using TextFiles = std::vector<std::pair<std::string, std::string>>;
TextFiles manPages(const std::vector<CommandRow>& commands);     // man1/tessera.1, man1/tessera-run.1 …
TextFiles completions(const std::vector<CommandRow>& commands);  // completions/tessera.bash, _tessera, tessera.fish
std::string commandLineChapter(const std::vector<CommandRow>& commands);

// tessera help --integration: all of it into a folder.
void writeIntegration(const CLI::App& app, const std::string& folder, Report& report);

}  // namespace tessera::cli
