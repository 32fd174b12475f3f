// arrange: sizes of boxes from their texts, open groups inside out (core/arrange/level.h), then absolute places from
// the page inwards, then wires. Places are in the axes of the flow (core/arrange/flow.h) until the end; sizes are those
// of the page. Stands between makeView and draw.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/arrange/arrangement.h"
#include "core/arrange/box_style.h"
#include "core/arrange/columns.h"
#include "core/arrange/flow.h"
#include "core/arrange/ribbon.h"
#include "core/arrange/routing.h"
#include "core/arrange/sockets.h"
#include "core/arrange/text_metrics.h"

namespace tessera {
namespace {

constexpr size_t kFewBoxes = 10000;                                // views up to this size are arranged thoroughly
constexpr size_t kMostWithFolds = 2000;                            // open groups of larger views keep their form
constexpr float kWorthFolding = 1.1f;                              // times as large as without
constexpr float kNarrowestWithValue = 160, kNarrowestInRow = 136;  // where wires run down, to the right
constexpr float kLargeAspect = 1.6f;                               // of a value that is shown large

struct Size {
  float width = 0, height = 0;
};

// Ports are at equal distances: each has the room of the longest name. In rows they are below each other.
float portsWidth(const ViewNode& node, Flow flow) {
  if (!hasPortNames(node)) return 0;
  const float size = flow == Flow::Right ? box::kAttachedSize : box::kPortText;
  float widest = 0;
  for (const ViewPort& port : node.inputs) widest = std::max(widest, textWidth(port.name, size) + box::kPortTextGap);
  if (flow == Flow::Right) return widest + box::kTextPadding;
  return widest * static_cast<float>(node.inputs.size()) + (node.appends ? box::kAppendRoom : 0);
}

Size sizeOf(const ViewNode& node, float valueStrip, Flow flow) {
  if (node.chip)
    return {std::ceil(std::clamp(textWidth(chipText(node), box::kAttachedSize) + 14, box::kAttachedNarrowest,
                                 box::kAttachedWidest)),
            box::kAttachedHeight};
  const bool group = node.kind == ViewNode::Kind::CollapsedGroup;
  if (node.kind == ViewNode::Kind::Attached) {
    const float text = textWidth(node.title, box::kAttachedSize) + 14;
    return {std::ceil(std::clamp(text, box::kAttachedNarrowest, box::kAttachedWidest)), box::kAttachedHeight};
  }
  float title = textWidth(node.title, box::kTitleSize, true) + (group ? box::kGroupMark : 0);
  if (node.repeats > 0) title += textWidth(" ×" + std::to_string(node.repeats), box::kTitleSize, true);
  const float source = node.source.empty() ? 0 : textWidth(node.source, box::kAttachedSize) + box::kSourceRoom;
  const float text =
      std::max({title + 2 * box::kTextPadding, textWidth(node.subtitle, box::kSubtitleSize) + 2 * box::kTextPadding,
                portsWidth(node, flow), source});
  const float large = node.strip > 0 ? node.strip * kLargeAspect : 0;
  const float valued = flow == Flow::Right ? kNarrowestInRow : kNarrowestWithValue;
  const float narrowest = valueStrip > 0 ? valued : box::kNarrowest;
  return {std::ceil(std::clamp(std::max(text, large), narrowest, box::kWidest)),
          (group ? box::kCollapsedHeight : box::kNodeHeight) + valueStrip + namesAbove(node, flow) +
              inputRows(node, flow) + (node.source.empty() ? 0.f : box::kRowHeight)};
}

// A field's row: the input's name, then the field itself with the mark that pulls it out.
float fieldWidth(const ViewNode& field) {
  return std::ceil(std::clamp(textWidth(field.title, box::kAttachedSize) + (field.number ? 24.f : 0.f) + 14,
                              box::kFieldNarrowest, box::kAttachedWidest)) +
         box::kPullMark;
}
float rowWidth(const ViewNode& field) {
  return std::ceil(textWidth(field.label, box::kAttachedSize)) + box::kLabelGap + fieldWidth(field) +
         2 * box::kRowMargin;
}

// Hubs are in a column at the left of their user; `width` includes the gap to it.
struct Column {
  std::vector<int32_t> boxes;
  float width = 0, height = 0;
};

class Arranger {
 public:
  // earlier: of the same view; what it arranged of the same boxes is taken over.
  Arranger(const GraphView& view, const std::vector<bool>& placed, bool foldsGroups, const Arranger* earlier = nullptr)
      : view_(view), hasPlace_(placed), foldsGroups_(foldsGroups), earlier_(earlier) {
    const size_t n = view.nodes.size();
    sizes_.resize(n);
    columns_.resize(n);
    placed_.localIndex.assign(n, -1);
    placed_.levels.resize(n + 1);
    members_.resize(n + 1);
  }

