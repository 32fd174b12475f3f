// See graph_export.h.
#include "app/studio/export/graph_export.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>

#include "app/shared/cairo_picture.h"
#include "core/edit/structure/grouping.h"
#include "core/export/excerpt.h"
#include "core/export/html.h"
#include "core/export/view_dot.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

std::vector<bool> selectedBoxes(const GraphExport& what) {
  std::vector<bool> out(what.scene.view->nodes.size());
  for (InstructionId id : what.selection)
    if (const int32_t box = what.scene.view->boxOf(id); box >= 0 && what.group.empty()) out[at(box)] = true;
  if (const int32_t box = what.group.empty() ? -1 : what.scene.view->findGroup(what.group); box >= 0)
    out[at(box)] = true;
  return withContent(*what.scene.view, std::move(out));
}

std::vector<bool> seenBoxes(const GraphExport& what) {
  std::vector<bool> out(what.scene.view->nodes.size());
  for (size_t n = 0; n < out.size(); ++n) out[n] = what.scene.arrangement->boxes[n].intersects(what.seen);
  return out;
}

Picture pictureOf(const GraphExport& what) {
  const Picture& all = *what.scene.picture;
  Picture out = what.part == ExportPart::Seen        ? excerptOf(all, what.seen, what.zoom)
                : what.part == ExportPart::Selection ? excerptOf(all, *what.scene.view, selectedBoxes(what))
                                                     : all;
  return what.legend && what.scene.overlay ? withLegend(std::move(out), *what.scene.overlay) : out;
}

double pixelsAUnit(const GraphExport& what) {
  return what.scale * (what.part == ExportPart::Seen ? static_cast<double>(what.zoom) : 1);
}

std::string dotOf(const GraphExport& what) {
  const GraphView& view = *what.scene.view;
  if (what.part == ExportPart::Whole) return viewAsDot(view, what.name);
  return viewAsDot(excerptOf(view, what.part == ExportPart::Seen ? seenBoxes(what) : selectedBoxes(what)), what.name);
}

// A page has the whole module, and begins with what is shown; of a selection it is a module of its own.
Result<std::string> htmlOf(const GraphExport& what) {
  if (what.plain) return toHtmlPage(*what.plain, what.theme);
  if (what.part == ExportPart::Selection) {
    TESSERA_ASSIGN_OR_RETURN(const Module cut, selectionAsModule(what.module, what.selection, what.module.name));
    return toHtmlPage(cut, {.shown = cut.entry(), .theme = what.theme});
  }
  return toHtmlPage(what.module, {.shown = what.scene.computation,
                                  .openGroups = what.scene.options.openGroups,
                                  .theme = what.theme,
                                  .overlay = what.overlay ? &*what.overlay : nullptr});
}

// What of the computation that is shown is in the group.
std::vector<InstructionId> membersOf(const GraphExport& what) {
  std::vector<InstructionId> out;
  std::vector<bool> inside(what.scene.view->nodes.size());
  if (const int32_t box = what.scene.view->findGroup(what.group); box >= 0) inside[at(box)] = true;
  inside = withContent(*what.scene.view, std::move(inside));
  for (InstructionId id : what.module.at(what.scene.computation).instructions)
    if (const int32_t box = what.scene.view->boxOf(id); box >= 0 && inside[at(box)]) out.push_back(id);
  return out;
}

}  // namespace

const std::vector<ExportFormRow>& exportForms() {
  static const std::vector<ExportFormRow> kForms{{ExportForm::Svg, "svg", QT_TR_NOOP("SVG"), "image/svg+xml"},
                                                 {ExportForm::Pdf, "pdf", QT_TR_NOOP("PDF"), "application/pdf"},
                                                 {ExportForm::Png, "png", QT_TR_NOOP("PNG"), "image/png"},
                                                 {ExportForm::Dot, "dot", QT_TR_NOOP("Graphviz"), "text/vnd.graphviz"},
                                                 {ExportForm::Html, "html", QT_TR_NOOP("HTML page"), "text/html"}};
  return kForms;
}

const ExportFormRow* exportFormOf(const QString& ending) {
  const auto found =
      std::ranges::find_if(exportForms(), [&](const auto& row) { return ending == QLatin1String(row.ending); });
  return found == exportForms().end() ? nullptr : &*found;
}

GraphExport exportOf(const Document& document, const Canvas& canvas) {
  GraphExport out;
  out.module = document.module();
  out.plain = document.plainGraph();
  out.scene = document.view().scene();
  if (document.view().showsOverlay() && document.measures().selfTimes()) out.overlay = *document.measures().selfTimes();
  out.group = document.view().selectedGroup().toStdString();
  out.selection = out.group.empty() ? document.selection() : membersOf(out);
  const QRectF seen = canvas.viewport().visible();
  out.seen = {static_cast<float>(seen.x()), static_cast<float>(seen.y()), static_cast<float>(seen.width()),
              static_cast<float>(seen.height())};
  out.zoom = static_cast<float>(canvas.viewport().zoom());
  out.theme = canvas.theme();
  out.name =
      out.module.name.empty() ? QFileInfo(document.file().path()).completeBaseName().toStdString() : out.module.name;
  return out;
}

QSize pixelsOf(const GraphExport& what) {
  const RectF bounds = what.part == ExportPart::Seen ? what.seen : pictureOf(what).bounds;
  const double scale = pixelsAUnit(what);
  const auto pixels = [&](float units) { return static_cast<int>(std::ceil(units * scale - 1e-3)); };  // as toPng
  return {pixels(bounds.width), pixels(bounds.height)};
}

Result<std::string> contentOf(const GraphExport& what) {
  if (what.part == ExportPart::Selection && what.selection.empty())
    return fail(ErrorKind::Usage, "nothing is selected");
  switch (what.form) {
    case ExportForm::Svg: return toSvg(pictureOf(what), what.theme);
    case ExportForm::Pdf: return toPdf(pictureOf(what), what.theme, what.name);
    case ExportForm::Png: return toPng(pictureOf(what), what.theme, pixelsAUnit(what));
    case ExportForm::Dot: return dotOf(what);
    case ExportForm::Html: return htmlOf(what);
  }
  return {};
}

}  // namespace tessera
