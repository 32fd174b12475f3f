// What is done to boxes and wires; frames and notes are in arrange_page_items.cpp. Every step notes the places of all
// boxes of its page, so that no other box moves. Pages with very many boxes note only what was moved.
#include "editor/controllers/arrange_controller.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/arrange/free_place.h"
#include "core/edit/wiring/splicing.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/page_box.h"
#include "editor/document/document.h"
#include "editor/document/noted_places.h"
#include "editor/panels/popups/value_field.h"
#include "editor/panels/size_panel.h"

namespace tessera {
namespace {

constexpr size_t kMaxTidied = 4000;

PagePoint pointOf(const RectF& box, QPointF by = {}) { return {box.x + by.x(), box.y + by.y()}; }

// What is inside of a moved group and has a place goes along, also where the group is closed.
void moveInside(ProjectPage& page, const Module& module, const GraphView& view, int32_t group, QPointF by) {
  const auto shift = [&](PagePoint& point) { point.x += by.x(), point.y += by.y(); };
  const std::string inside = view.nodes[at(group)].group + '/';
  for (auto& [path, point] : page.groups)
    if (path.starts_with(inside)) shift(point);
  for (auto& [name, point] : page.instructions) {
    const auto id = module.findInstruction(name);
    int32_t box = id ? view.boxOf(*id) : -1;
    while (box >= 0 && box != group) box = view.nodes[at(box)].parent;
    if (box == group) shift(point);
  }
}

}  // namespace

ArrangeController::ArrangeController(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent),
      document_(document),
      canvas_(canvas),
      field_(new ValueField(&canvas)),
      sizes_(new SizePanel(document, &canvas)) {
  connect(sizes_, &SizePanel::previewed, &canvas_,
          [this](const std::vector<InstructionId>& touched) { canvas_.setSelection(touched); });
  connect(sizes_, &SizePanel::closed, &canvas_, [this] {
    canvas_.setFocus();
    canvas_.setSelection(document_.selection());
  });
  connect(&document_, &Document::opened, this, [this] {
    field_->hide();
    canvas_.setMovable(!document_.isPlainGraph());
  });
  connect(&document_.view(), &SceneView::changed, this, &ArrangeController::showDocument);
  connect(&canvas_, &Canvas::boxesMoved, this, &ArrangeController::move);
  connect(&canvas_, &Canvas::wiresCut, this, &ArrangeController::cut);
  connect(&canvas_, &Canvas::wireActivated, this, &ArrangeController::addReroute);
  connect(&canvas_, &Canvas::rerouteMoved, this, [this](const ReroutePoint& point) { setReroute(point, false); });
  connect(&canvas_, &Canvas::rerouteActivated, this, [this](const ReroutePoint& point) { setReroute(point, true); });
  connect(&canvas_, &Canvas::pageItemResized, this, &ArrangeController::resizePageItem);
  connect(&canvas_, &Canvas::pageItemActivated, this, &ArrangeController::editPageItem);
}

// The points of rerouted wires, as handles.
void ArrangeController::showDocument() {
  std::vector<ReroutePoint> points;
  const ProjectPage* page = document_.page();
  const auto& view = document_.view().scene().view;
  for (size_t e = 0; page && !page->reroutes.empty() && e < view->edges.size(); ++e) {
    const auto [user, operand] = inputOf(static_cast<int32_t>(e));
    if (!user.valid()) continue;
    const auto found = page->reroutes.find({std::string(document_.module().at(user).name), operand});
    if (found == page->reroutes.end()) continue;
    for (size_t i = 0; i < found->second.size(); ++i)
      points.push_back({static_cast<int32_t>(e), static_cast<int32_t>(i), {found->second[i].x, found->second[i].y}});
  }
  canvas_.setReroutes(std::move(points));
}

// The input that an edge of the view ends at; invalid where a group hides it.
std::pair<InstructionId, int32_t> ArrangeController::inputOf(int32_t edge) const {
  const GraphView& view = *document_.view().scene().view;
  if (edge < 0 || at(edge) >= view.edges.size()) return {};
  const ViewEdge& wire = view.edges[at(edge)];
  const ViewNode& user = view.nodes[at(wire.to)];
  const bool plain = user.kind == ViewNode::Kind::Instruction || user.caller;
  if (!plain || !document_.module().contains(user.instruction)) return {InstructionId(), -1};
  InstructionId first = user.instruction;  // of the members of a pill
  while (user.chip && view.boxOf(document_.module().at(first).operands[0]) == wire.to)
    first = document_.module().at(first).operands[0];
  return {first, wire.operand};
}

bool ArrangeController::inserts(InstructionId node, int32_t edge) const {
  const auto wire = inputOf(edge);
  return wire.first.valid() && document_.usersOf(node).empty() && inserting(document_.module(), node, wire).has_value();
}

// --- moving

void ArrangeController::move(const MovedBoxes& moved) {
  if (std::abs(moved.by.x()) + std::abs(moved.by.y()) < 1 && !moved.pulled) return canvas_.endMove();
  const Scene& scene = document_.view().scene();
  const InstructionId node =
      moved.nodes.size() == 1 ? scene.view->nodes[at(moved.nodes[0])].instruction : InstructionId();
  if (moved.pulled && node.valid()) return performOrExplain(pullingOut(document_.module(), node), &moved);
  if (moved.wire >= 0 && node.valid())
    return performOrExplain(inserting(document_.module(), node, inputOf(moved.wire)), &moved);
  document_.arrange(tr("Move"), [moved, view = scene.view, boxes = scene.arrangement, module = document_.module(),
                                 scene](ProjectPage& page) {
    noteAll(page, module, *scene.view, *scene.arrangement);
    for (int32_t v : moved.nodes) {
      const ViewNode& node = view->nodes[at(v)];
      if (node.kind != ViewNode::Kind::Instruction) moveInside(page, module, *view, v, moved.by);
      notePlace(page, module, *view, v, pointOf(boxes->boxes[at(v)], moved.by));
    }
    for (int item : moved.pageItems)
      if (PageBox* box = pageBox(page, item)) box->x += moved.by.x(), box->y += moved.by.y();
  });
}

// Where a box is put down; in a wire it makes room for itself where it would stand over another.
PagePoint ArrangeController::dropOf(const MovedBoxes& moved, int32_t v) const {
  const Scene& scene = document_.view().scene();
  RectF box = scene.arrangement->boxes[at(v)];
  const PagePoint dropped = pointOf(box, moved.by);
  const int32_t parent = scene.view->nodes[at(v)].parent;
  box.x = static_cast<float>(dropped.x), box.y = static_cast<float>(dropped.y);
  if (moved.wire < 0 || !isTaken(*scene.view, *scene.arrangement, box, parent, v)) return dropped;
  const RectF found = freePlaceOn(*scene.view, *scene.arrangement, box, parent, v);
  return {found.x, found.y};
}

// An edit of wires with the place of the drop.
void ArrangeController::performOrExplain(Result<Edit> edit, const MovedBoxes* moved) {
  if (!edit) {
    canvas_.endMove();
    return emit explained(QString::fromStdString(edit.error().message));
  }
  const Scene& scene = document_.view().scene();
  for (int32_t v : moved ? moved->nodes : std::vector<int32_t>())
    notePlace(*edit, document_.module(), *scene.view, v, dropOf(*moved, v));
  document_.perform(std::move(*edit), document_.selected());
}

std::vector<int32_t> ArrangeController::selectedNodes() const {
  std::vector<int32_t> out;
  if (!document_.isOpen() || document_.isPlainGraph()) return out;
  for (const int32_t node : document_.view().selectedBoxes())
    if (document_.view().scene().view->nodes[at(node)].kind != ViewNode::Kind::Attached &&
        std::ranges::find(out, node) == out.end())
      out.push_back(node);
  return out;
}

void ArrangeController::align(Alignment alignment) {
  const auto nodes = selectedNodes();
  const size_t least = alignment == Alignment::SpreadAcross || alignment == Alignment::SpreadDown ? 3 : 2;
  if (nodes.size() < least) return emit hinted(tr("Select %1 boxes or more first.").arg(least));
  const Scene scene = document_.view().scene();
  std::vector<RectF> boxes;
  for (int32_t v : nodes) boxes.push_back(scene.arrangement->boxes[at(v)]);
  document_.arrange(tr("Align"),
                    [nodes, scene, module = document_.module(), to = aligned(boxes, alignment)](ProjectPage& page) {
                      noteAll(page, module, *scene.view, *scene.arrangement);
                      for (size_t i = 0; i < nodes.size(); ++i)
                        notePlace(page, module, *scene.view, nodes[i], pointOf(to[i]));
                    });
}

// All: places are forgotten. A selection: as it would be arranged, round the place where it is.
void ArrangeController::tidy() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const auto nodes = selectedNodes();
  if (nodes.size() < 2) {
    document_.view().useRoom();
    return document_.arrange(tr("Tidy"), [](ProjectPage& page) { page.forgetPlaces(); });
  }
  const Scene scene = document_.view().scene();
  if (scene.view->nodes.size() > kMaxTidied)
    return emit explained(tr("The page is too large to tidy a part of it; with nothing selected all is tidied."));
  const Arrangement fresh = arrange(*scene.view);
  QPointF shift;
  for (int32_t v : nodes) {
    const RectF &is = scene.arrangement->boxes[at(v)], &would = fresh.boxes[at(v)];
    shift += QPointF(is.x - would.x, is.y - would.y) / static_cast<double>(nodes.size());
  }
  document_.arrange(tr("Tidy the selection"),
                    [nodes, scene, fresh, shift, module = document_.module()](ProjectPage& page) {
                      noteAll(page, module, *scene.view, *scene.arrangement);
                      for (int32_t v : nodes)
                        notePlace(page, module, *scene.view, v, pointOf(fresh.boxes[at(v)], shift));
                    });
}

