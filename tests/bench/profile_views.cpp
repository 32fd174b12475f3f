// The views of a profile on a large module, in a whole window on the offscreen platform: how long each panel takes from
// the click to what it shows first and until nothing is left to do, how long another measure takes to colour the
// nodes, and the frames of a timeline while it is panned and zoomed. The profile is made here: steps in which the
// instructions of the entry run one after the other on as many threads as asked for.
// Usage: bench_profile_views FILE [EVENTS [THREADS]]
#include <fmt/format.h>

#include <QApplication>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>

#include "app/studio/script/script.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "editor/document/document.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/panels/profile/memory_panel.h"
#include "editor/panels/profile/timeline_panel.h"
#include "editor/panels/profile/timeline_view.h"

using namespace tessera;

namespace {

double nowMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What this thread computed, whatever else the machine did.
double threadMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Names of what the entry executes, each with a time that is the same in every run of this program.
std::vector<std::pair<std::string, double>> executedIn(const Module& module) {
  std::vector<std::pair<std::string, double>> out;
  uint64_t state = 1;
  for (InstructionId id : module.entryComputation().instructions) {
    const Instruction& one = module.at(id);
    if (one.operands.empty() || one.opcode == Opcode::Tuple || one.opcode == Opcode::GetTupleElement) continue;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out.emplace_back(one.name, 1.0 + static_cast<double>(state >> 44) / 4096);  // µs
  }
  return out;
}

void writeTrace(const std::string& path, const Module& module, size_t events, size_t threads) {
  const auto executed = executedIn(module);
  std::ofstream out(path);
  out << R"({"displayTimeUnit":"ns","traceEvents":[)";
  std::vector<double> clocks(threads, 1000);
  for (size_t i = 0; i < events; ++i) {
    const auto& [name, us] = executed[i / threads % executed.size()];
    double& clock = clocks[i % threads];
    out << fmt::format(R"({}{{"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}",)"
                       R"("args":{{"hlo_op":"{}","hlo_module":"{}"}}}})",
                       i > 0 ? "," : "", i % threads + 1, clock, us, name, name, module.name);
    clock += us + 0.2;
  }
  out << "]}";
}

double partOf(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

// Until `shown` for the first time, and until the window has nothing to do.
void openPanel(MainWindow& window, const char* name, const std::function<bool()>& shown) {
  const double start = nowMs();
  window.panels().raise(QLatin1String(name));
  double first = 0;
  while (nowMs() - start < 60000 && !shown()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  window.repaint();
  first = nowMs() - start;
  waitUntilIdle(window);
  fmt::print("panel {:<16} shown after {:7.1f} ms, all done after {:7.1f} ms\n", name, first, nowMs() - start);
}

void openPanels(MainWindow& window) {
  Panels& panels = window.panels();
  const auto idle = [&] { return !window.isBusy(); };
  for (const char* name : {"profile", "timeline", "roofline"}) openPanel(window, name, idle);
  openPanel(window, "memory", [&] { return panels.memory->report() != nullptr; });
  for (const char* name : {"communication", "differences", "numerics"}) openPanel(window, name, idle);
  openPanel(window, "passes", [&] { return panels.passes->frame() != nullptr; });
  for (const char* name : {"compiled", "text", "source", "computations", "overview", "findings", "watch"})
    openPanel(window, name, idle);
}

void recolour(MainWindow& window) {
  NodeMeasures& measures = window.document().measures();
  for (const Measure measure :
       {Measure::SelfTime, Measure::TotalTime, Measure::Flops, Measure::Bytes, Measure::Intensity, Measure::PeakMemory,
        Measure::Count, Measure::SelfTime, Measure::Bytes, Measure::Flops, Measure::PeakMemory, Measure::TotalTime}) {
    const double start = nowMs();
    measures.choose(measure);
    waitUntilIdle(window);
    window.repaint();
    fmt::print("colours by {:<20} {:7.1f} ms\n", infoOf(measure).name, nowMs() - start);
  }
}

void frames(TimelineView& view, const char* what, int count, const std::function<void(int)>& gesture) {
  std::vector<double> all, ofThread;
  for (int i = 0; i < count; ++i) {
    const double start = nowMs(), threadStart = threadMs();
    gesture(i);
    view.viewport()->repaint();
    QCoreApplication::processEvents();
    all.push_back(nowMs() - start);
    ofThread.push_back(threadMs() - threadStart);
  }
  fmt::print(
      "timeline {:<10} p50 {:5.2f}  p99 {:5.2f}  max {:5.2f} ms of {} frames; p99 {:5.2f} of the UI thread alone\n",
      what, partOf(all, .5), partOf(all, .99), partOf(all, 1), count, partOf(ofThread, .99));
}

void timelineFrames(MainWindow& window) {
  window.panels().raise(QStringLiteral("timeline"));
  waitUntilIdle(window);
  TimelineView& view = *window.panels().timeline->view();
  const QPointF middle(view.viewport()->width() * 0.6, view.viewport()->height() / 2.0);
  const auto wheel = [&](int angle) {
    QWheelEvent event(middle, view.viewport()->mapToGlobal(middle), {}, QPoint(0, angle), Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view.viewport(), &event);
  };
  const auto key = [&](int code) {
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
      QKeyEvent event(type, code, Qt::NoModifier);
      QCoreApplication::sendEvent(&view, &event);
    }
  };
  view.showAll();
  frames(view, "all", 300, [](int) {});
  frames(view, "zoom in", 200, [&](int) { wheel(40); });
  frames(view, "pan", 500, [&](int i) { key(i % 100 < 50 ? Qt::Key_D : Qt::Key_A); });
  frames(view, "zoom out", 400, [&](int) { wheel(-40); });
  const auto all = view.range();
  const int64_t length = (all.endNs - all.beginNs) / 40;
  frames(view, "scrub", 600, [&](int i) {
    const int64_t begin = all.beginNs + (all.endNs - all.beginNs) / 620 * i;
    view.showRange({begin, begin + length});
  });
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  if (argc < 2) return fmt::print(stderr, "usage: bench_profile_views FILE [EVENTS [THREADS]]\n"), 64;
  const ReadResult read = readModule(argv[1]);
  if (!read.module) return fmt::print(stderr, "{}: cannot be read\n", argv[1]), 66;
  const size_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  const size_t threads = std::max<size_t>(1, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 8);
  const QTemporaryDir folder;
  const std::string trace = folder.filePath(QStringLiteral("made.trace.json")).toStdString();
  writeTrace(trace, *read.module, events, threads);

  MainWindow window(false);
  window.resize(1600, 1000);
  window.show();
  const auto timed = [&](const char* what, const QString& path) {
    const double start = nowMs();
    window.openFile(path);
    waitUntilIdle(window);
    fmt::print("{} {:.0f} ms\n", what, nowMs() - start);
  };
  timed("module opened in", QString::fromLocal8Bit(argv[1]));
  timed(fmt::format("profile of {} events opened in", events).c_str(), QString::fromStdString(trace));
  openPanels(window);
  recolour(window);
  timelineFrames(window);
}
