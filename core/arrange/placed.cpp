// See placed.h. Places are in the axes of the flow (core/arrange/flow.h) while boxes are moved. Groups first, outer
// ones before inner ones, so that an instruction's own place has the last word; then what has no place, what groups
// push away that were opened since, what is attached, the frames of open groups, wires.
#include "core/arrange/placed.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/arrange/box_style.h"
#include "core/arrange/detours.h"
#include "core/arrange/flow.h"
#include "core/arrange/free_place.h"
#include "core/arrange/sockets.h"
#include "core/arrange/text_metrics.h"

namespace tessera {
namespace {

// New boxes of a level that are settled one by one; more, and many beside few that were placed, stay as arranged.
constexpr size_t kMaxNew = 500, kFewNew = 40;
constexpr float kOutOfLine = 2;  // along the flow costs more: what reads the same stands in line

RectF united(const std::optional<RectF>& a, const RectF& b) {
  if (!a) return b;
  const float left = std::min(a->x, b.x), top = std::min(a->y, b.y);
  return {left, top, std::max(a->x + a->width, b.x + b.width) - left, std::max(a->y + a->height, b.y + b.height) - top};
}

std::optional<PointF> placeOf(const Module& module, const Places& places, const GraphView& view, int32_t box) {
  const ViewNode& node = view.nodes[at(box)];
  const bool isGroup = node.kind != ViewNode::Kind::Instruction;
  if (!isGroup && !module.contains(node.instruction)) return std::nullopt;
  const std::string path = isGroup ? node.group : withinGroup(module, view, box);
  if (!path.empty())
    if (const auto found = places.groups.find(path); found != places.groups.end()) return found->second;
  const auto found =
      isGroup ? places.instructions.end() : places.instructions.find(std::string(module.at(node.instruction).name));
  return found == places.instructions.end() ? std::nullopt : std::optional(found->second);
}

class Placer {
 public:
  Placer(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement)
      : view_(view),
        arrangement_(arrangement),
        moved_(view.nodes.size()),
        members_(view.nodes.size() + 1),
        wanted_(view.nodes.size()) {
    for (size_t v = 0; v < view.nodes.size(); ++v) {
      if (view.nodes[v].kind == ViewNode::Kind::Attached) continue;
      members_[at(view.nodes[v].parent + 1)].push_back(static_cast<int32_t>(v));
      if (const auto place = placeOf(module, places, view, static_cast<int32_t>(v)))
        wanted_[v] = along(view.flow, *place);
    }
  }

  void run() {
    if (view_.flow == Flow::Right) transpose(arrangement_);
    moveAll();
    if (view_.flow == Flow::Right) transpose(arrangement_);
  }

 private:
  void moveAll() {
    for (const bool groups : {true, false})
      for (size_t v = 0; v < moved_.size(); ++v)
        if ((view_.nodes[v].kind != ViewNode::Kind::Instruction) == groups) place(static_cast<int32_t>(v));
    for (const auto& level : members_) settleNew(level);
    for (int32_t v = static_cast<int32_t>(moved_.size()); v-- > 0;) makeRoom(v);
    moveAttached();
    for (size_t v = 0; v < moved_.size(); ++v) arrangement_.boxes[v] = exactly(static_cast<int32_t>(v));
    frameGroups();
    moveWires();
    setBounds();
  }

  const ViewNode& node(int32_t v) const { return view_.nodes[at(v)]; }
  RectF movedBox(int32_t v) const {
    RectF box = arrangement_.boxes[at(v)];
    box.x += moved_[at(v)].x;
    box.y += moved_[at(v)].y;
    return box;
  }
  // Sums of steps are rounded; a box that is noted with every edit must not creep.
  RectF exactly(int32_t v) const {
    constexpr float kRounding = 0.05f;
    RectF box = movedBox(v);
    const auto& to = wanted_[at(v)];
    if (to && std::abs(box.x - to->x) < kRounding && std::abs(box.y - to->y) < kRounding) box.x = to->x, box.y = to->y;
    return box;
  }
  void place(int32_t v) {
    if (wanted_[at(v)]) moveTo(v, *wanted_[at(v)]);
  }
  void moveTo(int32_t v, PointF corner) {
    const RectF box = movedBox(v);
    shiftAll(v, {corner.x - box.x, corner.y - box.y});
  }
  // A box with all that is in it: boxes of a group follow it.
  void shiftAll(int32_t v, PointF step) {
    moved_[at(v)].x += step.x;
    moved_[at(v)].y += step.y;
    if (node(v).kind == ViewNode::Kind::OpenGroup)
      for (int32_t inner : members_[at(v + 1)]) shiftAll(inner, step);
  }

