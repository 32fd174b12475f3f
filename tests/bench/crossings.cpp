// Our arrangement against Graphviz dot on the same boxes and wires in the same run, as they are drawn and in the same
// direction: crossings of drawn wires (wires that share an end do not count), wire length, area, wires behind unrelated
// boxes, time. Usage: bench_crossings [--flow=down|right] FILE...; without a flow, the one that the graph's form asks
// for.
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
#include <set>
#include <sstream>

#include "core/arrange/curves.h"
#include "core/arrange/flow.h"
#include "core/arrange/placed.h"
#include "core/formats/module_file.h"

using namespace tessera;

namespace {

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
    for (size_t v = 0; v < drawing.boxes.size(); ++v) {
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

// Only wires between boxes; constants beside their users are no matter of either.
GraphView plainView(const Module& module) {
  ViewOptions options;
  options.grouping = Grouping::Computations;
  GraphView view = makeView(module, module.entry(), options);
  std::vector<int32_t> renumbered(view.nodes.size(), -1);
  GraphView out;
  for (size_t v = 0; v < view.nodes.size(); ++v) {
    if (view.nodes[v].kind == ViewNode::Kind::Attached) continue;
    renumbered[v] = static_cast<int32_t>(out.nodes.size());
    out.nodes.push_back(view.nodes[v]);
  }
  for (const ViewEdge& e : view.edges)
    if (renumbered[static_cast<size_t>(e.from)] >= 0)
      out.edges.push_back(
          {renumbered[static_cast<size_t>(e.from)], renumbered[static_cast<size_t>(e.to)], e.value, e.operand});
  return out;
}

Drawing ours(const Module& module, const GraphView& view) {
  const auto start = std::chrono::steady_clock::now();
  const Arrangement a = arrangePage(module, view, {});
  const double ms = msSince(start);
  Drawing out{a.boxes, {}, a.bounds.width, a.bounds.height, ms};
  for (const Line& route : a.routes) out.lines.push_back(pointsOn(curveOf(route, view.flow)));
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

// dot's "plain" output: positions in inches from the lower left; an edge's head names its ends and control points.
bool dots(const GraphView& view, const std::vector<RectF>& sizes, const std::string& folder, Drawing& out) {
  const std::string in = folder + "/graph.dot", plain = folder + "/graph.plain";
  std::ofstream file(in);
  file << "digraph g { rankdir=" << (view.flow == Flow::Right ? "LR" : "TB")
       << "; nodesep=0.39; ranksep=0.61; node [shape=box, fixedsize=true, label=\"\"];\n";
  for (size_t v = 0; v < view.nodes.size(); ++v)
    file << fmt::format("n{} [width={:.4f}, height={:.4f}];\n", v, sizes[v].width / 72, sizes[v].height / 72);
  for (size_t e = 0; e < view.edges.size(); ++e)
    file << fmt::format("n{} -> n{} [arrowhead=none, label=\"\", id={}];\n", view.edges[e].from, view.edges[e].to, e);
  file << "}\n";
  file.close();
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

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/tessera_crossings_XXXXXX";
  if (!mkdtemp(folder)) return 73;
  int notWorse = 0, compared = 0;
  size_t small = 0, behind = 0, dotBehind = 0;  // of views below 300 boxes
  fmt::print("{:<24} {:>6} {:>6} | {:>9} {:>9} | {:>9} {:>9} | {:>6} {:>6} | {:>11} {:>11} | {:>8} {:>8}\n", "",
             "boxes", "wires", "crossings", "dot", "length", "dot", "behind", "dot", "size", "dot", "ms", "dot");
  std::string_view asked;
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]).starts_with("--flow=")) {
      asked = argv[k];
      continue;
    }
    const ReadResult read = readModule(argv[k]);
    if (!read.module) continue;
    GraphView view = plainView(*read.module);
    if (view.nodes.size() > 700) continue;
    view.flow = asked.empty() ? flowByForm(view) : asked == "--flow=right" ? Flow::Right : Flow::Down;
    const Drawing own = ours(*read.module, view);
    Drawing rival;
    if (!dots(view, own.boxes, folder, rival)) continue;
    const Figures a = measure(view, own), b = measure(view, rival);
    ++compared;
    notWorse += a.crossings <= b.crossings;
    if (view.nodes.size() < 300) ++small, behind += a.behind, dotBehind += b.behind;
    fmt::print(
        "{:<24} {:>6} {:>6} | {:>9} {:>9} | {:>9.0f} {:>9.0f} | {:>6} {:>6} | {:>5.0f}×{:<5.0f} {:>5.0f}×{:<5.0f} | "
        "{:>8.1f} {:>8.1f}\n",
        std::filesystem::path(argv[k]).parent_path().filename().string(), view.nodes.size(), view.edges.size(),
        a.crossings, b.crossings, a.length, b.length, a.behind, b.behind, own.width, own.height, rival.width,
        rival.height, own.ms, rival.ms);
  }
  fmt::print("{} of {} programs have no more crossings than dot\n", notWorse, compared);
  fmt::print("wires behind boxes in {} programs below 300 boxes: {}, dot {}\n", small, behind, dotBehind);
  std::filesystem::remove_all(folder);
}
