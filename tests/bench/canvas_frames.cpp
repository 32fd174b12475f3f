// Time of the UI thread per frame while a huge graph with all groups opened is panned, zoomed, hovered, clicked and box
// selected, on the offscreen platform. A frame is one event, its consequences and the repaint. Prints p50, p99 and max
// of wall time and of the UI thread's own processor time, how long something is blank, tiles are missing, and boxes
// are. Usage: bench_canvas_frames FILE
#include <fmt/format.h>
#include <time.h>

#include <QApplication>
#include <QBackingStore>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/minimap.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tiles.h"

using namespace tessera;

namespace {

double threadMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}
double wallMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Frames {
 public:
  explicit Frames(Canvas& canvas) : canvas_(canvas) {}

  // `after` is not a part of the frame.
  void run(
      const char* name, int frames, const std::function<void(int)>& gesture,
      const std::function<void()>& after = [] {}) {
    std::vector<double> wall, own;
    for (int k = 0; k < frames; ++k) {
      const double startWall = wallMs(), startOwn = threadMs();
      gesture(k);
      canvas_.repaint();
      QCoreApplication::processEvents();
      wall.push_back(wallMs() - startWall);
      own.push_back(threadMs() - startOwn);
      after();
    }
    print(name, wall, own);
  }
  double worstOwn() const { return worstOwn_; }
  double partOfAll(double p) { return partOf(all_, p); }

 private:
  static double partOf(std::vector<double>& v, double p) {
    std::sort(v.begin(), v.end());
    return v[static_cast<size_t>(p * static_cast<double>(v.size() - 1))];
  }
  void print(const char* name, std::vector<double>& wall, std::vector<double>& own) {
    fmt::print(
        "{:<22} wall p50 {:6.1f}  p99 {:6.1f}  max {:6.1f} ms   UI thread p50 {:6.1f}  p99 {:6.1f}  max {:6.1f} ms\n",
        name, partOf(wall, .5), partOf(wall, .99), wall.back(), partOf(own, .5), partOf(own, .99), own.back());
    worstOwn_ = std::max(worstOwn_, own.back());
    all_.insert(all_.end(), own.begin(), own.end());
  }
  Canvas& canvas_;
  std::vector<double> all_;
  double worstOwn_ = 0;
};

void mouse(Canvas& canvas, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons) {
  QMouseEvent event(type, at, canvas.mapToGlobal(at), button, buttons, Qt::NoModifier);
  QCoreApplication::sendEvent(&canvas, &event);
}
void wheel(Canvas& canvas, QPointF at, int angle, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(at, canvas.mapToGlobal(at), {}, QPoint(0, angle), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QCoreApplication::sendEvent(&canvas, &event);
}

void gestures(Canvas& canvas, Frames& frames, const char* where) {
  const QPointF middle(canvas.width() / 2.0, canvas.height() / 2.0);
  auto named = [&](const char* what) { return fmt::format("{}: {}", where, what); };
  frames.run(named("scroll").c_str(), 60, [&](int) { wheel(canvas, middle, -120, {}); });
  mouse(canvas, QEvent::MouseButtonPress, middle, Qt::MiddleButton, Qt::MiddleButton);
  frames.run(named("drag").c_str(), 60, [&](int k) {
    mouse(canvas, QEvent::MouseMove, middle + QPointF(9.0 * (k % 30), 7.0 * k), Qt::NoButton, Qt::MiddleButton);
  });
  mouse(canvas, QEvent::MouseButtonRelease, middle, Qt::MiddleButton, {});
  frames.run(named("hover").c_str(), 120,
             [&](int k) { mouse(canvas, QEvent::MouseMove, QPointF(60 + 11.3 * k, 80 + 6.1 * k), Qt::NoButton, {}); });
  frames.run(named("click").c_str(), 40, [&](int k) {
    const QPointF at(50 + 31.0 * k, 60 + 17.0 * k);
    mouse(canvas, QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
    mouse(canvas, QEvent::MouseButtonRelease, at, Qt::LeftButton, {});
  });
  mouse(canvas, QEvent::MouseButtonPress, QPointF(5, 5), Qt::LeftButton, Qt::LeftButton);
  frames.run(named("box select").c_str(), 30, [&](int k) {
    mouse(canvas, QEvent::MouseMove, QPointF(40 + 45.0 * k, 40 + 30.0 * k), Qt::NoButton, Qt::LeftButton);
  });
  frames.run(named("box release").c_str(), 1,
             [&](int) { mouse(canvas, QEvent::MouseButtonRelease, QPointF(1400, 950), Qt::LeftButton, {}); });
}

constexpr double kZooms[] = {1, 0.7, 0.4, 0.2, 0.1, 0.05, 0.02};

uint64_t randomBelow(uint64_t& state, uint64_t end) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) % end;
}

