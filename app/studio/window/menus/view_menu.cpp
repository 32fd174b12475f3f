// See view_menu.h.
#include "app/studio/window/menus/view_menu.h"

#include <QMenu>
#include <QMenuBar>

#include "app/studio/actions/actions.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panel_actions.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/minimap.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/node_labels.h"
#include "editor/document/document.h"

namespace tessera {

ViewMenu::ViewMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, PaneArea& area, Workspaces& workspaces,
                   PanelActions& panels, PreferenceControl& preferences, StartPage& startPage, QObject* parent)
    : QObject(parent),
      actions_(actions),
      current_(current),
      area_(area),
      workspaces_(workspaces),
      panels_(panels),
      preferences_(preferences),
      startPage_(startPage) {
  QMenu& menu = *bar.addMenu(tr("&View"));
  addZoom(menu);
  menu.addSeparator();
  addGroups(menu);
  addGroupings(*menu.addMenu(tr("&Group by")));
  menu.addSeparator();
  addHiding(menu);
  menu.addSeparator();
  addShownItems(menu);
  menu.addSeparator();
  addSplit(menu);
  menu.addSeparator();
  addWorkspaces(*menu.addMenu(tr("Wor&kspace")));
  panels_.addList(*menu.addMenu(tr("&Panels")));
  panels_.addItems(*menu.addMenu(tr("Pane&l with the focus")));
  actions_.add(
      menu, {tr("Start page &beside the canvas"), {}, [this](bool) { startPage_.setVisible(startPage_.isHidden()); }});
}

void ViewMenu::addZoom(QMenu& menu) {
  const auto open = [this] { return current_.isOpen(); };
  const auto middle = [this] { return QPointF(current_.canvas().width(), current_.canvas().height()) / 2; };
  actions_.addOverCanvas(menu,
                         {tr("Fit &all"),
                          {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Home), QKeySequence(Qt::CTRL | Qt::Key_0)},
                          [this](bool) { current_.canvas().fitAll(); },
                          QStringLiteral("fit all"),
                          open});
  actions_.addOverCanvas(menu, {tr("&Fit selection"),
                                {QKeySequence(Qt::Key_F)},
                                [this](bool) { current_.canvas().fitSelection(); },
                                QStringLiteral("fit selection"),
                                open});
  actions_.addOverCanvas(menu, {tr("Open the groups round the &selection"),
                                {QKeySequence(Qt::Key_G)},
                                [this](bool) { current_.pane().binding().reveal(current_.document().selected()); },
                                {},
                                [this] { return current_.hasSelection(); }});
  actions_.add(menu, {tr("&Zoom in"),
                      {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                      [this, middle](bool) { current_.canvas().viewport().zoomBy(1.25, middle()); }});
  actions_.add(menu, {tr("Zoom &out"), {QKeySequence::ZoomOut}, [this, middle](bool) {
                        current_.canvas().viewport().zoomBy(0.8, middle());
                      }});
}

void ViewMenu::addGroups(QMenu& menu) {
  const auto open = [this] { return current_.isOpen(); };
  actions_.add(menu, {tr("Op&en all groups"),
                      {QKeySequence(Qt::CTRL | Qt::Key_E)},
                      [this](bool) { current_.document().view().openAllGroups(); },
                      QStringLiteral("open groups"),
                      open});
  actions_.add(menu, {tr("&Close all groups"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                      [this](bool) { current_.document().view().closeAllGroups(); },
                      QStringLiteral("close groups"),
                      open});
}

void ViewMenu::addHiding(QMenu& menu) {
  const auto selected = [this] {
    return current_.isModule() && (current_.hasSelection() || !current_.document().view().selectedGroup().isEmpty());
  };
  const auto view = [this]() -> SceneView& { return current_.document().view(); };
  actions_.addOverCanvas(menu, {tr("Hide all e&xcept the selection"),
                                {QKeySequence(Qt::SHIFT | Qt::Key_H)},
                                [view](bool) { view().isolateSelected(); },
                                QStringLiteral("isolate"),
                                selected});
  actions_.addOverCanvas(menu, {tr("Hide the selectio&n"),
                                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H)},
                                [view](bool) { view().hideSelected(); },
                                QStringLiteral("hide"),
                                selected});
  actions_.addOverCanvas(menu, {tr("Show what is &hidden"),
                                {QKeySequence(Qt::ALT | Qt::SHIFT | Qt::Key_H)},
                                [view](bool) { view().showHidden(); },
                                QStringLiteral("show hidden"),
                                [this, view] { return current_.isModule() && view().hidesAny(); }});
}

void ViewMenu::addGroupings(QMenu& menu) {
  const std::pair<QString, Grouping> all[] = {{tr("&Scope"), Grouping::Scopes},
                                              {tr("Source &line"), Grouping::SourceLines},
                                              {tr("Called &computation"), Grouping::Computations},
                                              {tr("&Fusion: what becomes one kernel"), Grouping::Kernels},
                                              {tr("&Nothing"), Grouping::None}};
  for (const auto& [text, grouping] : all)
    actions_.add(menu, {text,
                        {},
                        [this, grouping = grouping](bool) {
                          current_.document().view().setGrouping(grouping);
                          actions_.update();
                        },
                        {},
                        [this] { return current_.isModule(); },
                        [this, grouping = grouping] { return current_.document().view().grouping() == grouping; }});
}

