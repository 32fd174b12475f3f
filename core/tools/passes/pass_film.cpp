// See pass_film.h. Places are those of core/arrange/placed, by which a person's own places are kept, too.
#include "core/tools/passes/pass_film.h"

#include <algorithm>

#include "core/arrange/free_place.h"
#include "core/arrange/placed.h"
#include "core/picture/page.h"

namespace tessera {
namespace {

constexpr size_t kAllShown = 600;  // instructions; beyond, scopes are boxes
constexpr int32_t kGoneColor = 1;

PointF cornerOf(const RectF& box) { return {box.x, box.y}; }

bool standsForOne(const ViewNode& node) {
  return node.kind == ViewNode::Kind::Instruction || (node.kind == ViewNode::Kind::CollapsedGroup && node.caller);
}

void placeAt(Places& places, const Module& module, const ViewNode& node, const RectF& box) {
  if (node.kind == ViewNode::Kind::Instruction)
    places.instructions[std::string(module.at(node.instruction).name)] = cornerOf(box);
  else
    places.groups[node.group] = cornerOf(box);
}

std::string goneText(const Module& module, const PassChange& change) {
  return std::string(nameOf(change.mark)) + ": " + module.at(change.before).reference();
}

}  // namespace

void PassFilm::forgetPlaces() { placed_.assign(trail_.moments().size(), std::nullopt); }

void PassFilm::showComputation(const std::string& name) {
  computation_ = name;
  options_.reset();
  forgetPlaces();
}

void PassFilm::toggleGroup(const std::string& path) {
  if (!options_) return;
  if (!options_->openGroups.erase(path)) options_->openGroups.insert(path);
  forgetPlaces();
}

ComputationId PassFilm::shownIn(const Module& module) const {
  return computation_.empty() ? module.entry() : module.findComputation(computation_).value_or(module.entry());
}

const ViewOptions& PassFilm::options(const Module& first) {
  if (options_) return *options_;
  const ComputationId shown = shownIn(first);
  options_.emplace();
  if (first.at(shown).instructions.size() > kAllShown)
    options_ = initialView(first, shown);
  else
    options_->grouping = Grouping::None;
  return *options_;
}

// Whether a pass left everything as it was, in the same order: most do, and arranging a page takes a third of a second.
bool PassFilm::stays(const Placed& before, const PassFrame& frame) const {
  const auto& nodes = frame.view->nodes;
  if (!frame.changes->changes.empty() || before.arrangement->boxes.size() != nodes.size() ||
      before.arrangement->routes.size() != frame.view->edges.size())
    return false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!standsForOne(nodes[i])) continue;
    const InstructionId was = frame.changes->before(nodes[i].instruction);
    const auto stood = was.valid() ? before.boxes.find(was.value) : before.boxes.end();
    if (stood == before.boxes.end()) return false;
    const PointF now = cornerOf(before.arrangement->boxes[i]), then = cornerOf(stood->second);
    if (now.x != then.x || now.y != then.y) return false;
  }
  return true;
}

// Of the moment before, by what stands for what; and outlines of what went.
Status PassFilm::place(size_t moment, PassFrame& frame) {
  const Module& module = *frame.module;
  const auto from = trail_.momentBefore(moment);
  Places places;
  Gone gone;
  std::unordered_map<uint32_t, RectF> fusions;  // by id: where the last of its members stood
  if (from && placed_[*from]) {
    const Placed& old = *placed_[*from];
    if (stays(old, frame)) {
      note(moment, frame, old.arrangement, {});
      return {};
    }
    places.groups = old.groups;
    std::unordered_map<uint32_t, uint32_t> fusionOf;
    for (InstructionId id : module.at(frame.computation).instructions)
      if (module.at(id).opcode == Opcode::Fusion)
        for (ComputationId called : module.callees(module.at(id))) fusionOf[called.value] = id.value;
    for (const PassChange& change : frame.changes->changes) {
      const auto stood = change.before.valid() ? old.boxes.find(change.before.value) : old.boxes.end();
      if (stood == old.boxes.end() || (change.mark != PassMark::Removed && change.mark != PassMark::Fused)) continue;
      gone.emplace_back(goneText(*frame.before, change), stood->second);
      if (change.mark != PassMark::Fused) continue;
      const auto fusion = fusionOf.find(module.at(change.after).computation.value);
      if (fusion != fusionOf.end()) fusions[fusion->second] = stood->second;
    }
    for (const ViewNode& node : frame.view->nodes) {
      if (!standsForOne(node)) continue;
      const InstructionId before = frame.changes->before(node.instruction);
      auto stood = before.valid() ? old.boxes.find(before.value) : old.boxes.end();
      if (stood == old.boxes.end()) {
        stood = fusions.find(node.instruction.value);
        if (stood == fusions.end()) continue;
      }
      placeAt(places, module, node, stood->second);
    }
  }
  Arrangement arrangement = arrangePage(module, *frame.view, places);
  bool moved = false;
  for (size_t i = 0; i < frame.view->nodes.size(); ++i) {  // a fusion is wider than what it is made of
    const ViewNode& node = frame.view->nodes[i];
    const auto self = static_cast<int32_t>(i);
    RectF& box = arrangement.boxes[i];
    if (!standsForOne(node) || !fusions.contains(node.instruction.value)) continue;
    if (!isTaken(*frame.view, arrangement, box, node.parent, self)) continue;
    box = freePlaceOn(*frame.view, arrangement, box, node.parent, self);
    placeAt(places, module, node, box);
    moved = true;
  }
  if (moved) arrangement = arrangePage(module, *frame.view, places);
  note(moment, frame, std::make_shared<const Arrangement>(std::move(arrangement)), std::move(gone));
  return {};
}

void PassFilm::note(size_t moment, PassFrame& frame, std::shared_ptr<const Arrangement> arrangement, Gone gone) {
  Placed out;
  for (size_t i = 0; i < frame.view->nodes.size(); ++i) {
    const ViewNode& node = frame.view->nodes[i];
    if (standsForOne(node)) out.boxes[node.instruction.value] = arrangement->boxes[i];
    if (!node.group.empty() && !standsForOne(node)) out.groups[node.group] = cornerOf(arrangement->boxes[i]);
  }
  out.gone = std::move(gone);
  out.arrangement = frame.arrangement = std::move(arrangement);
  placed_[moment] = std::move(out);
}

Result<PassFrame> PassFilm::frameAt(size_t moment) {
  PassFrame out;
  for (size_t at = 0; at <= moment; ++at) {
    if (placed_[at] && at < moment) continue;
    auto module = trail_.moduleAt(at);
    if (!module && at < moment) continue;
    if (!module) return std::unexpected(module.error());
    TESSERA_ASSIGN_OR_RETURN(const auto changes, trail_.changesTo(at));
    out.moment = at;
    out.module = *std::move(module);
    out.changes = changes;
    out.computation = shownIn(*out.module);
    const auto from = trail_.momentBefore(at);
    out.before = from ? *trail_.moduleAt(*from) : nullptr;
    out.view = std::make_shared<const GraphView>(makeView(*out.module, out.computation, options(*out.module)));
    TESSERA_TRY(place(at, out));
  }
  TESSERA_ASSIGN_OR_RETURN(out.cost, trail_.costAt(moment));
  ProjectPage page;
  for (const auto& [text, box] : placed_[moment]->gone)
    page.frames.push_back({box.x, box.y, box.width, box.height, text, kGoneColor});
  out.picture =
      std::make_shared<const Picture>(withPage(draw(*out.module, *out.view, *out.arrangement, nullptr), page));
  return out;
}

}  // namespace tessera
