// Our arrangement against Graphviz dot in the same run, on the same boxes and wires, as they are drawn and in the same
// direction: what each group of a program holds, up to 300 boxes. Crossings of drawn wires (wires that share an end do
// not count), wire length, wires behind unrelated boxes, time. dot gets the ends of our wires and our distances between
// boxes; with --plain its wires may end at any side of a box. Without --flow a program flows as the form of its graph
// asks for. Neither folds what is tall; with --columns ours does, as in a small view. --each prints each group too,
// with a box of it. Usage: bench_crossings [--plain] [--columns] [--each] [--flow=down|right] FILE...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "core/arrange/box_style.h"
#include "core/arrange/curves.h"
#include "core/arrange/flow.h"
#include "core/arrange/placed.h"
#include "core/formats/module_file.h"

using namespace tessera;

namespace {

constexpr size_t kMostGroups = 40;  // of a program, the largest
constexpr double kWithin = 1.15;    // of dot

using Line = std::vector<PointF>;

struct Drawing {
  std::vector<RectF> boxes;
  std::vector<Line> lines;
  double width = 0, height = 0, ms = 0;
};
struct Figures {
  size_t crossings = 0, behind = 0;
  double length = 0;
};

struct Segment {
  PointF a, b;
  size_t line;
};

double turn(PointF a, PointF b, PointF c) {
  return static_cast<double>(b.x - a.x) * (c.y - a.y) - static_cast<double>(b.y - a.y) * (c.x - a.x);
}
bool cross(const Segment& s, const Segment& t) {
  const double a = turn(s.a, s.b, t.a), b = turn(s.a, s.b, t.b), c = turn(t.a, t.b, s.a), d = turn(t.a, t.b, s.b);
  return ((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0));
}

// A segment meets the inside of a box, two units within its edge.
bool meets(const Segment& s, const RectF& box) {
  for (int k = 0; k <= 16; ++k) {
    const float t = static_cast<float>(k) / 16;
    const PointF p{s.a.x + (s.b.x - s.a.x) * t, s.a.y + (s.b.y - s.a.y) * t};
    if (p.x > box.x + 2 && p.x < box.x + box.width - 2 && p.y > box.y + 2 && p.y < box.y + box.height - 2) return true;
  }
  return false;
}

// Wires of one value that lie on each other are seen as one line: a crossing is two values and a place.
using Crossing = std::array<int, 4>;
Crossing crossingOf(const GraphView& view, const Segment& s, const Segment& t) {
  const double a = turn(t.a, t.b, s.a), b = turn(t.a, t.b, s.b), part = a / (a - b);
  const double x = s.a.x + (s.b.x - s.a.x) * part, y = s.a.y + (s.b.y - s.a.y) * part;
  const int from = view.edges[s.line].from, other = view.edges[t.line].from;
  return {std::min(from, other), std::max(from, other), static_cast<int>(x / 4), static_cast<int>(y / 4)};
}

Figures measure(const GraphView& view, const Drawing& drawing) {
  Figures out;
  std::vector<Segment> segments;
  for (size_t l = 0; l < drawing.lines.size(); ++l)
    for (size_t k = 1; k < drawing.lines[l].size(); ++k) {
      segments.push_back({drawing.lines[l][k - 1], drawing.lines[l][k], l});
      out.length += std::hypot(drawing.lines[l][k].x - drawing.lines[l][k - 1].x,
                               drawing.lines[l][k].y - drawing.lines[l][k - 1].y);
    }
  auto sharesEnd = [&](size_t a, size_t b) {
    const ViewEdge &x = view.edges[a], &y = view.edges[b];
    return x.from == y.from || x.from == y.to || x.to == y.from || x.to == y.to;
  };
  std::set<Crossing> seen;
  for (size_t i = 0; i < segments.size(); ++i)
    for (size_t j = i + 1; j < segments.size(); ++j)
      if (!sharesEnd(segments[i].line, segments[j].line) && cross(segments[i], segments[j]))
        seen.insert(crossingOf(view, segments[i], segments[j]));
  out.crossings = seen.size();
  for (size_t l = 0; l < drawing.lines.size(); ++l)
    for (size_t v = 1; v < drawing.boxes.size(); ++v) {
      const ViewEdge& e = view.edges[l];
      if (static_cast<int32_t>(v) == e.from || static_cast<int32_t>(v) == e.to) continue;
      for (size_t k = 1; k < drawing.lines[l].size(); ++k)
        if (meets({drawing.lines[l][k - 1], drawing.lines[l][k], l}, drawing.boxes[v])) {
          ++out.behind;
          break;
        }
    }
  return out;
}

double msSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// What each group of the entry holds, groups inside it closed, as the only group of a page: box 0 is its frame. Only
// wires between its boxes, one from a group to a group, and no constants beside their users. Groups that look alike are
// one.
class GroupViews {
 public:
  GroupViews(const Module& module, std::optional<Flow> flow, bool columns) {
    ViewMaker maker(module);
    ViewOptions options;
    for (std::string& path : maker.groupPaths(module.entry())) options.openGroups.insert(std::move(path));
    all_ = maker.view(module.entry(), options);
    all_.flow = flow ? *flow : flowByForm(all_);
    all_.columns = columns;
  }

