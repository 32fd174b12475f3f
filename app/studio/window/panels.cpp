// Making the docks and their first arrangement: facts at the right, tables and text below; and the panels of a
// document.
#include "app/studio/window/panels.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "editor/layout_lab/layout_panel.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "editor/panels/compiler/dump_panel.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspect/computations_panel.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/source_panel.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/overview/findings_panel.h"
#include "editor/panels/overview/overview_panel.h"
#include "editor/panels/palette_panel.h"
#include "editor/panels/profile/communication_panel.h"
#include "editor/panels/profile/memory_panel.h"
#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/profile/roofline_panel.h"
#include "editor/panels/profile/timeline_panel.h"
#include "editor/panels/run/device_chooser.h"
#include "editor/panels/run/results_panel.h"
#include "editor/panels/run/run_panel.h"
#include "editor/panels/run/watch_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/value_panel.h"

namespace tessera {

namespace {

constexpr int kTitleBar = 34, kBelow = 250, kMostBelow = 400, kSlack = 4;
constexpr int kGlideMs = 400;  // until a dock has the height that it was given
enum Trait {
  kTall = 1  // a few lines of it say nothing
};
struct DockSpec {
  const char *name, *title;
  Qt::DockWidgetArea place = kBottom;
  int traits = 0;
};
// In the order of View › Panels, and where each comes when it is asked for; what is shown at first is of workspaces.
constexpr DockSpec kDocks[] = {{"inspector", QT_TR_NOOP("Inspector"), kRight},
                               {"text", QT_TR_NOOP("HLO text")},
                               {"layout", QT_TR_NOOP("Layout"), kBottom, kTall},
                               {"diagnostics", QT_TR_NOOP("Diagnostics")},
                               {"profile", QT_TR_NOOP("Profile")},
                               {"timeline", QT_TR_NOOP("Timeline"), kBottom, kTall},
                               {"roofline", QT_TR_NOOP("Roofline"), kBottom, kTall},
                               {"memory", QT_TR_NOOP("Memory"), kBottom, kTall},
                               {"communication", QT_TR_NOOP("Communication"), kBottom, kTall},
                               {"differences", QT_TR_NOOP("Differences"), kBottom, kTall},
                               {"numerics", QT_TR_NOOP("Numerics"), kBottom, kTall},
                               {"passes", QT_TR_NOOP("Passes"), kBottom, kTall},
                               {"dump", QT_TR_NOOP("Dump"), kBottom, kTall},
                               {"results", QT_TR_NOOP("Results")},
                               {"watch", QT_TR_NOOP("Watch"), kBottom, kTall},
                               {"value", QT_TR_NOOP("Value"), kBottom, kTall},
                               {"run", QT_TR_NOOP("Run settings"), kBottom, kTall},
                               {"palette", QT_TR_NOOP("Palette"), kLeft},
                               {"compiled", QT_TR_NOOP("Compiled"), kBottom, kTall},
                               {"warp", QT_TR_NOOP("Warp"), kBottom, kTall},
                               {"devices", QT_TR_NOOP("Devices"), kBottom, kTall},
                               {"computations", QT_TR_NOOP("Computations"), kLeft},
                               {"source", QT_TR_NOOP("Source")},
                               {"overview", QT_TR_NOOP("Overview"), kLeft},
                               {"findings", QT_TR_NOOP("Findings")},
                               {"help", QT_TR_NOOP("Help")}};
constexpr int kWrappedLine = 24;  // a line of text that wraps, which a minimum size does not count

// Gives a panel the room that it needs at least, whatever height it would like.
class PanelRoom : public QWidget {
 public:
  explicit PanelRoom(QWidget* panel) : panel_(panel) { panel->setParent(this); }
  QSize minimumSizeHint() const override { return panel_->minimumSizeHint() + QSize(0, kWrappedLine); }

 protected:
  void resizeEvent(QResizeEvent*) override { panel_->setGeometry(rect()); }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest) updateGeometry();
    return QWidget::event(event);
  }

 private:
  QWidget* panel_;
};

// A panel that needs more height than it may ask of the window.
QScrollArea* scrolled(QWidget* panel) {
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);  // what is inside has it
  area->setFrameShape(QFrame::NoFrame);
  area->setWidget(new PanelRoom(panel));
  return area;
}

// Asks for a height of the docks until the canvas has its own: Qt gives less than what is asked for, by frames of tabs.
void leaveToCanvas(QMainWindow& window, QDockWidget& dock, int height, int canvas, int tries = 4) {
  window.resizeDocks({&dock}, {height}, Qt::Vertical);
  QTimer::singleShot(kGlideMs, &dock, [&window, &dock, height, canvas, tries] {
    const int missing = window.centralWidget()->height() - canvas;
    if (missing > 0 && missing < kTitleBar && tries > 1)
      leaveToCanvas(window, dock, height + missing, canvas, tries - 1);
  });
}

}  // namespace

// --- docks

