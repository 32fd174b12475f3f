// The whole of a module as one HTML file that needs nothing else: the graph with groups that open in place, search,
// tooltips and the times of a run. What the browser runs is in core/export/web. Used by `tessera render` and the
// studio.
#pragma once

#include <string>
#include <unordered_set>

#include "core/formats/dot_reader.h"
#include "core/picture/picture.h"

namespace tessera {

struct HtmlOptions {
  ComputationId shown;                           // the page to begin with
  std::unordered_set<std::string> openGroups{};  // of it, as paths of ViewNode
  // To begin with; the page has a switch. nullopt: as the reader's browser asks for.
  std::optional<Theme> theme = Theme::Light;
  const Overlay* overlay = nullptr;  // OverlayKind::Sum
};
std::string toHtmlPage(const Module& module, const HtmlOptions& options);
std::string toHtmlPage(const PlainGraph& graph, Theme theme);

}  // namespace tessera
