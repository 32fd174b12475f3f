// See noted_places.h.
#include "editor/document/noted_places.h"

#include "core/arrange/placed.h"

namespace tessera {
namespace {

// The path under which a box is noted; empty: it is an instruction of the page's own.
std::string pathOf(const Module& module, const GraphView& view, int32_t box) {
  const ViewNode& node = view.nodes[at(box)];
  return node.kind == ViewNode::Kind::Instruction ? withinGroup(module, view, box) : node.group;
}
bool isNoted(const Module& module, const ViewNode& node) {
  return node.kind != ViewNode::Kind::Attached &&
         (node.kind != ViewNode::Kind::Instruction || module.contains(node.instruction));
}
PageFlow flowOf(const GraphView& view) { return view.flow == Flow::Right ? PageFlow::Right : PageFlow::Down; }

}  // namespace

void notePlace(ProjectPage& page, const Module& module, const GraphView& view, int32_t box, PagePoint place) {
  if (!isNoted(module, view.nodes[at(box)])) return;
  if (std::string path = pathOf(module, view, box); !path.empty())
    page.groups[std::move(path)] = place;
  else
    page.instructions[std::string(module.at(view.nodes[at(box)].instruction).name)] = place;
}

void notePlace(Edit& edit, const Module& module, const GraphView& view, int32_t box, PagePoint place) {
  if (!isNoted(module, view.nodes[at(box)])) return;
  if (std::string path = pathOf(module, view, box); !path.empty())
    edit.groups.push_back({view.computation, std::move(path), place});
  else
    edit.places.push_back({view.nodes[at(box)].instruction, place});
}

void noteFlow(ProjectPage& page, const GraphView& view) { page.flow = flowOf(view); }
void noteFlow(Edit& edit, const GraphView& view) { edit.flow = {view.computation, flowOf(view)}; }

}  // namespace tessera