  std::vector<GraphView> run() {
    std::vector<std::vector<int32_t>> members(all_.nodes.size() + 1);
    for (size_t v = 0; v < all_.nodes.size(); ++v)
      if (all_.nodes[v].kind != ViewNode::Kind::Attached)
        members[at(all_.nodes[v].parent + 1)].push_back(static_cast<int32_t>(v));
    std::vector<GraphView> out(members.size());
    number_.resize(all_.nodes.size(), -1);
    for (size_t group = 0; group < members.size(); ++group) addBoxes(members[group], out[group]);
    for (const ViewEdge& edge : all_.edges) addWire(edge, out);
    std::erase_if(out, [&](const GraphView& view) { return !isCompared(view); });
    std::ranges::stable_sort(out, std::greater(), [](const GraphView& view) { return view.nodes.size(); });
    return out;
  }

 private:
  void addBoxes(const std::vector<int32_t>& members, GraphView& out) {
    out.flow = all_.flow;
    out.columns = all_.columns;
    out.nodes.push_back({.kind = ViewNode::Kind::OpenGroup, .group = "group"});
    for (int32_t v : members) {
      number_[at(v)] = static_cast<int32_t>(out.nodes.size());
      ViewNode node = all_.nodes[at(v)];
      if (node.kind == ViewNode::Kind::OpenGroup) node.kind = ViewNode::Kind::CollapsedGroup;
      node.parent = 0;
      out.nodes.push_back(std::move(node));
    }
  }
  void addWire(const ViewEdge& edge, std::vector<GraphView>& out) {
    if (number_[at(edge.from)] < 0) return;
    const auto [group, from, to] = ends(edge);
    if (from == to) return;
    const bool plain = from == edge.from && to == edge.to;
    const std::array<int32_t, 2> pair{number_[at(from)], number_[at(to)]};
    if (!plain && !drawn_.insert({group, pair[0], pair[1]}).second) return;
    out[at(group + 1)].edges.push_back({pair[0], pair[1], edge.value, edge.operand});
  }
  // The innermost group that holds both ends, and the boxes in it.
  std::array<int32_t, 3> ends(const ViewEdge& edge) const {
    int32_t from = edge.from, to = edge.to;
    const auto up = [&](int32_t v) { return all_.nodes[at(v)].parent; };
    const auto depth = [&](int32_t v) {
      int32_t out = 0;
      while ((v = up(v)) >= 0) ++out;
      return out;
    };
    while (depth(from) > depth(to)) from = up(from);
    while (depth(to) > depth(from)) to = up(to);
    while (from != to && up(from) != up(to)) from = up(from), to = up(to);
    return {up(from), from, to};
  }
  bool isCompared(const GraphView& view) {
    if (view.nodes.size() < kFewest || view.nodes.size() > kMost + 1 || view.edges.empty()) return false;
    std::string form = std::to_string(view.nodes.size());
    for (const ViewEdge& edge : view.edges) form += fmt::format(" {}-{}", edge.from, edge.to);
    return seen_.insert(std::move(form)).second;
  }
  static constexpr size_t kFewest = 6, kMost = 300;  // boxes

  GraphView all_;
  std::vector<int32_t> number_;
  std::set<std::array<int32_t, 3>> drawn_;
  std::set<std::string> seen_;
};

Drawing ours(const Module& module, const GraphView& view) {
  const auto start = std::chrono::steady_clock::now();
  const Arrangement a = arrangePage(module, view, {});
  const double ms = msSince(start);
  Drawing out{a.boxes, {}, a.bounds.width, a.bounds.height, ms};
  for (const Line& route : a.routes)
    out.lines.push_back(route.size() < 2 ? route : pointsOn(curveOf(route, view.flow)));
  return out;
}

void cubic(Line& out, PointF a, PointF b, PointF c, PointF d) {
  for (int k = 1; k <= 6; ++k) {
    const float t = static_cast<float>(k) / 6, u = 1 - t;
    auto at = [&](float p, float q, float r, float s) {
      return p * u * u * u + 3 * q * u * u * t + 3 * r * u * t * t + s * t * t * t;
    };
    out.push_back({at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)});
  }
}

