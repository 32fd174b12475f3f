// A graph as a file or for the clipboard: what is seen, the selection or the whole computation, as SVG, PDF, PNG,
// Graphviz or HTML. Everything that it needs is a snapshot, so that a worker can do it. Used by the export dialog.
#pragma once

#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "editor/document/scene_maker.h"

namespace tessera {

class Canvas;
class Document;

enum class ExportPart : uint8_t { Seen, Selection, Whole };
enum class ExportForm : uint8_t { Svg, Pdf, Png, Dot, Html };

struct ExportFormRow {
  ExportForm form;
  const char *ending, *name, *mime;
};
const std::vector<ExportFormRow>& exportForms();
const ExportFormRow* exportFormOf(const QString& ending);  // null: none

struct GraphExport {
  ExportPart part = ExportPart::Whole;
  ExportForm form = ExportForm::Svg;
  Theme theme = Theme::Light;
  double scale = 1;  // PNG: pixels a unit; of what is seen: a pixel of the screen
  bool legend = true;

  // --- of the document
  Module module;
  std::shared_ptr<const PlainGraph> plain;
  Scene scene;
  std::optional<Overlay> overlay;  // on the run's own scale, for HTML
  std::vector<InstructionId> selection;
  std::string group;  // that is selected: then the selection is all of it; empty: none
  RectF seen;
  float zoom = 1;
  std::string name;
};
GraphExport exportOf(const Document& document, const Canvas& canvas);

QSize pixelsOf(const GraphExport& what);  // of a PNG
Result<std::string> contentOf(const GraphExport& what);

}  // namespace tessera