PanelDocks::PanelDocks(QMainWindow& window) : window_(window) {
  for (const DockSpec& each : kDocks) {
    auto* dock = new QDockWidget(QObject::tr(each.title), &window);
    dock->setObjectName(QLatin1String(each.name));
    if (each.traits & kTall)
      QObject::connect(dock, &QDockWidget::visibilityChanged, &window,
                       [this, dock](bool visible) { giveRoom(dock, visible); });
    docks_.push_back(dock);
  }
}

// They say that they vanish, too.
PanelDocks::~PanelDocks() {
  for (QDockWidget* dock : docks_) QObject::disconnect(dock, nullptr, &window_, nullptr);
}

int PanelDocks::canvasHeight() const { return window_.centralWidget()->height(); }

void PanelDocks::giveRoom(QDockWidget* dock, bool visible) {
  if (arranging_ || dock->isFloating() || !dock->widget()) return;
  if (!visible) return giveBackLater(*dock);
  const bool isLayout = dock->objectName() == QLatin1String("layout");
  const auto* scrolled = isLayout ? static_cast<const QScrollArea*>(dock->widget()) : nullptr;
  const int wanted = isLayout ? scrolled->widget()->minimumSizeHint().height() + kTitleBar : kBelow;
  const int height = std::min(wanted, window_.height() * (isLayout ? 6 : 4) / 10);
  if (dock->height() >= height) return;
  taken_ = {dock, canvasHeight()};
  window_.resizeDocks({dock}, {height}, Qt::Vertical);
  QTimer::singleShot(kGlideMs, dock, [this, dock] {
    if (taken_.by == dock) taken_.left = canvasHeight();
  });
}

// What a panel took to be seen whole goes back to the canvas when another tab comes to the front, unless the user moved
// the edge meanwhile. In the next event: only then the other one is in front.
void PanelDocks::giveBackLater(QDockWidget& dock) {
  if (taken_.by != &dock) return;
  QMetaObject::invokeMethod(
      &dock, [this, &dock, taken = std::exchange(taken_, {})] { giveBack(dock, taken); }, Qt::QueuedConnection);
}

void PanelDocks::giveBack(QDockWidget& dock, const Taken& taken) const {
  const auto tabs = window_.tabifiedDockWidgets(&dock);
  const auto front = std::ranges::find_if(tabs, [this](const QDockWidget* each) { return isInFront(*each); });
  const int now = canvasHeight();
  const bool moved = taken.left >= 0 && std::abs(now - taken.left) > kSlack;
  if (front == tabs.end() || moved) return;
  leaveToCanvas(window_, **front, (*front)->height() - (taken.before - now), taken.before);
}

QDockWidget* PanelDocks::find(const QString& name) const {
  const auto found = std::ranges::find_if(docks_, [&](const QDockWidget* dock) { return dock->objectName() == name; });
  return found == docks_.end() ? nullptr : *found;
}

bool PanelDocks::raise(const QString& name) const {
  QDockWidget* dock = find(name);
  if (!dock) return false;
  dock->show();
  dock->raise();
  return true;
}

// Tabs that are behind stand outside of the window. A visible region would not tell: it is empty where an opaque panel
// fills its dock.
bool PanelDocks::isInFront(const QDockWidget& dock) const {
  return dock.isVisible() && (dock.isFloating() || window_.rect().intersects(dock.geometry()));
}

void PanelDocks::hideAll() const {
  for (QDockWidget* dock : docks_) dock->hide();
}

// All that may come to a side are tabs of it, so that what is shown later joins them.
void PanelDocks::arrange(std::span<const PanelPlace> shown) const {
  arranging_ = true;
  hideAll();  // two that are shown side by side, if only for a moment, make the window wider
  std::map<Qt::DockWidgetArea, QDockWidget*> first;
  const auto put = [&](QDockWidget* dock, Qt::DockWidgetArea area, bool visible) {
    dock->setFloating(false);
    window_.addDockWidget(area, dock);
    const auto [there, isFirst] = first.emplace(area, dock);
    if (!isFirst) window_.tabifyDockWidget(there->second, dock);
    dock->setVisible(visible);
  };
  for (const PanelPlace& each : shown)
    if (each.name) put(find(QLatin1String(each.name)), each.area, true);
  for (const DockSpec& each : kDocks) {
    const bool isPlaced = std::ranges::any_of(
        shown, [&](const PanelPlace& place) { return place.name && std::string_view(place.name) == each.name; });
    if (!isPlaced) put(find(QLatin1String(each.name)), each.place, false);
  }
  window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  for (const auto& [area, dock] : first) dock->raise();
  giveFirstSizes();
  arranging_ = false;
}

void PanelDocks::giveFirstSizes() const {
  const int right = std::clamp(window_.width() * 17 / 100, 230, 420);
  const int left = std::clamp(window_.width() * 11 / 100, 156, 300);
  for (QDockWidget* dock : docks_) {
    const Qt::DockWidgetArea area = window_.dockWidgetArea(dock);
    if (dock->isHidden() || dock->isFloating() || area == kBottom) continue;
    window_.resizeDocks({dock}, {area == kLeft ? left : right}, Qt::Horizontal);
  }
  setHeightBelow();
}

