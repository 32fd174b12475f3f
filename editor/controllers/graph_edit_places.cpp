// Where new nodes come to: to the pointer, the drop or the middle of what is seen, beside what stands there; copies
// stand to each other as their originals do. What is placed by its wires has no place here: core/arrange finds one.
#include <QCursor>
#include <algorithm>

#include "core/arrange/box_style.h"
#include "core/arrange/flow.h"
#include "core/arrange/free_place.h"
#include "core/edit/shared_scope.h"
#include "core/ops/inference/unfinished.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr float kUsualWidth = 160;    // of a box that is not there yet
constexpr size_t kMaxMeasured = 300;  // boxes of a page that is arranged to know the size of a new one
constexpr double kCopyOffset = 24;    // of a copy from its original
constexpr double kAboveMiddle = 40;

PagePoint cornerOf(const RectF& box) { return {box.x, box.y}; }

// What stands on the page itself.
std::vector<RectF> takenOn(const Scene& scene) {
  std::vector<RectF> out;
  for (size_t v = 0; v < scene.view->nodes.size(); ++v)
    if (scene.view->nodes[v].parent < 0) out.push_back(scene.arrangement->boxes[v]);
  return out;
}

// Whether an addition reads nothing and nothing reads it.
bool standsAlone(const Edit& edit, uint32_t made) {
  uint32_t k = 0;
  for (const EditAction& action : edit.actions) {
    if (const auto* set = std::get_if<SetOperand>(&action); set && set->value == newInstruction(made)) return false;
    const auto* add = std::get_if<AddInstruction>(&action);
    if (!add) continue;
    if (std::ranges::find(add->operands, newInstruction(made)) != add->operands.end()) return false;
    if (k++ == made && std::ranges::any_of(add->operands, [](InstructionId id) { return id.valid(); })) return false;
  }
  return true;
}

bool readsWhatStands(const AddInstruction& add) {
  return std::ranges::any_of(add.operands, [](InstructionId id) { return id.valid() && id < newInstruction(0); });
}

// Whether an addition reads the graph only through others of the same edit.
bool readsThroughOthers(const Edit& edit, uint32_t made) {
  uint32_t k = 0;
  bool others = false, itself = false;
  for (const EditAction& action : edit.actions)
    if (const auto* add = std::get_if<AddInstruction>(&action))
      (k++ == made ? itself : others) |= readsWhatStands(*add);
  return others && !itself;
}

}  // namespace

std::optional<QPointF> GraphEditController::pointer() const {
  const QPoint at = canvas_.mapFromGlobal(QCursor::pos());
  return canvas_.isVisible() && canvas_.rect().contains(at) ? std::optional<QPointF>(at) : std::nullopt;
}

bool GraphEditController::isOverNode(QPointF at) const {
  const int32_t item = canvas_.itemAt(at);
  const int32_t node = item < 0 ? -1 : canvas_.picture()->items[static_cast<size_t>(item)].viewNode;
  return node >= 0 && canvas_.view()->nodes[static_cast<size_t>(node)].kind != ViewNode::Kind::OpenGroup;
}

void GraphEditController::aimAt(QPointF at) {
  Spot spot{canvas_.viewport().toScene(at)};
  const int32_t item = canvas_.itemAt(at);
  const int32_t edge = item < 0 ? -1 : canvas_.picture()->items[static_cast<size_t>(item)].viewEdge;
  if (edge >= 0) {
    const ViewEdge& wire = canvas_.view()->edges[static_cast<size_t>(edge)];
    const ViewNode& user = canvas_.view()->nodes[static_cast<size_t>(wire.to)];
    if (user.kind == ViewNode::Kind::Instruction || user.caller) spot.wire = {user.instruction, wire.operand};
  }
  spot_ = spot;
}

// What the wire to an input carries; invalid: nothing.
InstructionId GraphEditController::carriedTo(InputSpot wire) const {
  const Module& module = document_.module();
  const auto [user, operand] = wire;
  if (!module.contains(user) || operand < 0 || static_cast<size_t>(operand) >= module.at(user).operands.size())
    return {};
  const InstructionId value = module.at(user).operands[static_cast<size_t>(operand)];
  return module.contains(value) ? value : InstructionId();
}

// What an edit adds last goes into a wire. Nothing: it does not fit there.
std::optional<Edit> GraphEditController::putInto(Edit edit, InputSpot wire, uint32_t& meant) const {
  const auto [user, operand] = wire;
  const auto additions = std::ranges::count_if(
      edit.actions, [](const EditAction& action) { return std::holds_alternative<AddInstruction>(action); });
  if (additions == 0) return std::nullopt;
  meant = static_cast<uint32_t>(additions) - 1;
  if (standsAlone(edit, meant)) return std::nullopt;  // it takes no input
  standAmong(edit, {carriedTo(wire), user});
  edit.actions.push_back(SetOperand{user, operand, newInstruction(meant)});
  const auto done = apply(document_.module(), edit);
  if (!done) return std::nullopt;
  const bool wrong = std::ranges::any_of(done->diagnostics.items(), [&](const Diagnostic& d) {
    return d.label != kUnfinished && d.severity == Severity::Error &&
           (d.instruction == user || std::ranges::find(done->added, d.instruction) != done->added.end());
  });
  return wrong ? std::nullopt : std::optional(std::move(edit));
}

