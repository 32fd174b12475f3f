// tessera print FILE [-o OUT]: XLA's long form with large constants in full. Only reads, so a wrong module can be seen.
#include <cstdio>

#include "app/cli/command.h"
#include "core/formats/module_file.h"

namespace tessera::cli {

void addPrint(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("print", "Print a file as XLA's long-form HLO text");
  struct Options {
    std::string file, out;
  };
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  command->footer("Example: tessera print model.hlo -o copy.hlo");
  command->callback([options, &report] {
    auto module = loadModule(options->file, report, false);
    if (!module) return;
    std::string text = printHloText(*module);
    report.object["bytes"] = text.size();
    if (!options->out.empty()) {
      if (auto written = writeFileAtomically(options->out, text); !written) report.failure(written.error());
    } else if (report.json) {
      report.object["text"] = std::move(text);
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);  // finish() tells whether it was taken
    }
  });
}

}  // namespace tessera::cli
