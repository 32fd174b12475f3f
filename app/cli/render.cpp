// tessera render FILE -o OUT.svg: the graph as the canvas draws it, with a profile's colours when one is given.
#include "app/cli/command.h"
#include "core/arrange/arrangement.h"
#include "core/formats/module_file.h"
#include "core/picture/page.h"
#include "core/picture/plain_graph.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

struct RenderArguments {
  std::string file, out, computation, profile, theme = "light";
  std::vector<std::string> open;
};

Result<std::string> render(const Module& module, const RenderArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(const Project project, readArrangement(options.file));
  ComputationId computation = module.findComputation(project.shown).value_or(module.entry());
  if (!options.computation.empty()) {
    TESSERA_ASSIGN_OR_RETURN(computation, computationNamed(module, options.computation));
  }
  std::optional<Overlay> overlay;
  if (!options.profile.empty()) {
    TESSERA_ASSIGN_OR_RETURN(std::string text, readFile(options.profile));
    TESSERA_ASSIGN_OR_RETURN(Profile profile, readChromeTrace(text));
    overlay = overlayOf(profile);
  }
  ViewMaker maker(module);
  ViewOptions viewOptions = maker.initialView(computation);
  const ProjectPage* page = project.find(module.at(computation).name);
  if (page) applyGroups(*page, viewOptions);
  viewOptions.openGroups.insert(options.open.begin(), options.open.end());
  GraphView view = maker.view(computation, viewOptions);
  const Arrangement arrangement = arrangePage(module, view, page ? placesOf(*page) : Places());
  if (overlay) overlay = scaledTo(view, *std::move(overlay));
  Picture picture = draw(module, view, arrangement, overlay ? &*overlay : nullptr);
  if (page) picture = withPage(std::move(picture), *page);
  if (overlay) picture = withLegend(std::move(picture), *overlay);
  return toSvg(picture, options.theme == "dark" ? Theme::Dark : Theme::Light);
}

// Of a Graphviz file; nullopt: it is none.
std::optional<Result<std::string>> renderPlainGraph(const RenderArguments& options) {
  const auto content = readFile(options.file);
  if (!content || !looksLikeDot(*content)) return std::nullopt;
  const auto graph = readDot(*content, options.file);
  if (!graph) return std::unexpected(graph.error());
  const GraphView view = viewOf(*graph);
  return toSvg(drawPlain(*graph, view, arrange(view)), options.theme == "dark" ? Theme::Dark : Theme::Light);
}

Result<std::string> renderFile(const RenderArguments& options, Report& report) {
  if (auto plain = renderPlainGraph(options)) return *std::move(plain);
  const auto module = loadModule(options.file, report, false);
  if (!module) return std::string();  // it was reported
  return render(*module, options);
}

}  // namespace

void addRender(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("render", "Draw a computation as SVG");
  auto options = std::make_shared<RenderArguments>();
  command->add_option("FILE", options->file, "HLO file, project or Graphviz file")->required();
  command->add_option("-o,--output", options->out, "The SVG to write")->required();
  command->add_option("--computation", options->computation, "A computation's name (default: the entry)");
  command->add_option("--profile", options->profile, "Profile of a run, laid over the nodes");
  command->add_option("--open", options->open, "A group to open; may be given several times");
  command->add_option("--theme", options->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera render model.hlo -o model.svg --profile=profile.json");
  command->callback([options, &report] {
    auto svg = renderFile(*options, report);
    if (!svg) return report.failure(svg.error());
    if (svg->empty()) return;
    if (auto written = writeFileAtomically(options->out, *svg); !written) return report.failure(written.error());
    report.object["bytes"] = svg->size();
    report.object["output"] = options->out;
  });
}

}  // namespace tessera::cli
