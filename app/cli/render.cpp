// tessera render FILE -o OUT: the graph as the canvas draws it, with a profile's colours when one is given. The ending
// says the form: SVG, PDF, PNG, Graphviz, or an HTML page with the whole module.
#include <fmt/format.h>

#include <optional>

#include "app/cli/command.h"
#include "app/shared/cairo_picture.h"
#include "backends/machine_peaks.h"
#include "core/analysis/measure.h"
#include "core/arrange/arrangement.h"
#include "core/export/html.h"
#include "core/export/view_dot.h"
#include "core/formats/module_file.h"
#include "core/picture/page.h"
#include "core/picture/plain_graph.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

struct RenderArguments {
  std::string file, out, to, computation, profile, measure, flow, theme = "light";
  double scale = 1;
  std::vector<std::string> open;
  Theme chosenTheme() const { return theme == "dark" ? Theme::Dark : Theme::Light; }
};

// What is drawn; a module or, without one, a Graphviz file.
struct Scene {
  const Module* module = nullptr;
  const PlainGraph* plain = nullptr;
  ComputationId computation;
  ViewOptions viewOptions;
  GraphView view;
  std::optional<Overlay> overlay;  // as the profile has it
  const ProjectPage* page = nullptr;
  std::string name;

  Picture picture() const {
    if (plain) return drawPlain(*plain, view, arrange(view));
    const Arrangement arrangement = arrangePage(*module, view, page ? placesOf(*page) : Places());
    std::optional<Overlay> scaled = overlay;
    if (scaled) scaled = scaledTo(view, *std::move(scaled));
    Picture out = draw(*module, view, arrangement, scaled ? &*scaled : nullptr);
    if (page) out = withPage(std::move(out), *page);
    return scaled ? withLegend(std::move(out), *scaled) : out;
  }
};

// One row a form; the name is also the ending.
struct PictureForm {
  std::string_view name;
  Result<std::string> (*make)(const Scene&, const RenderArguments&);
};
const PictureForm kPictureForms[] = {
    {"svg",
     [](const Scene& scene, const RenderArguments& options) {
       return Result<std::string>(toSvg(scene.picture(), options.chosenTheme()));
     }},
    {"pdf", [](const Scene& scene,
               const RenderArguments& options) { return toPdf(scene.picture(), options.chosenTheme(), scene.name); }},
    {"png",
     [](const Scene& scene, const RenderArguments& options) {
       return toPng(scene.picture(), options.chosenTheme(), options.scale);
     }},
    {"html",
     [](const Scene& scene, const RenderArguments& options) {
       if (scene.plain) return Result<std::string>(toHtmlPage(*scene.plain, options.chosenTheme()));
       if (scene.overlay && scene.overlay->kind != OverlayKind::Sum)
         return Result<std::string>(
             fail(ErrorKind::Usage, "an HTML page shows measures that add up, such as time, flops or bytes"));
       return Result<std::string>(toHtmlPage(*scene.module, {.shown = scene.computation,
                                                             .openGroups = scene.viewOptions.openGroups,
                                                             .theme = options.chosenTheme(),
                                                             .overlay = scene.overlay ? &*scene.overlay : nullptr}));
     }},
    {"dot",
     [](const Scene& scene, const RenderArguments&) { return Result<std::string>(viewAsDot(scene.view, scene.name)); }},
};

std::vector<std::string> pictureFormNames() {
  std::vector<std::string> out;
  for (const PictureForm& form : kPictureForms) out.emplace_back(form.name);
  return out;
}

// Those that this command can make.
std::vector<std::string> measureNames() {
  std::vector<std::string> out;
  for (const MeasureInfo& info : allMeasures())
    if (info.need != MeasureNeed::Baseline && info.need != MeasureNeed::Given) out.emplace_back(info.name);
  return out;
}

// The form that --to names, else the ending.
Result<const PictureForm*> formOf(const RenderArguments& options) {
  const size_t point = options.out.rfind('.');
  const std::string ending = point == std::string::npos ? "" : options.out.substr(point + 1);
  const std::string& wanted = options.to.empty() ? ending : options.to;
  for (const PictureForm& form : kPictureForms)
    if (form.name == wanted) return &form;
  return fail(ErrorKind::Usage, fmt::format("{} ends in none of .{}: name the form by --to", options.out,
                                            fmt::join(pictureFormNames(), ", .")));
}

