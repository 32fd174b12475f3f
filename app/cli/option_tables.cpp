// See option_tables.h: reading CLI11's tables, and the manual's chapter. Choices are in a value's type, "TEXT:{a,b}".
#include "app/cli/option_tables.h"

#include <filesystem>

#include "core/formats/file_content.h"

namespace tessera::cli {
namespace {

std::vector<std::string> choicesIn(const std::string& type) {
  const size_t open = type.find(":{"), close = type.find('}');
  std::vector<std::string> out;
  if (open == std::string::npos || close == std::string::npos || close < open) return out;
  std::string word;
  for (char c : type.substr(open + 2, close - open - 2) + ",")
    if (c == ',') {
      out.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  return out;
}

OptionRow rowOf(const CLI::Option& option) {
  OptionRow row;
  row.positional = !option.nonpositional();
  row.required = option.get_required();
  row.text = option.get_description();
  const std::string type = option.get_type_name();
  row.choices = choicesIn(type);
  if (option.get_items_expected_max() > 0) row.value = type.substr(0, type.find(':'));
  row.repeated = option.get_items_expected_max() > 1;
  if (row.positional) {
    row.names = {option.get_name()};
    return row;
  }
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  return row;
}

std::string exampleIn(const std::string& footer) {
  const std::string mark = "Example: ";
  const size_t at = footer.find(mark);
  return at == std::string::npos ? "" : footer.substr(at + mark.size());
}

std::string inTable(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

std::string cellOf(const OptionRow& row) {
  std::string names;
  for (const std::string& name : row.names) names += (names.empty() ? "`" : ", `") + name + "`";
  if (!row.value.empty() && !row.positional) names += " " + row.value;
  return names;
}

}  // namespace

std::vector<CommandRow> commandRows(const CLI::App& app) {
  std::vector<CommandRow> out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandRow row{command->get_name(), command->get_description(), exampleIn(command->get_footer()), {}};
    for (const CLI::Option* option : command->get_options()) row.options.push_back(rowOf(*option));
    out.push_back(std::move(row));
  }
  return out;
}

std::string commandLineChapter(const std::vector<CommandRow>& commands) {
  std::string out =
      "# The command line\n\nMade from the program's own tables; `tessera SUBCOMMAND --help` says the same.\n\n"
      "## Exit codes\n\n| exit | meaning |\n|---|---|\n";
  for (const ExitCodeText& row : kExitCodeTexts) out += "| " + std::to_string(row.code) + " | " + row.text + " |\n";
  for (const CommandRow& command : commands) {
    out +=
        "\n## tessera " + command.name + "\n\n" + inTable(command.description) + ".\n\n| option | what |\n|---|---|\n";
    for (const OptionRow& row : command.options) {
      std::string choices;
      for (const std::string& choice : row.choices) choices += (choices.empty() ? " One of " : ", ") + choice;
      out += "| " + cellOf(row) + " | " + inTable(row.text) + (choices.empty() ? "" : "." + choices + ".") + " |\n";
    }
    if (!command.example.empty()) out += "\n    " + command.example + "\n";
  }
  return out;
}

void writeIntegration(const CLI::App& app, const std::string& folder, Report& report) {
  const std::vector<CommandRow> commands = commandRows(app);
  TextFiles files = manPages(commands);
  for (auto& file : completions(commands)) files.push_back(std::move(file));
  files.emplace_back("command_line.md", commandLineChapter(commands));
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);  // what is wrong with it, writing says
    if (auto written = writeFileAtomically(path, text); !written) return report.failure(written.error());
    report.object["files"].push_back(name);
  }
}

}  // namespace tessera::cli