// What dot is to draw: our boxes and wires. With ports its wires begin and end at the places of the boxes where ours
// do: a box is a table there, with a narrow cell at each such place, in whole units, and empty ones between.
class DotInput {
 public:
  DotInput(const GraphView& view, const Drawing& own, bool ports)
      : view_(view), own_(own), ports_(ports), right_(view.flow == Flow::Right), places_(view.nodes.size()) {
    for (size_t e = 0; e < view.edges.size(); ++e) {
      places_[at(view.edges[e].from)].insert(beginOf(e));
      places_[at(view.edges[e].to)].insert(endOf(e));
    }
  }

  void write(const std::string& path) const {
    std::ofstream file(path);
    file << fmt::format(
        "digraph g {{ rankdir={}; nodesep={:.4f}; ranksep={:.4f}; node [shape={}, fixedsize=true, label=\"\"];\n",
        right_ ? "LR" : "TB", (right_ ? box::kAcrossGap : box::kColumnGap) / 72,
        (right_ ? box::kAlongGap : box::kRowGap) / 72, ports_ ? "none, margin=0" : "box");
    for (size_t v = 1; v < view_.nodes.size(); ++v)
      file << fmt::format("n{} [width={:.4f}, height={:.4f}{}];\n", v, own_.boxes[v].width / 72,
                          own_.boxes[v].height / 72, ports_ ? ", label=" + tableOf(v) : "");
    for (size_t e = 0; e < view_.edges.size(); ++e)
      file << fmt::format("n{}{} -> n{}{} [arrowhead=none, label=\"\", id={}];\n", view_.edges[e].from,
                          ports_ ? fmt::format(":c{}:{}", beginOf(e), right_ ? 'e' : 's') : "", view_.edges[e].to,
                          ports_ ? fmt::format(":c{}:{}", endOf(e), right_ ? 'w' : 'n') : "", e);
    file << "}\n";
  }

 private:
  // From the first end of the edge on which wires begin or end; its middle for a wire that is not drawn.
  int placeOn(int32_t node, const Line& line, bool begins) const {
    const RectF& box = own_.boxes[at(node)];
    if (line.size() < 2) return static_cast<int>((right_ ? box.height : box.width) / 2);
    const PointF p = begins ? line.front() : line.back();
    return static_cast<int>(std::lround(right_ ? p.y - box.y : p.x - box.x));
  }
  int beginOf(size_t e) const { return placeOn(view_.edges[e].from, own_.lines[e], true); }
  int endOf(size_t e) const { return placeOn(view_.edges[e].to, own_.lines[e], false); }

  std::string tableOf(size_t v) const {
    constexpr int kWidth = 2;
    const int length = static_cast<int>(right_ ? own_.boxes[v].height : own_.boxes[v].width);
    std::string cells;
    int end = 0;
    for (int place : places_[v]) {
      const int begin = std::max(end, std::min(place - kWidth / 2, length - kWidth));
      cells += cellOf(v, begin - end, "") + cellOf(v, kWidth, fmt::format(" PORT=\"c{}\"", place));
      end = begin + kWidth;
    }
    cells += cellOf(v, length - end, "");
    return fmt::format("<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">{}</TABLE>>",
                       right_ ? cells : "<TR>" + cells + "</TR>");
  }
  std::string cellOf(size_t v, int length, const std::string& port) const {
    if (length <= 0) return "";
    const int across = static_cast<int>(right_ ? own_.boxes[v].width : own_.boxes[v].height);
    const std::string cell = fmt::format("<TD FIXEDSIZE=\"TRUE\" WIDTH=\"{}\" HEIGHT=\"{}\"{}></TD>",
                                         right_ ? across : length, right_ ? length : across, port);
    return right_ ? "<TR>" + cell + "</TR>" : cell;
  }

  const GraphView& view_;
  const Drawing& own_;
  bool ports_, right_;
  std::vector<std::set<int>> places_;  // by box: where wires begin or end
};

