// Making the docks and their first arrangement: facts at the right, tables and text below.
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
#include "editor/panels/computations_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspector.h"
#include "editor/panels/palette_panel.h"
#include "editor/panels/profile_panel.h"
#include "editor/panels/results_panel.h"
#include "editor/panels/run_panel.h"
#include "editor/panels/source_panel.h"
#include "editor/panels/table_panel.h"
#include "editor/panels/text_panel.h"
#include "editor/values/value_panel.h"

namespace tessera {

namespace {

constexpr int kTitleBar = 34, kBelow = 250, kSlack = 4;
constexpr int kGlideMs = 400;     // until a dock has the height that it was given
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

}  // namespace

Panels::Panels(Document& document, QMainWindow& window)
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
      source(new SourcePanel(document)) {
  add(window, inspector, QStringLiteral("inspector"), QObject::tr("Inspector"));
  add(window, text, QStringLiteral("text"), QObject::tr("HLO text"));
  add(window, layout, QStringLiteral("layout"), QObject::tr("Layout"));
  add(window, diagnostics, QStringLiteral("diagnostics"), QObject::tr("Diagnostics"));
  add(window, profile, QStringLiteral("profile"), QObject::tr("Profile"));
  add(window, results, QStringLiteral("results"), QObject::tr("Results"));
  add(window, value, QStringLiteral("value"), QObject::tr("Value"));
  add(window, run, QStringLiteral("run"), QObject::tr("Run settings"));
  add(window, palette, QStringLiteral("palette"), QObject::tr("Palette"));
  add(window, compiled, QStringLiteral("compiled"), QObject::tr("Compiled"));
  add(window, computations, QStringLiteral("computations"), QObject::tr("Computations"));
  add(window, source, QStringLiteral("source"), QObject::tr("Source"));
  add(window, help, QStringLiteral("help"), QObject::tr("Help"));
  arrange(window);
}

QDockWidget* Panels::add(QMainWindow& window, QWidget* panel, const QString& name, const QString& title) {
  auto* dock = new QDockWidget(title, &window);
  dock->setObjectName(name);
  dock->setWidget(panel == layout || panel == inspector ? scrolled(panel) : panel);
  if (panel == layout || panel == value || panel == run || panel == compiled)  // a few lines of them say nothing
    QObject::connect(dock, &QDockWidget::visibilityChanged, &window, [this, panel, dock, &window](bool visible) {
      if (dock->isFloating()) return;
      if (!visible) return giveBackLater(window, *dock);
      const int wanted = panel == layout ? layout->minimumSizeHint().height() + kWrappedLine + kTitleBar : kBelow;
      const int height = std::min(wanted, window.height() * (panel == layout ? 6 : 4) / 10);
      if (dock->height() >= height) return;
      taken_ = {dock, window.centralWidget()->height()};
      window.resizeDocks({dock}, {height}, Qt::Vertical);
      QTimer::singleShot(kGlideMs, dock, [this, dock, &window] {
        if (taken_.by == dock) taken_.left = window.centralWidget()->height();
      });
    });
  docks.push_back(dock);
  return dock;
}

// What a panel took to be seen whole goes back to the canvas when another tab comes to the front, unless the user moved
// the edge meanwhile. In the next event: only then the other one is in front.
void Panels::giveBackLater(QMainWindow& window, QDockWidget& dock) {
  if (taken_.by != &dock) return;
  QMetaObject::invokeMethod(
      &window, [this, &window, &dock, taken = std::exchange(taken_, {})] { giveBack(window, dock, taken); },
      Qt::QueuedConnection);
}

void Panels::giveBack(QMainWindow& window, QDockWidget& dock, const Taken& taken) {
  const auto tabs = window.tabifiedDockWidgets(&dock);
  const auto front =
      std::ranges::find_if(tabs, [](const QDockWidget* each) { return !each->visibleRegion().isEmpty(); });
  const int now = window.centralWidget()->height();
  const bool moved = taken.left >= 0 && std::abs(now - taken.left) > kSlack;
  if (front == tabs.end() || moved) return;
  leaveToCanvas(window, **front, (*front)->height() - (taken.before - now), taken.before);
}

QDockWidget* Panels::find(const QString& name) const {
  const auto found = std::ranges::find_if(docks, [&](const QDockWidget* dock) { return dock->objectName() == name; });
  return found == docks.end() ? nullptr : *found;
}

bool Panels::raise(const QString& name) const {
  QDockWidget* dock = find(name);
  if (!dock) return false;
  dock->show();
  dock->raise();
  return true;
}

void Panels::hideAll() const {
  for (QDockWidget* dock : docks) dock->hide();
}

void Panels::arrange(QMainWindow& window) const {
  const QDockWidget* facts = find(QStringLiteral("inspector"));
  for (QDockWidget* dock : docks) {
    dock->setFloating(false);
    window.addDockWidget(dock == facts                                                 ? Qt::RightDockWidgetArea
                         : dock->widget() == palette || dock->widget() == computations ? Qt::LeftDockWidgetArea
                                                                                       : Qt::BottomDockWidgetArea,
                         dock);
    // Tab finds all of the palette, Ctrl+Shift+click asks for a value: they take no room until then.
    const bool onDemand = dock->widget() == palette || dock->widget() == value || dock->widget() == run ||
                          dock->widget() == compiled || dock->widget() == computations || dock->widget() == source;
    dock->setVisible(!onDemand);
  }
  QDockWidget* first = find(QStringLiteral("text"));
  for (QDockWidget* dock : docks)
    if (dock != first && dock != facts && dock->widget() != palette && dock->widget() != computations)
      window.tabifyDockWidget(first, dock);
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  constexpr int kRight = 370;
  window.resizeDocks({find(QStringLiteral("inspector"))}, {kRight}, Qt::Horizontal);
  lower(window);
}

void Panels::lower(QMainWindow& window) const {
  QDockWidget* first = find(QStringLiteral("text"));
  first->raise();
  const int below = std::min(kBelow, window.height() * 22 / 100);  // a small screen is the canvas's first
  window.resizeDocks({first}, {below}, Qt::Vertical);
}

}  // namespace tessera