  // --- new boxes of a level that is mostly placed
  void settleNew(const std::vector<int32_t>& level) {
    std::vector<int32_t> fresh;
    std::vector<RectF> taken;
    std::vector<bool> settled(level.empty() ? 0 : moved_.size());
    for (int32_t v : level) {
      settled[at(v)] = wanted_[at(v)].has_value();
      if (settled[at(v)])
        taken.push_back(withColumn(v));
      else
        fresh.push_back(v);
    }
    if (fresh.empty() || taken.empty() ||
        fresh.size() > (taken.size() < kMaxNew ? std::max(taken.size(), kFewNew) : kMaxNew))
      return;
    NewBoxes now{std::move(taken), std::move(settled)};
    for (int32_t reader : placedReaders(fresh)) {
      std::vector<int32_t> inputs;
      bringInputs(reader, now, inputs);
      if (!inputs.empty()) findRoom(inputs, now);
    }
    while (!fresh.empty()) {
      const size_t before = fresh.size();
      std::erase_if(fresh, [&](int32_t v) { return settleBeside(v, true, now); });
      std::ranges::reverse(fresh);
      std::erase_if(fresh, [&](int32_t v) { return settleBeside(v, false, now); });
      std::ranges::reverse(fresh);
      if (fresh.size() < before) continue;
      if (!now.settled[at(fresh.front())]) settle(fresh.front(), besideAll(now.taken), now);
      fresh.erase(fresh.begin());
    }
  }
  // While they are settled: where boxes stand, and which do.
  struct NewBoxes {
    std::vector<RectF> taken;
    std::vector<bool> settled;
  };
  bool settleBeside(int32_t v, bool byOperands, NewBoxes& now) {
    if (now.settled[at(v)]) return true;
    const auto wish = besideSettled(v, now.settled, byOperands);
    if (wish) settle(v, *wish, now);
    return wish.has_value();
  }
  void settle(int32_t v, PointF wish, NewBoxes& now) {
    std::vector<int32_t> together{v};
    moveTo(v, wish);
    now.settled[at(v)] = true;
    bringInputs(v, now, together);
    findRoom(together, now);
  }
  // To where they would stand if there were nothing but these.
  void bringInputs(int32_t v, NewBoxes& now, std::vector<int32_t>& together) {
    for (int32_t input : ownInputs(v, now.settled)) {
      moveTo(input, *besideSettled(input, now.settled, false));
      const RectF box = withColumn(input);
      shiftAll(input, freeStep({&box, 1}, columnsOf(together), kOutOfLine));
      now.settled[at(input)] = true;
      together.push_back(input);
    }
  }
  // They stay where they are to each other.
  void findRoom(const std::vector<int32_t>& together, NewBoxes& now) {
    const PointF step = freeStep(columnsOf(together), now.taken, kOutOfLine);
    for (int32_t each : together) {
      shiftAll(each, step);
      now.taken.push_back(withColumn(each));
    }
  }
  std::vector<RectF> columnsOf(const std::vector<int32_t>& boxes) const {
    std::vector<RectF> out;
    for (int32_t each : boxes) out.push_back(withColumn(each));
    return out;
  }
  // On the same level.
  std::vector<int32_t> placedReaders(const std::vector<int32_t>& fresh) const {
    std::vector<int32_t> out;
    for (const ViewEdge& wire : view_.edges)
      if (wanted_[at(wire.to)] && node(wire.to).parent == node(wire.from).parent &&
          std::ranges::binary_search(fresh, wire.from) && std::ranges::find(out, wire.to) == out.end())
        out.push_back(wire.to);
    return out;
  }
  // What has no place yet, reads nothing and is read by the box alone, on its level.
  std::vector<int32_t> ownInputs(int32_t v, const std::vector<bool>& settled) const {
    std::vector<int32_t> out;
    for (const ViewEdge& wire : view_.edges)
      if (wire.to == v && !settled[at(wire.from)] && node(wire.from).kind == ViewNode::Kind::Instruction &&
          node(wire.from).parent == node(v).parent && std::ranges::find(out, wire.from) == out.end())
        out.push_back(wire.from);
    for (const ViewEdge& wire : view_.edges)
      std::erase_if(out, [&](int32_t input) {
        return (wire.to == input && node(wire.from).kind != ViewNode::Kind::Attached) ||
               (wire.from == input && wire.to != v);
      });
    return out;
  }
  // Below what it reads, or above what reads it: the corner of its box. Nothing: none of that has a place.
  std::optional<PointF> besideSettled(int32_t v, const std::vector<bool>& settled, bool byOperands) const {
    float sum = 0, edge = 0;
    int count = 0;
    for (const ViewEdge& wire : view_.edges) {
      if ((byOperands ? wire.to : wire.from) != v) continue;
      const int32_t other = byOperands ? wire.from : wire.to;
      if (!settled[at(other)]) continue;
      const RectF box = movedBox(other);
      const float side = byOperands ? box.y + box.height : box.y;
      edge = count == 0 ? side : byOperands ? std::max(edge, side) : std::min(edge, side);
      sum += box.x + lineIn(other);
      ++count;
    }
    if (count == 0) return std::nullopt;
    RectF wish = movedBox(v);
    const float gap = view_.flow == Flow::Right ? box::kAlongGap : box::kRowGap;
    wish.x = sum / static_cast<float>(count) - lineIn(v);
    wish.y = byOperands ? edge + gap : edge - gap - wish.height;
    if (!byOperands) wish.x = amongSiblings(v, settled, wish);
    return PointF{wish.x, wish.y};
  }
  // Where a parent stands across the flow: between those of the operands before and after it that are at its height.
  float amongSiblings(int32_t v, const std::vector<bool>& settled, const RectF& wish) const {
    float x = wish.x;
    for (const ViewEdge& own : view_.edges) {
      if (own.from != v || !settled[at(own.to)]) continue;
      for (const ViewEdge& other : view_.edges) {
        if (other.to != own.to || other.from == v || !settled[at(other.from)]) continue;
        const RectF box = movedBox(other.from);
        if (box.y >= wish.y + wish.height || wish.y >= box.y + box.height) continue;
        const float room = box::kColumnGap + roomBetween(own, other, settled);
        if (other.operand < own.operand)
          x = std::max(x, box.x + box.width + room);
        else
          x = std::min(x, box.x - room - wish.width);
      }
    }
    return x;
  }
  // For the operands between two of a box, as far as they have no place yet.
  float roomBetween(const ViewEdge& a, const ViewEdge& b, const std::vector<bool>& settled) const {
    float room = 0;
    for (const ViewEdge& each : view_.edges) {
      const bool between =
          std::min(a.operand, b.operand) < each.operand && each.operand < std::max(a.operand, b.operand);
      if (each.to == a.to && between && !settled[at(each.from)] && node(each.from).kind != ViewNode::Kind::Attached)
        room += movedBox(each.from).width + box::kColumnGap;
    }
    return room;
  }
  // Where a box's result leaves it, from its corner across the flow.
  float lineIn(int32_t v) const {
    const RectF box = along(view_.flow, arrangement_.boxes[at(v)]);
    const PointF out = outputSocket(node(v), box, view_.flow);
    return along(view_.flow, PointF{out.x - box.x, out.y - box.y}).x;
  }
  static PointF besideAll(const std::vector<RectF>& taken) {
    std::optional<RectF> all;
    for (const RectF& box : taken) all = united(all, box);
    return {all->x + all->width + box::kColumnGap, all->y};
  }
  // With the constants beside it.
  RectF withColumn(int32_t v) const {
    RectF out = movedBox(v);
    const PointF step = moved_[at(v)];
    for (const ViewEdge& wire : view_.edges) {
      if (wire.to != v || node(wire.from).kind != ViewNode::Kind::Attached || node(wire.from).owner >= 0) continue;
      RectF hub = arrangement_.boxes[at(wire.from)];
      hub.x += step.x, hub.y += step.y;
      out = united(out, hub);
    }
    return out;
  }