  Arrangement run(const std::stop_token& stop) {
    measure();
    assignLevels();
    assignWires();
    for (int32_t v = static_cast<int32_t>(view_.nodes.size()); v-- > 0;) {  // parents come before their children
      if (view_.nodes[at(v)].kind != ViewNode::Kind::OpenGroup) continue;
      if (stop.stop_requested()) return {};
      arrangeInside(v, stop);
    }
    arrangeBoxesOf(-1, stop);
    if (stop.stop_requested()) return {};
    if (auto fold = foldOfLevel(-1)) folds_.emplace(-1, *std::move(fold));
    if (stop.stop_requested()) return {};
    Arrangement out;
    out.boxes.resize(view_.nodes.size());
    placeLevel(-1, {box::kGroupPadding, box::kGroupPadding}, out);
    for (int32_t v = 0; v < static_cast<int32_t>(view_.nodes.size()); ++v)
      if (view_.nodes[at(v)].kind == ViewNode::Kind::OpenGroup) placeInside(v, out);
    routeWires(view_, placed_, out, stop);
    if (stop.stop_requested()) return {};
    const Level& page = placed_.level(-1);
    out.bounds = {0, 0, page.width + 2 * box::kGroupPadding, page.height + 2 * box::kGroupPadding};
    includeRoutes(out);
    applyFolds(view_, placed_, folds_, out);
    if (toTheRight()) transpose(out);
    return out;
  }

  bool hasFoldedGroup() const { return folds_.size() > folds_.count(-1); }