// The closed boxes in sight, each as some pixels of the window inside it.
class BoxesInSight {
 public:
  explicit BoxesInSight(const Canvas& canvas) {
    constexpr double kLeast = 6;  // pixels
    const QRectF window = canvas.rect();
    for (size_t v = 0; v < canvas.view()->nodes.size(); ++v) {
      if (canvas.view()->nodes[v].kind == ViewNode::Kind::OpenGroup) continue;
      const QRectF box = canvas.viewport().toWidget(canvas.frameOf(static_cast<int32_t>(v)));
      if (!window.contains(box) || std::min(box.width(), box.height()) < kLeast) continue;
      for (const double across : {0.2, 0.4, 0.6, 0.8})
        for (const double down : {0.3, 0.7})
          pixels_.push_back((box.topLeft() + QPointF(across * box.width(), down * box.height())).toPoint());
    }
  }
  static constexpr size_t kPixelsOfBox = 8;
  size_t count() const { return pixels_.size() / kPixelsOfBox; }
  std::vector<QRgb> colorsIn(const QWidget& window) const {
    const auto& image = dynamic_cast<const QImage&>(*window.backingStore()->paintDevice());
    std::vector<QRgb> out;
    for (const QPoint& at : pixels_) out.push_back(image.pixel(at));
    return out;
  }

 private:
  std::vector<QPoint> pixels_;
};

// What a jump shows, frame by frame, until its last tile.
class Arrival {
 public:
  Arrival(const Canvas& canvas, double start) : canvas_(canvas), boxes_(canvas), start_(start) {}
  void watch() {
    note();
    while (!canvas_.tilesReady()) {
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
      note();
    }
    QCoreApplication::processEvents();
    note();
  }
  double complete() const { return seen_.back().ms; }
  // Until each part in sight has a tile, if a blurred one. Before, boxes and texts alone are painted.
  double covered() const { return covered_; }
  // Until each box looks as it does at the end, but for at most half of its pixels: words differ by a few.
  double boxesThere() const {
    auto last = seen_.end() - 1;
    while (last != seen_.begin() && boxesMissing(*(last - 1)) == 0) --last;
    return last->ms;
  }
  double missingAtFirst() const {
    return boxes_.count() == 0 ? 0
                               : static_cast<double>(boxesMissing(seen_.front())) / static_cast<double>(boxes_.count());
  }

 private:
  struct Frame {
    double ms;
    std::vector<QRgb> colors;
  };
  void note() {
    seen_.push_back({wallMs() - start_, boxes_.colorsIn(canvas_)});
    if (covered_ == 0 && canvas_.tilesCover()) covered_ = seen_.back().ms;
  }
  size_t boxesMissing(const Frame& frame) const {
    constexpr int kAlike = 10;  // of 255
    const auto differ = [](QRgb a, QRgb b) {
      return std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b)) > kAlike;
    };
    size_t missing = 0;
    for (size_t box = 0; box < boxes_.count(); ++box) {
      size_t unlike = 0;
      for (size_t p = box * BoxesInSight::kPixelsOfBox; p < (box + 1) * BoxesInSight::kPixelsOfBox; ++p)
        unlike += differ(frame.colors[p], seen_.back().colors[p]);
      missing += 2 * unlike > BoxesInSight::kPixelsOfBox;
    }
    return missing;
  }
  const Canvas& canvas_;
  const BoxesInSight boxes_;
  double start_, covered_ = 0;
  std::vector<Frame> seen_;
};

// To boxes all over the picture, at zooms from one node to the whole: the frame, until nothing is blank, until the last
// tile is there, and until no box is missing.
void jumps(Canvas& canvas, Frames& frames) {
  constexpr int kJumps = 40;
  const auto boxes = static_cast<uint64_t>(canvas.view()->nodes.size());
  uint64_t state = 1;
  for (const double zoom : kZooms) {
    std::vector<double> complete, covered, boxesThere, missing;
    double start = 0;
    const auto jump = [&](int) {
      const QRectF box = canvas.frameOf(static_cast<int32_t>(randomBelow(state, boxes)));
      start = wallMs();
      canvas.viewport().zoomBy(zoom / canvas.viewport().zoom(), {});
      canvas.viewport().centerOn(box.center());
    };
    frames.run(fmt::format("jump at zoom {}", zoom).c_str(), kJumps, jump, [&] {
      Arrival arrival(canvas, start);
      arrival.watch();
      complete.push_back(arrival.complete());
      covered.push_back(arrival.covered());
      boxesThere.push_back(arrival.boxesThere());
      missing.push_back(100 * arrival.missingAtFirst());
    });
    for (auto* times : {&complete, &covered, &boxesThere, &missing}) std::ranges::sort(*times);
    fmt::print(
        "  no part blank after p50 {:.0f}, longest {:.0f} ms; its tiles after p50 {:.0f}, longest {:.0f} ms; its boxes "
        "after p50 {:.0f}, longest {:.0f} ms; of the boxes missing in the first frame p50 {:.0f}, most {:.0f} %\n",
        covered[kJumps / 2], covered.back(), complete[kJumps / 2], complete.back(), boxesThere[kJumps / 2],
        boxesThere.back(), missing[kJumps / 2], missing.back());
  }
}