bool PanelDocks::isBelow(const QDockWidget& dock) const {
  return !dock.isHidden() && !dock.isFloating() && window_.dockWidgetArea(const_cast<QDockWidget*>(&dock)) == kBottom;
}

// The text, else the first that is shown.
QDockWidget* PanelDocks::firstBelow() const {
  QDockWidget* out = nullptr;
  for (QDockWidget* dock : docks_) {
    if (!isBelow(*dock)) continue;
    if (!out || dock->objectName() == QLatin1String("text")) out = dock;
  }
  return out;
}

void PanelDocks::keepBelow(const QString& name) const {
  for (QDockWidget* dock : docks_)
    if (isBelow(*dock) && dock->objectName() != name) dock->hide();
}

void PanelDocks::moveTo(QDockWidget& dock, Qt::DockWidgetArea area) const {
  const auto there = std::ranges::find_if(docks_, [&](QDockWidget* each) {
    return each != &dock && !each->isHidden() && !each->isFloating() && window_.dockWidgetArea(each) == area;
  });
  dock.setFloating(false);
  window_.addDockWidget(area, &dock);
  if (there != docks_.end()) window_.tabifyDockWidget(*there, &dock);
  raise(dock.objectName());
}

bool PanelDocks::canMoveTo(const QDockWidget& dock, Qt::DockWidgetArea area) const {
  return dock.isFloating() || window_.dockWidgetArea(const_cast<QDockWidget*>(&dock)) != area;
}

QList<QDockWidget*> PanelDocks::visibleTabsBeside(const QDockWidget& dock) const {
  QList<QDockWidget*> out = window_.tabifiedDockWidgets(const_cast<QDockWidget*>(&dock));
  out.removeIf([](const QDockWidget* each) { return each->isHidden() || each->isFloating(); });
  return out;
}

void PanelDocks::setHeightBelow() const {
  const int below = std::min(kMostBelow, window_.height() * 22 / 100);  // a small screen is the canvas's first
  if (QDockWidget* first = firstBelow()) window_.resizeDocks({first}, {below}, Qt::Vertical);
}

// What leaves its dock is hidden, and hidden panels do no work.
void PanelDocks::show(const Panels& panels) {
  for (QDockWidget* dock : docks_) {
    QWidget* panel = panels.contents[dock->objectName()];
    if (dock->widget() == panel) continue;
    dock->setWidget(panel);
    panel->show();
  }
}

// --- panels

Panels::Panels(Document& document, PanelDocks& home)
    : inspector(new Inspector(document)),
      text(new TextPanel(document)),
      diagnostics(new DiagnosticsPanel(document)),
      profile(new ProfilePanel(document)),
      results(new ResultsPanel(document)),
      layout(new LayoutPanel),
      help(new HelpPanel(document)),
      value(new ValuePanel(document)),
      run(new RunPanel(document)),
      palette(new PalettePanel),
      compiled(new CompiledPanel(document)),
      computations(new ComputationsPanel(document)),
      source(new SourcePanel(document)),
      timeline(new TimelinePanel(document)),
      roofline(new RooflinePanel(document)),
      memory(new MemoryPanel(document)),
      communication(new CommunicationPanel(document)),
      differences(new DiffPanel(document)),
      numerics(new NumericsPanel(document)),
      passes(new PassesPanel(document)),
      dump(new DumpPanel(document)),
      watch(new WatchPanel(document)),
      overview(new OverviewPanel(document)),
      findings(new FindingsPanel(document)),
      warp(new WarpPanel(document)),
      devices(new DevicesPanel(document)),
      home(home),
      docks(home.all()),
      contents{{"inspector", scrolled(inspector)},
               {"text", text},
               {"layout", scrolled(layout)},
               {"diagnostics", diagnostics},
               {"profile", profile},
               {"results", results},
               {"value", value},
               {"run", run},
               {"palette", palette},
               {"compiled", compiled},
               {"computations", computations},
               {"source", source},
               {"timeline", timeline},
               {"roofline", roofline},
               {"memory", memory},
               {"communication", communication},
               {"differences", differences},
               {"numerics", numerics},
               {"passes", passes},
               {"dump", dump},
               {"watch", watch},
               {"overview", overview},
               {"findings", findings},
               {"warp", warp},
               {"devices", devices},
               {"help", help}} {
  for (QWidget* each : contents) each->hide();
}

Panels::~Panels() { qDeleteAll(contents); }

bool Panels::isBusy() const {
  return compiled->isBusy() || memory->isBusy() || differences->isBusy() || passes->isBusy() || roofline->isBusy() ||
         communication->isBusy() || numerics->isBusy() || dump->isBusy() || watch->isBusy() || warp->isBusy() ||
         devices->isBusy() || computations->isBusy() || run->device()->isLooking() || devices->other()->isLooking();
}

}  // namespace tessera