 private:
  void measure() {
    for (size_t v = 0; v < sizes_.size(); ++v)
      sizes_[v] = sizeOf(view_.nodes[v], view_.stripOf(view_.nodes[v]), view_.flow);
    for (const ViewEdge& edge : view_.edges) {
      if (view_.nodes[at(edge.from)].kind != ViewNode::Kind::Attached) continue;
      if (view_.nodes[at(edge.from)].owner >= 0) {
        addRow(edge.from, edge.to);
        continue;
      }
      Column& column = columns_[at(edge.to)];
      column.boxes.push_back(edge.from);
      column.width = std::max(column.width, sizes_[at(edge.from)].width + box::kAttachedGap);
      column.height += sizes_[at(edge.from)].height + (column.boxes.size() > 1 ? box::kAttachedSeparation : 0);
    }
    for (size_t v = 0; toTheRight() && v < sizes_.size(); ++v)  // beside rows of their own
      if (!columns_[v].boxes.empty()) sizes_[v].height += columns_[v].height + box::kAttachedSeparation;
  }
  bool toTheRight() const { return view_.flow == Flow::Right; }
  RectF along(const RectF& box) const { return tessera::along(view_.flow, box); }
  void addRow(int32_t field, int32_t user) {
    rows_[user].push_back(field);
    Size& size = sizes_[at(user)];
    size.width = std::clamp(rowWidth(view_.nodes[at(field)]), size.width, box::kWidest);
    size.height += box::kRowHeight;
  }
  void assignLevels() {
    for (int32_t v = 0; v < static_cast<int32_t>(sizes_.size()); ++v) {
      const ViewNode& node = view_.nodes[at(v)];
      if (node.kind == ViewNode::Kind::Attached) continue;
      auto& members = members_[at(node.parent + 1)];
      placed_.localIndex[at(v)] = static_cast<int32_t>(members.size());
      members.push_back(v);
      placed_.level(node.parent).boxes.push_back(levelBox(v));
      placed_.level(node.parent).nodes.push_back(v);
      Level& level = placed_.level(node.parent);
      if (toTheRight()) {
        level.boxGap = box::kAcrossGap, level.rowGap = box::kAlongGap;
        level.aspect = 1 / level.aspect, level.widest /= 2;
      }
      level.thorough = level.thorough && sizes_.size() <= kFewBoxes && (at(v) >= hasPlace_.size() || !hasPlace_[at(v)]);
    }
  }
  LevelBox levelBox(int32_t v) const {
    const float shadow = view_.nodes[at(v)].repeats > 0 ? 9.f : 0;
    if (toTheRight()) {
      const float line = lineOf(v);
      return {line, sizes_[at(v)].height - line + shadow, columns_[at(v)].width + sizes_[at(v)].width, 0, 0, 0};
    }
    const float half = sizes_[at(v)].width / 2;
    return {
        half + columns_[at(v)].width, half + shadow, std::max(sizes_[at(v)].height, columns_[at(v)].height), 0, 0, 0};
  }
  // A wire leaves the groups around its source, crosses the innermost level that holds both ends, and enters the
  // groups around its target.
  void assignWires() {
    placed_.stretches.resize(view_.edges.size());
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      const ViewEdge& edge = view_.edges[e];
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) continue;
      const CommonLevel common = commonLevel(view_, edge.from, edge.to);
      if (common.from == common.to) continue;
      for (int32_t v = edge.from; v != common.from; v = view_.nodes[at(v)].parent)
        addWire(e, view_.nodes[at(v)].parent, {placed_.localIndex[at(v)], -1, edge.from});
      addWire(e, common.level,
              {placed_.localIndex[at(common.from)], placed_.localIndex[at(common.to)], edge.from,
               common.to == edge.to ? portOf(edge) : 0});
      const size_t entries = placed_.stretches[e].size();
      for (int32_t v = edge.to; v != common.to; v = view_.nodes[at(v)].parent)
        addWire(e, view_.nodes[at(v)].parent,
                {-1, placed_.localIndex[at(v)], edge.from, v == edge.to ? portOf(edge) : 0});
      std::reverse(placed_.stretches[e].begin() + static_cast<std::ptrdiff_t>(entries), placed_.stretches[e].end());
    }
  }
  // Where a box's result leaves it, across the flow.
  float lineOf(int32_t v) const {
    const RectF box{0, 0, sizes_[at(v)].width, sizes_[at(v)].height};
    return tessera::along(view_.flow, outputSocket(view_.nodes[at(v)], box, view_.flow)).x;
  }
  // How far right of its target's line a wire ends.
  float portOf(const ViewEdge& edge) const {
    const RectF box{0, 0, sizes_[at(edge.to)].width, sizes_[at(edge.to)].height};
    const auto port = inputSocket(view_.nodes[at(edge.to)], box, edge.operand, view_.flow);
    return port ? tessera::along(view_.flow, *port).x - lineOf(edge.to) : 0;
  }
  void addWire(size_t edge, int32_t group, LevelWire wire) {
    Level& level = placed_.level(group);
    placed_.stretches[edge].push_back({group, static_cast<int32_t>(level.wires.size())});
    level.wires.push_back(wire);
  }
  void arrangeBoxesOf(int32_t group, const std::stop_token& stop) {
    Level& level = placed_.level(group);
    if (earlier_ && isLike(earlier_->arranged_.at(group), level))
      level = earlier_->arranged_.at(group);
    else
      arrangeLevel(level, stop);
    if (foldsGroups_) arranged_[group] = level;
  }
  // Of one group or page: its boxes have the same sizes, its wires the same ends.
  static bool isLike(const Level& a, const Level& b) {
    return std::ranges::equal(a.boxes, b.boxes,
                              [](const LevelBox& x, const LevelBox& y) {
                                return x.left == y.left && x.right == y.right && x.height == y.height;
                              }) &&
           std::ranges::equal(a.wires, b.wires,
                              [](const LevelWire& x, const LevelWire& y) { return x.port == y.port; });
  }
  void arrangeInside(int32_t group, const std::stop_token& stop) {
    arrangeBoxesOf(group, stop);
    if (stop.stop_requested()) return;
    if (foldsGroups_) foldInside(group);
    const Level& level = placed_.level(group);
    const ViewNode& node = view_.nodes[at(group)];
    const float header = textWidth(node.title, box::kGroupTitleSize, true) + box::kGroupMark + 2 * box::kTextPadding;
    const Size inside = toTheRight() ? Size{level.height, level.width} : Size{level.width, level.height};
    sizes_[at(group)] = {std::max(inside.width, std::min(header, box::kWidest)) + 2 * box::kGroupPadding,
                         inside.height + 2 * box::kGroupPadding + box::kGroupHeader};
    placed_.level(node.parent).boxes[at(placed_.localIndex[at(group)])] = levelBox(group);
  }
  std::optional<Fold> foldOfLevel(int32_t group) {
    if (!view_.columns) return std::nullopt;
    auto fold = foldOf(placed_.level(group), view_.flow, view_.room);
    return fold ? fold : foldOfRibbon(placed_.level(group), view_.flow, view_.room);
  }
  void foldInside(int32_t group) {
    Level& level = placed_.level(group);
    auto fold = foldOfLevel(group);
    if (!fold) return;
    level.width = fold->width;
    level.height = fold->height;
    folds_.emplace(group, *std::move(fold));
  }
  void placeInside(int32_t group, Arrangement& out) {
    const RectF frame = along(out.boxes[at(group)]);
    const Level& level = placed_.level(group);
    const float slack = frame.width - 2 * box::kGroupPadding - (toTheRight() ? level.height : level.width);
    const PointF corner{frame.x + box::kGroupPadding + slack / 2, frame.y + box::kGroupPadding + box::kGroupHeader};
    placeLevel(group, tessera::along(view_.flow, corner), out);
  }
  void placeLevel(int32_t group, PointF origin, Arrangement& out) {
    Level& level = placed_.level(group);
    const auto& members = members_[at(group + 1)];
    for (size_t m = 0; m < members.size(); ++m) {
      LevelBox& b = level.boxes[m];
      b.x += origin.x;
      b.y += origin.y;
      const Size size = sizes_[at(members[m])];
      out.boxes[at(members[m])] =
          toTheRight() ? RectF{b.x - lineOf(members[m]), b.y + columns_[at(members[m])].width, size.height, size.width}
                       : RectF{b.x - size.width / 2, b.y + (b.height - size.height) / 2, size.width, size.height};
      placeColumn(members[m], out);
      placeRows(members[m], out);
    }
    for (LevelRow& row : level.rows) {
      row.top += origin.y;
      row.bottom += origin.y;
    }
    level.left = origin.x;
    for (auto& lanes : level.lanes)
      for (float& x : lanes) x += origin.x;
  }
  // At the left of its user: in the middle, or beside the rows that it has for them.
  void placeColumn(int32_t user, Arrangement& out) {
    const Column& column = columns_[at(user)];
    const RectF frame = along(out.boxes[at(user)]);
    const float right = frame.x - box::kAttachedGap;
    float y = frame.y + (frame.height - column.height) / 2;
    if (toTheRight()) y = firstRow(user, frame) + box::kAttachedSeparation / 2;
    for (int32_t hub : column.boxes) {
      const Size size = sizes_[at(hub)];
      out.boxes[at(hub)] = along({right - size.width, y, size.width, size.height});
      y += size.height + box::kAttachedSeparation;
    }
  }
  // Below the result's line and the rows of inputs.
  float firstRow(int32_t v, const RectF& frame) const {
    const ViewNode& node = view_.nodes[at(v)];
    return frame.y + box::kNodeHeight + namesAbove(node, view_.flow) + inputRows(node, view_.flow);
  }
  // Above the strip of the value.
  void placeRows(int32_t v, Arrangement& out) const {
    const auto rows = rows_.find(v);
    if (rows == rows_.end()) return;
    const RectF user = along(out.boxes[at(v)]);
    float y = firstRow(v, user);
    if (toTheRight() && !columns_[at(v)].boxes.empty()) y += columns_[at(v)].height + box::kAttachedSeparation;
    for (int32_t field : rows->second) {
      const float label = std::ceil(textWidth(view_.nodes[at(field)].label, box::kAttachedSize)) + box::kLabelGap;
      const float width = std::clamp(user.width - 2 * box::kRowMargin - label,
                                     std::min(fieldWidth(view_.nodes[at(field)]), user.width - 2 * box::kRowMargin),
                                     user.width - 2 * box::kRowMargin);
      out.boxes[at(field)] = along({user.x + user.width - box::kRowMargin - width, y, width, box::kFieldHeight});
      y += box::kRowHeight;
    }
  }
  static void includeRoutes(Arrangement& out) {
    float left = out.bounds.x, right = out.bounds.x + out.bounds.width, bottom = out.bounds.height;
    for (const auto& route : out.routes)
      for (PointF p : route) {
        left = std::min(left, p.x - box::kWireClearance);
        right = std::max(right, p.x + box::kWireClearance);
        bottom = std::max(bottom, p.y + box::kWireClearance);
      }
    out.bounds = {left, out.bounds.y, right - left, bottom - out.bounds.y};
  }

  const GraphView& view_;
  const std::vector<bool>& hasPlace_;
  const bool foldsGroups_;
  const Arranger* const earlier_;
  std::vector<Size> sizes_;
  std::vector<Column> columns_;
  std::unordered_map<int32_t, std::vector<int32_t>> rows_;  // by box: its fields, from the top
  std::vector<std::vector<int32_t>> members_;               // by level: node indices
  PlacedLevels placed_;
  std::unordered_map<int32_t, Level> arranged_;  // by group; -1: the page; as arrangeLevel left it
  Folds folds_;
};

}  // namespace

Arrangement arrange(const GraphView& view, const std::stop_token& stop, const std::vector<bool>& placed) {
  Arranger arranger(view, placed, view.nodes.size() <= kMostWithFolds);
  Arrangement out = arranger.run(stop);
  if (!arranger.hasFoldedGroup() || stop.stop_requested()) return out;
  Arrangement whole = Arranger(view, placed, false, &arranger).run(stop);  // groups in groups may get larger by it
  return view.room.zoomOf(out.bounds) > kWorthFolding * view.room.zoomOf(whole.bounds) ? out : whole;
}

}  // namespace tessera