  // --- groups that were opened since their page was placed
  bool isPlacedInside(int32_t group) const {
    return std::ranges::any_of(members_[at(group + 1)], [&](int32_t v) { return wanted_[at(v)].has_value(); });
  }
  void makeRoom(int32_t v) {
    if (node(v).kind != ViewNode::Kind::OpenGroup || !wanted_[at(v)] || isPlacedInside(v)) return;
    const RectF frame = movedBox(v);
    const bool right = view_.flow == Flow::Right;
    const RectF closed{frame.x, frame.y, std::min(frame.width, right ? box::kCollapsedHeight : box::kNarrowest),
                       std::min(frame.height, right ? box::kNarrowest : box::kCollapsedHeight)};
    push(v, closed, {frame.width - closed.width, frame.height - closed.height});
  }
  // What stands right of and below `before` gives way; so do the neighbours of the group that grows with it.
  void push(int32_t v, const RectF& before, PointF grown) {
    const int32_t parent = node(v).parent;
    const auto around = [&] {
      std::optional<RectF> out;
      for (int32_t each : members_[at(parent + 1)]) out = united(out, movedBox(each));
      return *out;
    };
    const RectF inside = around();
    for (int32_t each : members_[at(parent + 1)]) {
      const RectF box = movedBox(each);
      if (each == v || !wanted_[at(each)]) continue;
      if (box.y >= before.y + before.height)
        shiftAll(each, {0, grown.y});
      else if (box.x >= before.x + before.width && box.y + box.height > before.y)
        shiftAll(each, {grown.x, 0});
    }
    const RectF now = around();
    const PointF more{std::max(0.f, now.width - inside.width), std::max(0.f, now.height - inside.height)};
    if (parent >= 0 && wanted_[at(parent)] && isPlacedInside(parent)) push(parent, padded(inside), more);
  }