// dot's "plain" output: positions in inches from the lower left; an edge's head names its ends and control points.
bool dots(const GraphView& view, const Drawing& own, bool ports, const std::string& folder, Drawing& out) {
  const std::string in = folder + "/graph.dot", plain = folder + "/graph.plain";
  DotInput(view, own, ports).write(in);
  const auto start = std::chrono::steady_clock::now();
  if (std::system(fmt::format("timeout 60 dot -Tplain -y {} -o {}", in, plain).c_str()) != 0) return false;
  out.ms = msSince(start);
  out.boxes.resize(view.nodes.size());
  std::map<std::pair<int, int>, std::vector<size_t>> byEnds;
  for (size_t e = view.edges.size(); e-- > 0;) byEnds[{view.edges[e].from, view.edges[e].to}].push_back(e);
  out.lines.resize(view.edges.size());
  std::ifstream result(plain);
  for (std::string line; std::getline(result, line);) {
    std::istringstream words(line);
    std::string kind, a, b;
    words >> kind;
    if (kind == "graph") words >> a >> out.width >> out.height, out.width *= 72, out.height *= 72;
    if (kind == "node") {
      float x, y, w, h;
      words >> a >> x >> y >> w >> h;
      out.boxes[static_cast<size_t>(std::stoi(a.substr(1)))] = {(x - w / 2) * 72, (y - h / 2) * 72, w * 72, h * 72};
    }
    if (kind != "edge") continue;
    int n = 0;
    words >> a >> b >> n;
    a = a.substr(0, a.find(':')), b = b.substr(0, b.find(':'));
    Line control(static_cast<size_t>(n)), points;
    for (PointF& p : control) words >> p.x >> p.y, p.x *= 72, p.y *= 72;
    points.push_back(control[0]);
    for (size_t k = 0; k + 3 < control.size(); k += 3)
      cubic(points, control[k], control[k + 1], control[k + 2], control[k + 3]);
    auto& waiting = byEnds[{std::stoi(a.substr(1)), std::stoi(b.substr(1))}];
    if (waiting.empty()) continue;
    out.lines[waiting.back()] = points;
    waiting.pop_back();
  }
  return true;
}

// Of one program or all.
struct Sums {
  size_t groups = 0, boxes = 0, wires = 0, fewCrossings = 0, shortWires = 0;
  Figures own, rival;
  double ms = 0, rivalMs = 0;

  Sums& operator+=(const Sums& o) {
    groups += o.groups, boxes += o.boxes, wires += o.wires, fewCrossings += o.fewCrossings, shortWires += o.shortWires;
    ms += o.ms, rivalMs += o.rivalMs;
    for (const auto& [sum, part] : {std::pair(&own, &o.own), std::pair(&rival, &o.rival)})
      sum->crossings += part->crossings, sum->behind += part->behind, sum->length += part->length;
    return *this;
  }
  void print(const std::string& name) const {
    const auto ratio = [](double a, double b) { return a == b ? 1 : a / b; };
    fmt::print(
        "{:<28} {:>6} {:>6} {:>6} | {:>9} {:>7} {:>6.2f} | {:>9.0f} {:>9.0f} {:>6.2f} | {:>6} {:>6} | {:>8.1f} "
        "{:>8.1f}\n",
        name, groups, boxes, wires, own.crossings, rival.crossings,
        ratio(static_cast<double>(own.crossings), static_cast<double>(rival.crossings)), own.length, rival.length,
        ratio(own.length, rival.length), own.behind, rival.behind, ms, rivalMs);
    std::fflush(stdout);
  }
};

Sums compared(const Module& module, const std::vector<GraphView>& groups, bool ports, bool each,
              const std::string& folder) {
  Sums sums;
  for (size_t k = 0; k < groups.size() && k < kMostGroups; ++k) {
    const GraphView& view = groups[k];
    const Drawing own = ours(module, view);
    Drawing rival;
    if (!dots(view, own, ports, folder, rival)) continue;
    const Figures a = measure(view, own), b = measure(view, rival);
    const bool few = static_cast<double>(a.crossings) <= kWithin * static_cast<double>(b.crossings);
    const Sums group{
        1, view.nodes.size() - 1, view.edges.size(), few, a.length <= kWithin * b.length, a, b, own.ms, rival.ms};
    if (each) group.print("  " + view.nodes[1].title);
    sums += group;
  }
  return sums;
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/tessera_crossings_XXXXXX";
  if (!mkdtemp(folder)) return 73;
  fmt::print("{:<28} {:>6} {:>6} {:>6} | {:>9} {:>7} {:>6} | {:>9} {:>9} {:>6} | {:>6} {:>6} | {:>8} {:>8}\n", "",
             "groups", "boxes", "wires", "crossings", "dot", "ratio", "length", "dot", "ratio", "behind", "dot", "ms",
             "dot");
  Sums all;
  bool ports = true, columns = false, each = false;
  std::optional<Flow> flow;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--plain") ports = false;
    if (word == "--columns") columns = true;
    if (word == "--each") each = true;
    if (word == "--flow=down") flow = Flow::Down;
    if (word == "--flow=right") flow = Flow::Right;
    if (word.starts_with("--")) continue;
    const std::filesystem::path file = argv[k];
    const ReadResult read = readModule(file);
    if (!read.module) continue;
    const Sums sums = compared(*read.module, GroupViews(*read.module, flow, columns).run(), ports, each, folder);
    if (sums.groups > 0) sums.print(file.parent_path().filename() / file.stem());
    all += sums;
  }
  all.print("all");
  fmt::print("{} of {} groups are within 15 % of dot in crossings, {} in length\n", all.fewCrossings, all.groups,
             all.shortWires);
  std::filesystem::remove_all(folder);
}
