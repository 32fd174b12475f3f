// tessera print FILE [--to=FORM] [-o OUT]: the module in another form, by default XLA's long form with large constants
// in full. Only reads, so a wrong module can be seen.
#include <cstdio>

#include "app/cli/command.h"
#include "core/formats/code.h"
#include "core/formats/module_file.h"
#include "core/formats/padding.h"
#include "core/formats/project.h"
#include "core/formats/protobuf.h"
#include "core/formats/short_text.h"

namespace tessera::cli {
namespace {

struct PrintArguments {
  std::string file, out, to = "hlo";
};

struct Source {
  const Module& module;
  const ForeignFields* foreign;
  const Project& project;  // what was arranged for the file
};

// One row a form.
struct Form {
  std::string_view name;
  bool binary;
  PaddingCarrier padding;
  Result<std::string> (*print)(const Source&);
};
const Form kForms[] = {
    {"hlo", false, PaddingCarrier::HloText,
     [](const Source& s) { return Result<std::string>(printHloText(s.module)); }},
    {"short", false, PaddingCarrier::HloText,
     [](const Source& s) { return Result<std::string>(printShortText(s.module)); }},
    {"pb", true, PaddingCarrier::Protobuf,
     [](const Source& s) {
       return writeProto(s.module, {ProtoMessage::HloModule, false, s.foreign});
     }},
    {"pbtxt", false, PaddingCarrier::Protobuf,
     [](const Source& s) {
       return writeProto(s.module, {ProtoMessage::HloModule, true, s.foreign});
     }},
    {"dot", false, PaddingCarrier::None, [](const Source& s) { return Result<std::string>(printDot(s.module)); }},
    {"tessera", false, PaddingCarrier::HloText,
     [](const Source& s) { return Result<std::string>(printProject(s.project, &s.module)); }},
    {"xlabuilder", false, PaddingCarrier::None, [](const Source& s) { return printXlaBuilder(s.module); }},
    {"jax", false, PaddingCarrier::None, [](const Source& s) { return printJax(s.module); }},
};

std::vector<std::string> formNames() {
  std::vector<std::string> out;
  for (const Form& form : kForms) out.emplace_back(form.name);
  return out;
}

void give(const PrintArguments& options, std::string text, bool binary, Report& report) {
  report.object["bytes"] = text.size();
  if (!options.out.empty()) {
    if (auto written = writeFileAtomically(options.out, text); !written) report.failure(written.error());
  } else if (report.json && binary) {
    report.failure({.kind = ErrorKind::Usage, .message = "pb is binary and does not fit into JSON: give -o OUT"});
  } else if (report.json) {
    report.object["text"] = std::move(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);  // finish() tells whether it was taken
  }
}

// What the form has no place for, as warnings and in the object.
void tellLosses(const Module& module, const Form& form, const std::string& file, Report& report) {
  auto lost = nlohmann::ordered_json::array();
  for (const std::string& what : lostPadding(module, form.padding)) {
    report.failure({.severity = Severity::Warning,
                    .message = "not written, " + std::string(form.name) + " has no form for it: " + what,
                    .file = file});
    lost.push_back(what);
  }
  if (!lost.empty()) report.object["lost"] = std::move(lost);
}

}  // namespace

void addPrint(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("print", "Print a file as HLO text, protobuf, Graphviz, a project, C++ or Python");
  auto options = std::make_shared<PrintArguments>();
  command->add_option("FILE", options->file, "HLO text, protobuf, StableHLO text or a project")->required();
  command
      ->add_option("--to", options->to,
                   "hlo (long form), short, pb, pbtxt, dot, tessera (a project file), xlabuilder (C++) or jax (Python)")
      ->check(CLI::IsMember(formNames()));
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  command->footer("Example: tessera print model.hlo --to=pb -o model.pb");
  command->callback([options, &report] {
    ProtoContent beside;
    auto module = loadModule(options->file, report, false, &beside);
    if (!module) return;
    const auto project = readArrangement(options->file);
    if (!project) return report.failure(project.error());
    for (const Form& form : kForms) {
      if (form.name != options->to) continue;
      tellLosses(*module, form, options->file, report);
      auto text = form.print({*module, beside.foreign.get(), *project});
      if (text)
        give(*options, std::move(*text), form.binary, report);
      else
        report.failure(text.error());
    }
  });
}

}  // namespace tessera::cli