  // --- frames of open groups
  RectF padded(const RectF& content) const {
    const float top = box::kGroupPadding + box::kGroupHeader;
    const RectF in = along(view_.flow, content);
    return along(view_.flow, RectF{in.x - box::kGroupPadding, in.y - top, in.width + 2 * box::kGroupPadding,
                                   in.height + top + box::kGroupPadding});
  }
  // Inner ones first: parents precede their children.
  void frameGroups() {
    std::vector<std::optional<RectF>> content(view_.nodes.size());
    for (int32_t v = static_cast<int32_t>(view_.nodes.size()); v-- > 0;) {
      if (node(v).kind == ViewNode::Kind::OpenGroup && content[at(v)])
        arrangement_.boxes[at(v)] = frameOf(v, *content[at(v)]);
      if (node(v).parent >= 0)
        content[at(node(v).parent)] = united(content[at(node(v).parent)], arrangement_.boxes[at(v)]);
    }
  }
  RectF frameOf(int32_t group, const RectF& content) const {
    const RectF &arranged = arrangement_.boxes[at(group)], round = padded(content);
    if (!isPlacedInside(group)) return united(arranged, {round.x + 1, round.y + 1, round.width - 2, round.height - 2});
    const float title =
        textWidth(node(group).title, box::kGroupTitleSize, true) + box::kGroupMark + 2 * box::kTextPadding;
    RectF out = round;
    if (wanted_[at(group)]) out = united(out, {wanted_[at(group)]->x, wanted_[at(group)]->y, 0, 0});
    out = along(view_.flow, out);
    out.width = std::max(out.width, std::min(title, box::kWidest) + 2 * box::kGroupPadding);
    return along(view_.flow, out);
  }

