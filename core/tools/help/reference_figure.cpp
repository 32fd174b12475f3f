// See reference_figure.h.
#include "core/tools/help/reference_figure.h"

#include "core/arrange/arrangement.h"
#include "core/formats/hlo_text.h"
#include "core/picture/picture.h"

namespace tessera {

Result<std::string> figureOf(const ReferenceExample& example) {
  const ReadResult read = readHloText(example.file, std::string(example.name) + ".hlo");
  if (!read.module) return fail(read.diagnostics.empty() ? "nothing to draw" : read.diagnostics.items()[0].message);
  ViewMaker maker(*read.module);
  const GraphView view = maker.view(read.module->entry(), maker.initialView(read.module->entry()));
  std::string svg = toSvg(draw(*read.module, view, arrange(view)), Theme::Light);
  svg.erase(0, std::min(svg.find("<svg"), svg.size()));
  return svg;
}

}  // namespace tessera