// Processor time of a worker for a tile, at places as above; a screen of 1600 × 1000 has up to 15 of them.
void tiles(const Picture& picture, const SpatialIndex& index, const GraphView& view) {
  constexpr int kTiles = 60;
  uint64_t state = 1;
  for (const double zoom : kZooms) {
    std::vector<double> spent;
    size_t most = 0;
    for (int k = 0; k < kTiles; ++k) {
      const RectF box = index.frameBounds(static_cast<int32_t>(randomBelow(state, view.nodes.size())));
      const double side = TileStore::kPixels / TileStore::zoomOf(TileStore::levelFor(zoom));
      const TileKey key{TileStore::levelFor(zoom), static_cast<int32_t>(std::floor(box.x / side)),
                        static_cast<int32_t>(std::floor(box.y / side)), zoom < kReadableZoom};
      const double start = threadMs();
      const auto items = index.itemsIn(picture, TileStore::sceneRect(key), zoom);
      renderRegion(picture, items, QPointF(key.column * side, key.row * side), TileStore::zoomOf(key.level),
                   QSize(TileStore::kPixels, TileStore::kPixels), Theme::Light, zoom);
      spent.push_back(threadMs() - start);
      most = std::max(most, items.size());
    }
    std::sort(spent.begin(), spent.end());
    fmt::print("tile at zoom {:<5} p50 {:5.1f}  p90 {:5.1f}  max {:6.1f} ms; at most {} items\n", zoom,
               spent[spent.size() / 2], spent[spent.size() * 9 / 10], spent.back(), most);
  }
}

// What the map in the corner costs a frame: of a new picture, and while the canvas is moved below it.
void mapFrames(Canvas& canvas) {
  canvas.repaint();
  Minimap map(canvas);
  map.setWanted(true);
  const auto paint = [&] {
    const double start = threadMs();
    map.repaint();
    return threadMs() - start;
  };
  const double first = paint();
  double longest = 0;
  for (int k = 0; k < 60; ++k) {
    canvas.viewport().panBy({0, -40});
    canvas.repaint();
    longest = std::max(longest, paint());
  }
  fmt::print("map: first frame {:.1f} ms, then at most {:.2f} ms of the UI thread\n", first, longest);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  if (argc < 2) return fmt::print(stderr, "usage: bench_canvas_frames FILE\n"), 64;
  const ReadResult read = readModule(argv[1]);
  if (!read.module) return fmt::print(stderr, "{}: cannot be read\n", argv[1]), 66;
  ViewMaker maker(*read.module);
  ViewOptions options;
  for (std::string& path : maker.groupPaths(read.module->entry())) options.openGroups.insert(std::move(path));
  double start = wallMs();
  const auto view = std::make_shared<const GraphView>(maker.view(read.module->entry(), options));
  const double viewed = wallMs();
  const Arrangement arrangement = arrange(*view);
  const double arranged = wallMs();
  const auto picture = std::make_shared<const Picture>(draw(*read.module, *view, arrangement));
  const double drawn = wallMs();
  const auto index = Canvas::makeIndex(*picture);
  fmt::print(
      "{} boxes, {} wires, {} items, {:.0f}×{:.0f}; on a worker: view {:.0f}, arrange {:.0f}, draw {:.0f}, index "
      "{:.0f} ms\n",
      view->nodes.size(), view->edges.size(), picture->items.size(), picture->bounds.width, picture->bounds.height,
      viewed - start, arranged - viewed, drawn - arranged, wallMs() - drawn);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  tiles(*picture, *index, *view);
  Canvas canvas;
  canvas.resize(1600, 1000);
  canvas.show();
  Frames frames(canvas);
  frames.run("set picture", 1, [&](int) { canvas.setPicture(picture, view, Canvas::KeepView::No, index); });
  start = wallMs();
  canvas.waitForTiles();
  fmt::print("first screen of tiles, fitted: {:.0f} ms after\n", wallMs() - start);
  gestures(canvas, frames, "fitted");
  const QPointF middle(800, 500);
  frames.run("zoom in", 60, [&](int) { wheel(canvas, middle, 120, Qt::ControlModifier); });
  gestures(canvas, frames, "close");
  frames.run("zoom out", 60, [&](int) { wheel(canvas, middle, -120, Qt::ControlModifier); });
  jumps(canvas, frames);
  mapFrames(canvas);
  frames.run("fit all", 1, [&](int) { canvas.viewport().fitAll(); });
  frames.run("theme", 1, [&](int) { canvas.setTheme(Theme::Dark); });
  frames.run("back to an old picture", 2,
             [&](int) { canvas.setPicture(picture, view, Canvas::KeepView::Boxes, index); });
  fmt::print("frames of the UI thread: p99 {:.1f}, longest {:.1f} ms\n", frames.partOfAll(.99), frames.worstOwn());
  start = wallMs();
  canvas.waitForTiles();
  fmt::print("tiles complete after {:.0f} ms\n", wallMs() - start);
}
