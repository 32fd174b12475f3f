// tessera help OP: one page an operation, for the terminal or as HTML; without an OP the list of them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include "app/cli/command.h"

#include "core/base/result.h"
#include "core/formats/module_file.h"
#include "core/tools/find_instruction.h"
#include "core/tools/help_page.h"

namespace tessera::cli {
namespace {

struct HelpArguments {
  std::string op, html, example;
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

// One OP, or all of them with an index, as OPCODE.html.
Status writeHtml(const std::vector<std::string>& ops, const std::filesystem::path& folder, bool withIndex) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // what is wrong with it, the first file says
  std::string index =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
      "charset=\"utf-8\"><title>Operations</title></head>\n<body>\n<ul>\n";
  for (const std::string& name : ops) {
    TESSERA_ASSIGN_OR_RETURN(const HelpPage page, helpPage(name));
    TESSERA_TRY(writeFileAtomically(folder / (name + ".html"), toHtml(page)));
    index += "<li><a href=\"" + name + ".html\">" + name + "</a></li>\n";
  }
  return withIndex ? writeFileAtomically(folder / "index.html", index + "</ul>\n</body>\n</html>\n") : Status();
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

std::vector<std::string> allNames() {
  std::vector<std::string> out;
  for (const OpDef* op : allOps()) out.emplace_back(nameOf(op->opcode));
  return out;
}

}  // namespace

void addHelp(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("help", "Show an operation's page, or the list of operations");
  auto options = std::make_shared<HelpArguments>();
  command->add_option("OP", options->op, "An operation as HLO text names it, e.g. dot");
  command->add_option("--html", options->html, "Write OP.html, or all pages and an index, into this folder");
  command->add_option("--example", options->example, "Print this example of the reference, an HLO file")->needs("OP");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera help dot");
  command->callback([options, &report] {
    if (!options->html.empty()) {
      const bool all = options->op.empty();
      if (auto written = writeHtml(all ? allNames() : std::vector{options->op}, options->html, all); !written)
        report.failure(written.error());
    } else if (options->op.empty()) {
      listOps(report);
    } else if (auto page = helpPage(options->op)) {
      if (options->example.empty()) return tell(*page, report);
      if (auto told = tellExample(*page, options->example, report); !told) report.failure(told.error());
    } else {
      report.failure(page.error());
    }
  });
}

}  // namespace tessera::cli