void ViewMenu::addShownItems(QMenu& menu) {
  actions_.addOverCanvas(menu, {tr("Colours of a &measure on nodes"),
                                {QKeySequence(Qt::Key_H)},
                                [this](bool on) {
                                  current_.document().view().showOverlay(on);
                                  current_.pane().showLegend();
                                },
                                QStringLiteral("heat"),
                                [this] { return current_.isOpen(); },
                                [this] { return current_.document().view().showsOverlay(); }});
  addMeasures(*menu.addMenu(tr("Colour nodes b&y")));
  addLabels(*menu.addMenu(tr("Lines &under nodes")));
  actions_.add(menu, {tr("Constants in the nodes that &read them"),
                      {},
                      [this](bool on) { current_.document().view().showFields(on); },
                      {},
                      nullptr,
                      [this] { return current_.document().view().showsFields(); }});
  actions_.add(menu, {tr("Map of &the graph"),
                      {},
                      [this](bool on) { current_.pane().minimap().setWanted(on); },
                      {},
                      [this] { return current_.isOpen(); },
                      [this] { return current_.pane().minimap().isWanted(); }});
  actions_.add(menu, {tr("&Dark theme"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
                      [this](bool on) { preferences_.chooseTheme(on ? ThemeChoice::Dark : ThemeChoice::Light); },
                      {},
                      nullptr,
                      [this] { return area_.theme() == Theme::Dark; }});
}

void ViewMenu::addLabels(QMenu& menu) {
  const auto add = [&](const QString& text, NodeLabels::What what) {
    actions_.add(menu, {text,
                        {},
                        [this, what](bool on) { current_.pane().labels().show(what, on); },
                        {},
                        nullptr,
                        [this, what] { return current_.pane().labels().shows(what); }});
  };
  add(tr("HLO &names under nodes"), NodeLabels::Names);
  add(tr("&Layouts under nodes"), NodeLabels::Layouts);
  add(tr("&Metadata under nodes"), NodeLabels::Metadata);
}

void ViewMenu::addMeasures(QMenu& menu) {
  for (const MeasureInfo& info : allMeasures()) {
    QString text = QString::fromUtf8(info.name.data(), static_cast<qsizetype>(info.name.size()));
    text[0] = text[0].toUpper();
    const Measure measure = info.measure;
    actions_.add(menu, {text,
                        {},
                        [this, measure](bool) { current_.document().measures().choose(measure); },
                        {},
                        [this, measure] { return current_.document().measures().isAvailable(measure); },
                        [this, measure] { return current_.document().measures().measure() == measure; }});
  }
  menu.addSeparator();
  actions_.add(menu, {tr("&Linear scale"),
                      {},
                      [this](bool on) { current_.document().measures().setLinear(on); },
                      {},
                      [this] { return current_.isOpen(); },
                      [this] { return current_.document().measures().isLinear(); }});
  actions_.add(menu, {tr("Critical &path"),
                      {},
                      [this](bool on) { current_.document().measures().showCriticalPath(on); },
                      QStringLiteral("critical path"),
                      [this] { return current_.document().measures().selfTimes() != nullptr; },
                      [this] { return current_.document().measures().showsCriticalPath(); }});
  actions_.add(menu,
               {tr("&Keep these times to compare with"),
                {},
                [this](bool) { current_.document().measures().keepTimes(current_.document().run().origin().words); },
                {},
                [this] { return current_.document().measures().selfTimes() != nullptr; }});
}

void ViewMenu::addSplit(QMenu& menu) {
  actions_.add(menu, {tr("Spl&it the window"),
                      {QKeySequence(Qt::CTRL | Qt::Key_Backslash)},
                      [this](bool) { area_.split(false); },
                      QStringLiteral("split"),
                      [this] { return current_.isOpen(); },
                      [this] { return area_.beside() != nullptr; }});
  actions_.add(menu, {tr("The same document t&wice"),
                      {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Backslash)},
                      [this](bool) { area_.split(true); },
                      {},
                      [this] { return current_.isOpen() && !area_.beside(); }});
}

void ViewMenu::addWorkspaces(QMenu& menu) {
  for (int i = 0; i < Workspaces::kCount; ++i)
    actions_.add(menu, {Workspaces::title(i),
                        {QKeySequence(Qt::CTRL | Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i))},
                        [this, i](bool) {
                          workspaces_.choose(i);
                          actions_.update();
                        },
                        {},
                        nullptr,
                        [this, i] { return workspaces_.current() == i; }});
  menu.addSeparator();
  actions_.add(menu, {tr("&Everything at its first place"),
                      {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_0)},
                      [this](bool) { workspaces_.reset(); },
                      QStringLiteral("reset")});
}

}  // namespace tessera
