// tessera help TOPIC: an operation's page or a chapter of the manual, for the terminal or as HTML; without a topic the
// list of both. Also what is made of the option tables for an installation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "app/cli/command.h"
#include "app/cli/manual_html.h"
#include "app/cli/option_tables.h"
#include "app/shared/manual.h"

#include "core/base/result.h"
#include "core/formats/module_file.h"
#include "core/tools/find_instruction.h"
#include "core/tools/help/help_page.h"

namespace tessera::cli {
namespace {

constexpr const char* kManualFolder = "tessera-manual";

struct HelpArguments {
  std::string op, html, example, integration;
};

void listOps(Report& report) {
  std::map<std::string_view, std::vector<std::string_view>> byCategory;
  for (const OpDef* op : allOps()) byCategory[nameOf(op->category.category)].push_back(nameOf(op->opcode));
  for (const auto& [category, names] : byCategory) {
    report.object["categories"][std::string(category)] = names;
    std::string line(category);
    for (size_t i = 0; i < names.size(); ++i) line += (i ? ", " : ": ") + std::string(names[i]);
    report.line(line);
  }
  const auto chapters = manualChapters();
  if (!chapters) return;  // a program without its manual still knows the operations
  for (const Chapter& chapter : *chapters) {
    report.object["chapters"][chapter.name] = chapter.title;
    report.line("manual " + chapter.name + ": " + chapter.title);
  }
}

// A chapter of the manual; false: there is none of this name.
bool tellChapter(const std::string& name, Report& report) {
  const auto text = manualChapter(name);
  if (!text) return false;
  report.object["chapter"] = name;
  report.object["text"] = *text;
  if (!report.json) std::fwrite(text->data(), 1, text->size(), stdout);
  return true;
}

void tell(const HelpPage& page, Report& report) {
  auto& out = report.object;
  out["opcode"] = page.opcode;
  out["category"] = nameOf(page.op->category.category);
  out["summary"] = withFormulas(page.op->summary);
  out["doc"] = withFormulas(page.op->doc);
  for (const char* key : {"operands", "attributes", "constraints"}) out[key] = nlohmann::ordered_json::array();
  for (const OperandDoc& row : page.op->operands) out["operands"].push_back({{"name", row.name}, {"doc", row.doc}});
  for (const AttributeRow& row : page.op->attributes)
    out["attributes"].push_back(
        {{"name", nameOf(row.name)}, {"doc", row.doc}, {"required", row.required}, {"default", row.defaultText}});
  for (const Constraint& row : page.op->constraints)
    out["constraints"].push_back({{"label", row.label}, {"text", row.text}});
  out["example"] = {{"text", page.example.text}, {"inputs", page.example.inputs}, {"outputs", page.example.outputs}};
  out["reference_examples"] = nlohmann::ordered_json::array();
  for (const ReferenceExample* one : page.references)
    out["reference_examples"].push_back({{"name", one->name}, {"title", one->title}, {"reference", one->source}});
  const std::string text = toText(page);
  if (!report.json) std::fwrite(text.data(), 1, text.size(), stdout);
}

Status writeOperation(const std::string& name, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // what is wrong with it, writing says
  TESSERA_ASSIGN_OR_RETURN(const HelpPage page, helpPage(name));
  return writeFileAtomically(folder / (name + ".html"), toHtml(page));
}

// The manual, whose contents are index.html, and all operations with a list of them.
Status writeAll(const std::filesystem::path& folder) {
  std::string list =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
      "charset=\"utf-8\"><title>Operations</title></head>\n<body>\n<p><a href=\"index.html\">Contents</a></p>\n<ul>\n";
  TESSERA_TRY(writeManual(folder));
  for (const OpDef* op : allOps()) {
    const std::string name(nameOf(op->opcode));
    TESSERA_TRY(writeOperation(name, folder));
    list += "<li><a href=\"" + name + ".html\">" + name + "</a></li>\n";
  }
  return writeFileAtomically(folder / "operations.html", list + "</ul>\n</body>\n</html>\n");
}

// One of the op's examples of the reference, as the file that it is.
Status tellExample(const HelpPage& page, const std::string& name, Report& report) {
  const auto found = std::ranges::find(page.references, name, &ReferenceExample::name);
  if (found == page.references.end()) {
    std::vector<std::string_view> names;
    for (const ReferenceExample* one : page.references) names.push_back(one->name);
    return fail(ErrorKind::Usage, fmt::format("{} has no example {}{}", page.opcode, name, nearMisses(name, names)));
  }
  report.object = {
      {"name", name}, {"title", (*found)->title}, {"reference", (*found)->source}, {"text", (*found)->file}};
  if (!report.json) std::fwrite((*found)->file.data(), 1, (*found)->file.size(), stdout);
  return {};
}

void help(const CLI::App& app, const HelpArguments& options, Report& report) {
  if (!options.integration.empty()) return writeIntegration(app, options.integration, report);
  if (!options.html.empty()) {
    const Status written = options.op.empty() ? writeAll(options.html) : writeOperation(options.op, options.html);
    if (!written) return report.failure(written.error());
    const std::string page =
        (options.html / std::filesystem::path(options.op.empty() ? "index" : options.op)).string() + ".html";
    report.object["page"] = page;
    return report.line(page);
  }
  if (options.op.empty()) return listOps(report);
  const auto page = helpPage(options.op);
  if (!page) {
    if (!tellChapter(options.op, report)) report.failure(page.error());
    return;
  }
  if (options.example.empty()) return tell(*page, report);
  if (auto told = tellExample(*page, options.example, report); !told) report.failure(told.error());
}

}  // namespace

void addHelp(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("help", "Show an operation's page, a chapter of the manual, or the list of both");
  auto options = std::make_shared<HelpArguments>();
  command->add_option("TOPIC", options->op,
                      "An operation as HLO text names it, e.g. dot, or a chapter of the manual, e.g. import");
  command
      ->add_option("--html", options->html,
                   "Write the operation's page, or the manual with all operations, as HTML into this folder "
                   "(default: tessera-manual)")
      ->expected(0, 1)
      ->default_str(kManualFolder);
  command->add_option("--example", options->example, "Print this example of the reference, an HLO file")
      ->needs("TOPIC");
  command->add_option(
      "--integration", options->integration,
      "Write man pages, completions of bash, zsh and fish, and the manual's chapter on the command line "
      "into this folder");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera help dot");
  command->callback([options, &app, &report] { help(app, *options, report); });
}

}  // namespace tessera::cli