// --- wires

void ArrangeController::cut(const std::vector<int>& edges) {
  std::vector<InputSpot> inputs;
  for (int edge : edges)
    if (const auto input = inputOf(edge); input.first.valid()) inputs.push_back(input);
  Edit edit = cutting(document_.module(), inputs);
  if (!edit.actions.empty()) document_.perform(std::move(edit), document_.selected());
}

// Between the two points where it makes the wire longest the least.
void ArrangeController::addReroute(int edge, QPointF scene) {
  const auto [user, operand] = inputOf(edge);
  if (!user.valid()) return;
  const auto& route = document_.view().scene().arrangement->routes[at(edge)];
  const PageSpot spot{std::string(document_.module().at(user).name), operand};
  document_.arrange(tr("Reroute a wire"), [spot, scene, route](ProjectPage& page) {
    auto& points = page.reroutes[spot];
    std::vector<QPointF> all{{route.front().x, route.front().y}};
    for (const PagePoint& p : points) all.emplace_back(p.x, p.y);
    all.emplace_back(route.back().x, route.back().y);
    const auto length = [](QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); };
    size_t best = 0;
    double least = 1e30;
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      const double more = length(all[i], scene) + length(scene, all[i + 1]) - length(all[i], all[i + 1]);
      if (more < least) least = more, best = i;
    }
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(best), PagePoint{scene.x(), scene.y()});
  });
}