  // Constants drawn beside a user go with it.
  void moveAttached() {
    for (const ViewEdge& edge : view_.edges)
      if (node(edge.from).kind == ViewNode::Kind::Attached) moved_[at(edge.from)] = moved_[at(edge.to)];
  }

  void moveWires() {
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      auto& route = arrangement_.routes[e];
      if (route.size() < 2) continue;
      const PointF from = moved_[at(view_.edges[e].from)], to = moved_[at(view_.edges[e].to)];
      const bool together = from.x == to.x && from.y == to.y;
      if (!together) route = {route.front(), route.back()};
      for (size_t i = 0; i < route.size(); ++i) {
        const PointF step = i == 0 ? from : to;
        route[i].x += step.x;
        route[i].y += step.y;
      }
    }
  }

  void setBounds() {
    constexpr float kMargin = 20;
    std::optional<RectF> all;
    for (const RectF& box : arrangement_.boxes) all = united(all, box);
    if (all)
      arrangement_.bounds = {all->x - kMargin, all->y - kMargin, all->width + 2 * kMargin, all->height + 2 * kMargin};
  }

  const GraphView& view_;
  Arrangement& arrangement_;
  std::vector<PointF> moved_;
  std::vector<std::vector<int32_t>> members_;  // by level: the page, then open groups
  std::vector<std::optional<PointF>> wanted_;
};

// Wires through the points that a person gave them; tells which.
std::vector<bool> leadAsWished(const Module& module, const GraphView& view, const Places& places,
                               Arrangement& arrangement) {
  std::vector<bool> led;
  if (places.reroutes.empty()) return led;
  led.resize(view.edges.size());
  for (size_t e = 0; e < view.edges.size(); ++e) {
    const ViewNode& user = view.nodes[at(view.edges[e].to)];
    auto& route = arrangement.routes[e];
    if (user.kind != ViewNode::Kind::Instruction || !module.contains(user.instruction) || route.size() < 2) continue;
    const auto found = places.reroutes.find({std::string(module.at(user.instruction).name), view.edges[e].operand});
    if (found == places.reroutes.end()) continue;
    std::vector<PointF> points{route.front()};
    points.insert(points.end(), found->second.begin(), found->second.end());
    points.push_back(route.back());
    route = std::move(points);
    led[e] = true;
  }
  return led;
}

void includeWires(Arrangement& arrangement) {
  std::optional<RectF> all = arrangement.bounds;
  for (const auto& route : arrangement.routes)
    for (PointF p : route)
      all = united(all, {p.x - box::kWireClearance, p.y - box::kWireClearance, 2 * box::kWireClearance,
                         2 * box::kWireClearance});
  arrangement.bounds = *all;
}

}  // namespace

std::string withinGroup(const Module& module, const GraphView& view, int32_t box) {
  const ViewNode& node = view.nodes[at(box)];
  if (node.parent < 0 || !module.contains(node.instruction)) return {};
  const Instruction& instruction = module.at(node.instruction);
  if (instruction.computation == view.computation) return {};
  return view.nodes[at(node.parent)].group + "//" + std::string(instruction.name);
}

void placeBoxes(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement) {
  if (!places.empty() && arrangement.boxes.size() == view.nodes.size()) Placer(module, view, places, arrangement).run();
}

Arrangement arrangePage(const Module& module, const GraphView& view, const Places& places, const std::stop_token& stop,
                        const DrawnPage& before) {
  std::vector<bool> placed(places.empty() ? 0 : view.nodes.size());
  for (size_t v = 0; v < placed.size(); ++v)
    placed[v] = view.nodes[v].kind != ViewNode::Kind::Attached &&
                placeOf(module, places, view, static_cast<int32_t>(v)).has_value();
  Arrangement out = arrange(view, stop, placed);
  if (out.boxes.size() != view.nodes.size()) return out;
  placeBoxes(module, view, places, out);
  endAtSockets(view, out);
  if (!places.empty()) keepWires(view, before, out);
  const std::vector<bool> led = leadAsWished(module, view, places, out);
  leadRoundBoxes(view, out, led, stop);
  if (stop.stop_requested()) return {};
  includeWires(out);
  return out;
}

}  // namespace tessera