std::optional<Edit> GraphEditController::placingInto(const PaletteEntry& entry, InputSpot wire, uint32_t& meant) const {
  const InstructionId value = carriedTo(wire);
  if (!value.valid()) return std::nullopt;
  const Module& module = document_.module();
  return putInto(placing(module, module.at(wire.first).computation, entry, std::vector{value}), wire, meant);
}

// The box of an addition, as the page will draw it.
GraphEditController::NewBox GraphEditController::boxOf(const Edit& edit, uint32_t made) const {
  const Scene& scene = document_.view().scene();
  const NewBox usual{{0, 0, kUsualWidth, box::kNodeHeight + box::kPortRow + scene.view->valueStrip}, {}};
  if (scene.view->nodes.size() > kMaxMeasured) return usual;
  const auto done = apply(document_.module(), edit);
  if (!done || made >= done->added.size()) return usual;
  ViewOptions options = scene.options;
  if (scene.view->valueStrip > 0 && scene.view->computation == done->module.entry())
    options.sources.resize(options.sources.size() + done->added.size(), "normal");  // what new parameters will say
  GraphView view = makeView(done->module, scene.view->computation, options);
  view.flow = scene.view->flow;
  const int32_t box = view.boxOf(done->added[made]);
  if (box < 0) return usual;
  const ViewNode& node = view.nodes[static_cast<size_t>(box)];
  return {arrange(view).boxes[static_cast<size_t>(box)], node.caller ? node.group : std::string()};
}

// The place of what an edit adds. On an empty page that is the middle, unless the pointer says another one.
void GraphEditController::giveSpot(Edit& edit, uint32_t meant) {
  const Scene& scene = document_.view().scene();
  if (computation() != scene.view->computation) return;
  if (!spot_ && (scene.view->nodes.empty() || !standsAlone(edit, meant))) return;
  if (readsThroughOthers(edit, meant)) return;
  const Spot spot = spot_.value_or(Spot{canvas_.viewport().free().center() - QPointF(0, kAboveMiddle)});
  const Flow flow = scene.view->flow;
  const NewBox made = boxOf(edit, meant);
  const RectF size = along(flow, made.size);
  const PointF at = along(flow, PointF{static_cast<float>(spot.scene.x()), static_cast<float>(spot.scene.y())});
  const float line = flow == Flow::Right ? box::kResultLine : size.width / 2;  // at which wires begin and end
  RectF wish{at.x - line, at.y, size.width, size.height};
  if (spot.anchor == Anchor::End) wish.y -= wish.height;
  const RectF found = freePlaceOn(*scene.view, *scene.arrangement, along(flow, wish));
  if (made.group.empty())
    edit.places.insert(edit.places.begin(), {newInstruction(meant), cornerOf(found)});
  else
    edit.groups.push_back({scene.view->computation, made.group, cornerOf(found)});
}

// By name: where what is selected stands.
std::map<std::string, QPointF> GraphEditController::placesOfSelection() const {
  std::map<std::string, QPointF> out;
  const Scene& scene = document_.view().scene();
  for (InstructionId id : document_.selection()) {
    const int32_t box = scene.view->boxOf(id);
    if (box < 0 || scene.view->nodes[static_cast<size_t>(box)].kind != ViewNode::Kind::Instruction) continue;
    const RectF& frame = scene.arrangement->boxes[static_cast<size_t>(box)];
    out[std::string(document_.module().at(id).name)] = {frame.x, frame.y};
  }
  return out;
}

// Additions that are copies of what stood at these places, all together: at `at`, or beside the originals.
void GraphEditController::giveSpots(Edit& edit, const std::map<std::string, QPointF>& places,
                                    std::optional<QPointF> at) const {
  const Scene& scene = document_.view().scene();
  std::vector<std::pair<uint32_t, QPointF>> known;
  uint32_t additions = 0;
  for (const EditAction& action : edit.actions)
    if (const auto* add = std::get_if<AddInstruction>(&action)) {
      if (const auto found = places.find(add->name); found != places.end()) known.push_back({additions, found->second});
      ++additions;
    }
  if (additions == 0 || scene.view->nodes.empty() || computation() != scene.view->computation) return;
  if (known.empty()) {
    if (at) edit.places.push_back({newInstruction(0), {at->x(), at->y()}});
    return;
  }
  QPointF first = known.front().second;
  for (const auto& [made, from] : known) first = {std::min(first.x(), from.x()), std::min(first.y(), from.y())};
  const QPointF shift = at ? *at - first : QPointF(kCopyOffset, kCopyOffset);
  std::vector<RectF> copies;
  for (auto& [made, from] : known) {
    from += shift;
    copies.push_back({static_cast<float>(from.x()), static_cast<float>(from.y()), kUsualWidth,
                      box::kNodeHeight + scene.view->valueStrip});
  }
  const PointF step = freeStep(copies, takenOn(scene));
  for (const auto& [made, to] : known)
    edit.places.push_back({newInstruction(made), {to.x() + step.x, to.y() + step.y}});
}

}  // namespace tessera
