// Making the docks and their first arrangement: facts at the right, tables and text below; and the panels of a
// document.
#include "app/studio/panels.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "editor/layout_lab/layout_panel.h"
#include "editor/panels/compiled_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspector.h"
#include "editor/panels/palette_panel.h"
#include "editor/panels/results_panel.h"
#include "editor/panels/run_panel.h"
#include "editor/panels/table_panel.h"
#include "editor/panels/text_panel.h"
#include "editor/values/value_panel.h"

namespace tessera {

namespace {

constexpr int kTitleBar = 34, kBelow = 250, kSlack = 4;
constexpr int kGlideMs = 400;  // until a dock has the height that it was given
struct DockName {
  const char *name, *title;
};
constexpr DockName kDocks[] = {{"inspector", QT_TR_NOOP("Inspector")},
                               {"text", QT_TR_NOOP("HLO text")},
                               {"layout", QT_TR_NOOP("Layout")},
                               {"diagnostics", QT_TR_NOOP("Diagnostics")},
                               {"profile", QT_TR_NOOP("Profile")},
                               {"results", QT_TR_NOOP("Results")},
                               {"value", QT_TR_NOOP("Value")},
                               {"run", QT_TR_NOOP("Run settings")},
                               {"palette", QT_TR_NOOP("Palette")},
                               {"compiled", QT_TR_NOOP("Compiled")},
                               {"help", QT_TR_NOOP("Help")}};
// Nobody needs them before asking: Tab finds all of the palette, Ctrl+Shift+click asks for a value.
constexpr const char* kOnDemand[] = {"palette", "value", "run", "compiled"};
constexpr const char* kTall[] = {"layout", "value", "run", "compiled"};  // a few lines of them say nothing
constexpr int kWrappedLine = 24;  // a line of text that wraps, which a minimum size does not count

// Gives a panel the room that it needs at least, whatever height it would like.
class Room : public QWidget {
 public:
  explicit Room(QWidget* panel) : panel_(panel) { panel->setParent(this); }
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
  area->setWidget(new Room(panel));
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

template <size_t N>
bool isAmong(const char* const (&names)[N], const QString& name) {
  return std::ranges::any_of(names, [&](const char* each) { return name == QLatin1String(each); });
}

}  // namespace

// --- docks

PanelDocks::PanelDocks(QMainWindow& window) : window_(window) {
  for (const DockName& each : kDocks) {
    auto* dock = new QDockWidget(QObject::tr(each.title), &window);
    dock->setObjectName(QLatin1String(each.name));
    if (isAmong(kTall, dock->objectName()))
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
  if (dock->isFloating() || !dock->widget()) return;
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
  const auto front =
      std::ranges::find_if(tabs, [](const QDockWidget* each) { return !each->visibleRegion().isEmpty(); });
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

void PanelDocks::hideAll() const {
  for (QDockWidget* dock : docks_) dock->hide();
}

void PanelDocks::arrange() const {
  const QDockWidget *facts = find(QStringLiteral("inspector")), *palette = find(QStringLiteral("palette"));
  for (QDockWidget* dock : docks_) {
    dock->setFloating(false);
    window_.addDockWidget(dock == facts     ? Qt::RightDockWidgetArea
                          : dock == palette ? Qt::LeftDockWidgetArea
                                            : Qt::BottomDockWidgetArea,
                          dock);
    dock->setVisible(!isAmong(kOnDemand, dock->objectName()));
  }
  QDockWidget* first = find(QStringLiteral("text"));
  for (QDockWidget* dock : docks_)
    if (dock != first && dock != facts && dock != palette) window_.tabifyDockWidget(first, dock);
  window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  constexpr int kRight = 370;
  window_.resizeDocks({find(QStringLiteral("inspector"))}, {kRight}, Qt::Horizontal);
  lower();
}

void PanelDocks::lower() const {
  QDockWidget* first = find(QStringLiteral("text"));
  first->raise();
  const int below = std::min(kBelow, window_.height() * 22 / 100);  // a small screen is the canvas's first
  window_.resizeDocks({first}, {below}, Qt::Vertical);
}

// What leaves its dock is hidden, and hidden panels do no work.
void PanelDocks::show(const Panels& panels) {
  for (qsizetype i = 0; i < docks_.size(); ++i) {
    if (docks_[i]->widget() == panels.contents[i]) continue;
    docks_[i]->setWidget(panels.contents[i]);
    panels.contents[i]->show();
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
      home(home),
      docks(home.all()),
      contents{scrolled(inspector),
               text,
               scrolled(layout),
               diagnostics,
               profile,
               results,
               value,
               run,
               palette,
               compiled,
               help} {
  for (QWidget* each : contents) each->hide();
}

Panels::~Panels() { qDeleteAll(contents); }

}  // namespace tessera
