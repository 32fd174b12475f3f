// Completions of bash, zsh and fish from the option tables: subcommands, their options, and the values of those that
// have a list; whatever else is a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/option_tables.h"

namespace tessera::cli {
namespace {

std::vector<std::string> namesOf(const std::vector<CommandRow>& commands) {
  std::vector<std::string> out;
  for (const CommandRow& command : commands) out.push_back(command.name);
  return out;
}

// In single quotes of a shell.
std::string shellQuoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string escapedIn(std::string_view text, std::string_view special) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string bash(const std::vector<CommandRow>& commands) {
  std::string options, choices;
  for (const CommandRow& command : commands) {
    std::vector<std::string> names;
    for (const OptionRow& row : command.options) {
      if (row.positional) continue;
      names.insert(names.end(), row.names.begin(), row.names.end());
      if (!row.choices.empty())
        for (const std::string& name : row.names)
          choices += fmt::format("    '{} {}') words='{}' ;;\n", command.name, name, fmt::join(row.choices, " "));
    }
    options += fmt::format("      {}) words='{}' ;;\n", command.name, fmt::join(names, " "));
  }
  return fmt::format(R"(# bash completion for tessera; made from its option tables.
_tessera() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -* | =) ;; *) command=$word; break ;; esac
  done
  [ "$cur" = = ] && cur=
  [ "$prev" = = ] && prev=${{COMP_WORDS[COMP_CWORD-2]}}
  [ "${{COMP_WORDS[COMP_CWORD]}}" = = ] && prev=${{COMP_WORDS[COMP_CWORD-1]}}
  case "$command $prev" in
{1}  esac
  if [ -z "$words" ] && [ -z "$command" ]; then
    words='--help --version {0}'
  elif [ -z "$words" ] && [[ $cur == -* ]]; then
    case $command in
{2}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || compopt -o default 2>/dev/null
}}
complete -F _tessera tessera
)",
                     fmt::join(namesOf(commands), " "), choices, options);
}

std::string zsh(const std::vector<CommandRow>& commands) {
  std::string names, cases;
  for (const CommandRow& command : commands) {
    names += fmt::format("    {}\n", shellQuoted(command.name + ":" + command.description));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const OptionRow& row : command.options) {
      if (row.positional) continue;
      for (const std::string& name : row.names) {
        std::string value;
        if (!row.choices.empty())
          value = fmt::format(":{}:({})", row.value, fmt::join(row.choices, " "));
        else if (!row.value.empty())
          value = ":" + row.value + ":_files";
        const std::string join = value.empty() ? "" : name.starts_with("--") ? "=" : "+";
        cases += "        " + shellQuoted(name + join + "[" + escapedIn(row.text, "[]:\\") + "]" + value) + " \\\n";
      }
    }
    cases += "        '*:file:_files'\n      ;;\n";
  }
  return "#compdef tessera\n# zsh completion for tessera; made from its option tables.\nlocal -a "
         "subcommands\nsubcommands=(\n" +
         names +
         ")\nif (( CURRENT == 2 )); then\n  _describe subcommand subcommands\nelse\n  local subcommand=$words[2]\n"
         "  shift words\n  (( CURRENT-- ))\n  case $subcommand in\n" +
         cases + "  esac\nfi\n";
}

std::string fish(const std::vector<CommandRow>& commands) {
  std::string out = "# fish completion for tessera; made from its option tables.\n";
  const std::string all = fmt::format("{}", fmt::join(namesOf(commands), " "));
  for (const CommandRow& command : commands)
    out += fmt::format("complete -c tessera -f -n 'not __fish_seen_subcommand_from {}' -a {} -d {}\n", all,
                       command.name, shellQuoted(command.description));
  for (const CommandRow& command : commands)
    for (const OptionRow& row : command.options) {
      if (row.positional) continue;
      out += fmt::format("complete -c tessera -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : row.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!row.choices.empty())
        out += fmt::format(" -x -a '{}'", fmt::join(row.choices, " "));
      else if (!row.value.empty())
        out += " -r";
      out += " -d " + shellQuoted(row.text) + "\n";
    }
  return out;
}

}  // namespace

TextFiles completions(const std::vector<CommandRow>& commands) {
  return {{"completions/tessera.bash", bash(commands)},
          {"completions/_tessera", zsh(commands)},
          {"completions/tessera.fish", fish(commands)}};
}

}  // namespace tessera::cli