// Of what --profile and --measure say together; none without them.
Result<std::optional<Overlay>> overlayOf(const Module& module, const RenderArguments& options) {
  if (options.profile.empty() && options.measure.empty()) return std::optional<Overlay>();
  const Measure measure = measureNamed(options.measure).value_or(Measure::SelfTime);
  const MeasureNeed need = infoOf(measure).need;
  const auto shared = std::make_shared<const Module>(module);
  MeasuredTimes times;
  if (!options.profile.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const OpProfile found, readProfileSource(options.profile, shared));
    if (found.instructions.empty())
      return fail({.kind = ErrorKind::Usage,
                   .message = "nothing of the profile lands on the module " + module.name,
                   .file = options.profile});
    OpTimes held = opTimesOf(found, shared);
    if (need == MeasureNeed::Peaks) holdAgainst(held, machinePeaks());
    times.times = std::make_shared<const OpTimes>(std::move(held));
  }
  if (!isAvailable(measure, times, true))
    return fail(ErrorKind::Usage, fmt::format("--measure=\"{}\" needs --profile", infoOf(measure).name));
  return MeasureMaker(shared).make(measure, times);
}

Result<Scene> sceneOf(const Module& module, const Project& project, const RenderArguments& options) {
  Scene scene{.module = &module, .name = module.name};
  scene.computation = module.findComputation(project.shown).value_or(module.entry());
  if (!options.computation.empty()) {
    TESSERA_ASSIGN_OR_RETURN(scene.computation, computationNamed(module, options.computation));
  }
  TESSERA_ASSIGN_OR_RETURN(scene.overlay, overlayOf(module, options));
  ViewMaker maker(module);
  scene.viewOptions = maker.initialView(scene.computation);
  scene.page = project.find(module.at(scene.computation).name);
  if (scene.page) applyGroups(*scene.page, scene.viewOptions);
  scene.viewOptions.openGroups.insert(options.open.begin(), options.open.end());
  scene.view = maker.view(scene.computation, scene.viewOptions);
  scene.view.flow = options.flow == "right"  ? Flow::Right
                    : options.flow == "down" ? Flow::Down
                                             : flowOf(project, scene.page).value_or(Flow::Down);
  return scene;
}

// Of a Graphviz file; nullopt: it is none.
std::optional<Result<std::string>> renderPlainGraph(const RenderArguments& options, const PictureForm& form) {
  const auto content = readFile(options.file);
  if (!content || !looksLikeDot(*content)) return std::nullopt;
  const auto graph = readDot(*content, options.file);
  if (!graph) return std::unexpected(graph.error());
  return form.make({.plain = &*graph, .view = viewOf(*graph), .name = graph->name}, options);
}

Result<std::string> renderFile(const RenderArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const PictureForm* form, formOf(options));
  if (options.scale != 1 && form->name != "png") return fail(ErrorKind::Usage, "--scale is for PNG alone");
  if (auto plain = renderPlainGraph(options, *form)) return *std::move(plain);
  const auto module = loadModule(options.file, report, false);
  if (!module) return std::string();  // it was reported
  TESSERA_ASSIGN_OR_RETURN(const Project project, readArrangement(options.file));
  TESSERA_ASSIGN_OR_RETURN(const Scene scene, sceneOf(*module, project, options));
  return form->make(scene, options);
}

}  // namespace

void addRender(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("render", "Draw a computation as SVG, PDF, PNG or Graphviz, a module as HTML");
  auto options = std::make_shared<RenderArguments>();
  command->add_option("FILE", options->file, "HLO file, project or Graphviz file")->required();
  command
      ->add_option("-o,--output", options->out,
                   "What to write: OUT.svg, OUT.pdf, OUT.png, OUT.dot (the groups as they are open), or OUT.html (the "
                   "whole module, groups open in the browser)")
      ->required();
  command->add_option("--to", options->to, "The form, where the ending does not say it")
      ->check(CLI::IsMember(pictureFormNames()));
  command->add_option("--computation", options->computation, "A computation's name (default: the entry)");
  command->add_option("--profile", options->profile,
                      "Profile of a run, or any that `tessera profile` reads, laid over the nodes");
  command->add_option("--measure", options->measure, "What the colours say (default: self time, with --profile)")
      ->check(CLI::IsMember(measureNames()));
  command->add_option("--open", options->open, "A group to open; may be given several times");
  command->add_option("--scale", options->scale, "PNG: pixels a unit (default 1)")->check(CLI::Range(0.001, 64.0));
  command
      ->add_option("--flow", options->flow,
                   "Which way wires run: down or right (default: as the file's project says, else down)")
      ->check(CLI::IsMember({"down", "right"}));
  command->add_option("--theme", options->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera render model.hlo -o model.html --profile=profile.json");
  command->callback([options, &report] {
    auto content = renderFile(*options, report);
    if (!content) return report.failure(content.error());
    if (content->empty()) return;
    if (auto written = writeFileAtomically(options->out, *content); !written) return report.failure(written.error());
    report.object["bytes"] = content->size();
    report.object["output"] = options->out;
  });
}

}  // namespace tessera::cli