void ArrangeController::setReroute(const ReroutePoint& point, bool remove) {
  const auto [user, operand] = inputOf(point.edge);
  if (!user.valid()) return canvas_.endMove();
  const PageSpot spot{std::string(document_.module().at(user).name), operand};
  document_.arrange(tr("Reroute a wire"), [spot, point, remove](ProjectPage& page) {
    const auto found = page.reroutes.find(spot);
    if (found == page.reroutes.end() || point.index < 0 || at(point.index) >= found->second.size()) return;
    if (!remove)
      found->second[at(point.index)] = {point.at.x(), point.at.y()};
    else
      found->second.erase(found->second.begin() + point.index);
    if (found->second.empty()) page.reroutes.erase(found);
  });
}

void ArrangeController::swapInputs() {
  const InstructionId id = document_.selected();
  if (!id.valid() || document_.isPlainGraph()) return emit hinted(tr("Select the node whose inputs to swap first."));
  const auto [first, second] = swappableInputs(document_.module(), id);
  performOrExplain(swapping(document_.module(), id, first, second), nullptr);
}

void ArrangeController::pullOut() {
  const InstructionId id = document_.selected();
  if (!id.valid() || document_.isPlainGraph()) return emit hinted(tr("Select the node to pull out first."));
  performOrExplain(pullingOut(document_.module(), id), nullptr);
}

// Nodes that pass nothing on cannot be passed by.
void ArrangeController::toggleMute() {
  if (!document_.isOpen() || document_.isPlainGraph() || document_.selection().empty())
    return emit hinted(tr("Select what to mute first."));
  const auto muted = document_.muted();
  std::vector<std::string> names;
  bool all = true;
  for (InstructionId id : document_.selection()) {
    const std::string name(document_.module().at(id).name);
    if (document_.module().at(id).computation != document_.view().scene().computation)
      return emit hinted(tr("Enter the computation of %1 to mute it.").arg(QString::fromStdString(name)));
    if (!passedOn(document_.module(), id).valid())
      return emit explained(
          tr("No operand of %1 has its shape, so it cannot be bypassed.").arg(QString::fromStdString(name)));
    all = all && std::ranges::find(muted, id) != muted.end();
    names.push_back(name);
  }
  document_.arrange(all ? tr("Unmute") : tr("Mute"), [names, all](ProjectPage& page) {
    for (const std::string& name : names) {
      if (all)
        page.muted.erase(name);
      else
        page.muted.insert(name);
    }
  });
}

// --- the selection

void ArrangeController::selectAlong(bool upstream) {
  if (!document_.isOpen() || document_.selection().empty()) return;
  std::vector<InstructionId> found = document_.selection();
  std::unordered_set<uint32_t> seen;
  for (InstructionId id : found) seen.insert(id.value);
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& operands = document_.module().at(found[i]).operands;
    const std::vector<InstructionId> next =
        upstream ? std::vector<InstructionId>(operands.begin(), operands.end()) : document_.usersOf(found[i]);
    for (InstructionId id : next)
      if (id.valid() && seen.insert(id.value).second) found.push_back(id);
  }
  document_.select(std::move(found));
}

void ArrangeController::changeSize() {
  if (!document_.selected().valid() || !sizes_->openFor(document_.selected()))
    emit hinted(tr("Select an instruction with a dimension first."));
}

}  // namespace tessera
