// How long a file takes to its first picture: read, outline and view, arrange, draw, index, first screen of tiles; then
// one opened group. Prints milliseconds by the clock and of this process' own processor time (what a quiet machine
// would take), least of several rounds. Usage: bench_view FILE [ROUNDS]
#include <fmt/format.h>

#include <QGuiApplication>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>

#include "core/arrange/arrangement.h"
#include "core/formats/module_file.h"
#include "core/picture/picture.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"

using namespace tessera;

namespace {

class Stopwatch {
 public:
  template <class F>
  auto measure(const std::string& what, F&& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t startOwn = std::clock();
    auto result = work();
    const double own = 1e3 * static_cast<double>(std::clock() - startOwn) / CLOCKS_PER_SEC;
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!least_.contains(what))
      order_.push_back(what), least_[what] = {ms, own};
    else
      least_[what] = {std::min(least_[what].wall, ms), std::min(least_[what].own, own)};
    return result;
  }
  void print() const {
    Times total;
    fmt::print("{:<28} {:>12} {:>12}\n", "", "clock", "processor");
    for (const std::string& what : order_) {
      const Times& t = least_.at(what);
      fmt::print("{:<28} {:9.2f} ms {:9.2f} ms\n", what, t.wall, t.own);
      if (what == "read" || what.starts_with("open")) continue;
      total.wall += t.wall;
      total.own += t.own;
    }
    fmt::print("{:<28} {:9.2f} ms {:9.2f} ms\n", "Module to first screen", total.wall, total.own);
  }

 private:
  struct Times {
    double wall = 0, own = 0;
  };
  std::vector<std::string> order_;
  std::map<std::string, Times> least_;
};

struct Shown {
  GraphView view;
  Arrangement arrangement;
  Picture picture;
};

const ViewNode* groupToOpen(const GraphView& view) {
  const ViewNode* best = nullptr;
  for (const ViewNode& n : view.nodes)
    if (n.kind == ViewNode::Kind::CollapsedGroup && n.boxesInside <= 200 &&
        (!best || n.boxesInside > best->boxesInside))
      best = &n;
  return best;
}

void showFirst(const Module& module, Stopwatch& watch, bool report) {
  ViewMaker maker = watch.measure("users", [&] { return ViewMaker(module); });
  ViewOptions options = watch.measure("outline, initial view", [&] { return maker.initialView(module.entry()); });
  Shown s;
  s.view = watch.measure("view", [&] { return maker.view(module.entry(), options); });
  s.arrangement = watch.measure("arrange", [&] { return arrange(s.view); });
  s.picture = watch.measure("draw", [&] { return draw(module, s.view, s.arrangement); });
  const SpatialIndex index = watch.measure("spatial index", [&] { return SpatialIndex(s.picture); });
  const QImage screen = watch.measure("first screen 1600×1000", [&] {
    return renderToImage(s.picture, {1600, 1000}, Theme::Light);
  });
  if (report)
    fmt::print("{} boxes, {} wires, {} items, {:.0f}×{:.0f}\n", s.view.nodes.size(), s.view.edges.size(),
               s.picture.items.size(), s.picture.bounds.width, s.picture.bounds.height);
  const ViewNode* group = groupToOpen(s.view);
  if (!group || screen.isNull()) return;
  options.openGroups.insert(group->group);
  const std::string name = fmt::format("open a group of {}", group->boxesInside);
  watch.measure(name, [&] {
    s.view = maker.view(module.entry(), options);
    s.arrangement = arrange(s.view);
    return draw(module, s.view, s.arrangement).items.size();
  });
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication app(argc, argv);
  if (argc < 2) return fmt::print(stderr, "usage: bench_view FILE [ROUNDS]\n"), 64;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  Stopwatch watch;
  for (int round = 0; round < rounds; ++round) {
    const ReadResult read = watch.measure("read", [&] { return readModule(argv[1]); });
    if (!read.module) return fmt::print(stderr, "{}: cannot be read\n", argv[1]), 66;
    showFirst(*read.module, watch, round == 0);
  }
  watch.print();
}
