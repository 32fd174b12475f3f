// Man pages of `tessera` and of each subcommand, in troff's man macros, from the option tables.
#include "app/cli/option_tables.h"

namespace tessera::cli {
namespace {

// A line of running text: a backslash, a hyphen that is typed, and a dot at the begin of a line mean something to
// troff.
std::string roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool lineBegins = i == 0 || text[i - 1] == '\n';
    if (lineBegins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    out += text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" : std::string(1, text[i]);
  }
  return out;
}

std::string head(const std::string& name, const std::string& description) {
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return ".TH " + upper + " 1 \"\" \"tessera 0.1.0\" \"User Commands\"\n.SH NAME\n" + name + " \\- " +
         roff(description) + "\n";
}

std::string exitCodes() {
  std::string out = ".SH EXIT STATUS\n";
  for (const ExitCodeText& row : kExitCodeTexts)
    out += ".TP\n.B " + std::to_string(row.code) + "\n" + roff(row.text) + "\n";
  return out;
}

std::string optionEntry(const OptionRow& row) {
  std::string names;
  for (const std::string& name : row.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!row.value.empty() && !row.positional) names += " \\fI" + roff(row.value) + "\\fR";
  std::string choices;
  for (const std::string& choice : row.choices) choices += (choices.empty() ? " (one of " : ", ") + choice;
  return ".TP\n" + names + "\n" +
         roff(row.text + (choices.empty() ? "" : choices + ")") + (row.required ? "; required" : "")) + "\n";
}

std::string pageOf(const CommandRow& command) {
  std::string out = head("tessera-" + command.name, command.description);
  out += ".SH SYNOPSIS\n.B tessera " + command.name + "\n[\\fIOPTIONS\\fR]";
  for (const OptionRow& row : command.options)
    if (row.positional) out += (row.required ? " \\fI" : " [\\fI") + row.names[0] + (row.required ? "\\fR" : "\\fR]");
  out += "\n.SH OPTIONS\n";
  for (const OptionRow& row : command.options) out += optionEntry(row);
  if (!command.example.empty()) out += ".SH EXAMPLE\n.nf\n" + roff(command.example) + "\n.fi\n";
  return out + exitCodes() + ".SH SEE ALSO\n.BR tessera (1)\n";
}

}  // namespace

TextFiles manPages(const std::vector<CommandRow>& commands) {
  std::string all = head("tessera", "reads, checks, runs, profiles and draws XLA HLO programs");
  all += ".SH SYNOPSIS\n.B tessera\n\\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH SUBCOMMANDS\n";
  TextFiles out;
  for (const CommandRow& command : commands) {
    all += ".TP\n.BR tessera\\-" + roff(command.name) + " (1)\n" + roff(command.description) + "\n";
    out.emplace_back("man1/tessera-" + command.name + ".1", pageOf(command));
  }
  all += exitCodes() + ".SH SEE ALSO\n.BR tessera\\-studio (1)\n";
  out.emplace_back("man1/tessera.1", all);
  return out;
}

}  // namespace tessera::cli
