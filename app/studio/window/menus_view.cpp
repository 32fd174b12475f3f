// The View and Go menus: what is shown of the graph, and where one goes in it.
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>

#include "app/studio/actions/actions.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panel_actions.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "core/hlo/place_text.h"
#include "core/tools/query/query.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/place_history.h"
#include "editor/document/document.h"
#include "editor/panels/inspect/computations_panel.h"
#include "editor/panels/popups/search_bar.h"

namespace tessera {

void MainWindow::makeViewMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&View"));
  const auto open = [this] { return document().isOpen(); };
  const auto middle = [this] { return QPointF(canvas().width(), canvas().height()) / 2; };
  actions_->addOverCanvas(menu,
                          {tr("Fit &all"),
                           {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Home), QKeySequence(Qt::CTRL | Qt::Key_0)},
                           [this](bool) { canvas().viewport().fitAll(); },
                           QStringLiteral("fit all"),
                           open});
  actions_->addOverCanvas(menu, {tr("Fit &selection"),
                                 {QKeySequence(Qt::Key_F)},
                                 [this](bool) { canvas().fitSelection(); },
                                 QStringLiteral("fit selection"),
                                 open});
  actions_->addOverCanvas(menu, {tr("Open the groups round the &selection"),
                                 {QKeySequence(Qt::Key_G)},
                                 [this](bool) { pane().binding().reveal(document().selected()); },
                                 {},
                                 [this] { return current_->hasSelection(); }});
  actions_->add(menu, {tr("Zoom &in"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                       [this, middle](bool) { canvas().viewport().zoomBy(1.25, middle()); }});
  actions_->add(menu, {tr("Zoom &out"), {QKeySequence::ZoomOut}, [this, middle](bool) {
                         canvas().viewport().zoomBy(0.8, middle());
                       }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Open all groups"),
                       {QKeySequence(Qt::CTRL | Qt::Key_E)},
                       [this](bool) { document().view().openAllGroups(); },
                       QStringLiteral("open groups"),
                       open});
  actions_->add(menu, {tr("&Close all groups"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                       [this](bool) { document().view().closeAllGroups(); },
                       QStringLiteral("close groups"),
                       open});
  addGroupings(menu);
  menu.addSeparator();
  addShownItems(menu);
  menu.addSeparator();
  const auto isSplit = [this] { return area_->beside() != nullptr; };
  actions_->add(menu, {tr("Spl&it the window"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Backslash)},
                       [this](bool) { area_->split(false); },
                       QStringLiteral("split"),
                       open,
                       isSplit});
  actions_->add(menu, {tr("The same document t&wice"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Backslash)},
                       [this](bool) { area_->split(true); },
                       {},
                       [this, isSplit] { return document().isOpen() && !isSplit(); }});
  menu.addSeparator();
  addWorkspaceItems(*menu.addMenu(tr("Wor&kspace")));
  panelActions_->addList(*menu.addMenu(tr("&Panels")));
  panelActions_->addItems(*menu.addMenu(tr("Panel with the focus")));
  actions_->add(menu, {tr("S&tart page beside the canvas"), {}, [this](bool) {
                         startPage_->setVisible(startPage_->isHidden());
                       }});
}

// At the right end of the tool bar.
void MainWindow::addWorkspaces(QToolBar& bar) {
  auto* tabs = new QTabBar(&bar);
  tabs->setObjectName(QStringLiteral("workspaces"));
  tabs->setAccessibleName(tr("Workspace"));
  tabs->setDrawBase(false);
  tabs->setFocusPolicy(Qt::NoFocus);
  for (int i = 0; i < Workspaces::kCount; ++i) {
    tabs->addTab(Workspaces::title(i));
    tabs->setTabToolTip(i, Workspaces::hint(i));
  }
  connect(tabs, &QTabBar::currentChanged, workspaces_, &Workspaces::choose);
  connect(workspaces_, &Workspaces::chosen, tabs, [tabs](int, int now) { tabs->setCurrentIndex(now); });
  bar.addWidget(tabs);
}

void MainWindow::addWorkspaceItems(QMenu& menu) {
  for (int i = 0; i < Workspaces::kCount; ++i)
    actions_->add(menu, {Workspaces::title(i),
                         {QKeySequence(Qt::CTRL | Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i))},
                         [this, i](bool) {
                           workspaces_->choose(i);
                           actions_->update();
                         },
                         {},
                         nullptr,
                         [this, i] { return workspaces_->current() == i; }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Everything at its first place"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_0)},
                       [this](bool) { workspaces_->reset(); },
                       QStringLiteral("reset")});
}

void MainWindow::addGroupings(QMenu& menu) {
  QMenu& groupings = *menu.addMenu(tr("&Group by"));
  const std::pair<QString, Grouping> all[] = {{tr("&Scope"), Grouping::Scopes},
                                              {tr("Source &line"), Grouping::SourceLines},
                                              {tr("Called &computation"), Grouping::Computations},
                                              {tr("&Fusion: what becomes one kernel"), Grouping::Kernels},
                                              {tr("&Nothing"), Grouping::None}};
  for (const auto& [text, grouping] : all)
    actions_->add(groupings, {text,
                              {},
                              [this, grouping = grouping](bool) {
                                document().view().setGrouping(grouping);
                                showDocument();
                              },
                              {},
                              [this] { return document().isOpen() && !document().isPlainGraph(); },
                              [this, grouping = grouping] { return document().view().grouping() == grouping; }});
}

// What can be shown or not.
void MainWindow::addShownItems(QMenu& menu) {
  actions_->addOverCanvas(menu, {tr("Colours of a &measure on nodes"),
                                 {QKeySequence(Qt::Key_H)},
                                 [this](bool on) {
                                   document().view().showOverlay(on);
                                   pane().showLegend();
                                 },
                                 QStringLiteral("heat"),
                                 [this] { return document().isOpen(); },
                                 [this] { return document().view().showsOverlay(); }});
  addMeasures(*menu.addMenu(tr("C&olour nodes by")));
  const auto addLabel = [&](const QString& text, NodeLabels::What what) {
    actions_->add(menu, {text,
                         {},
                         [this, what](bool on) { pane().labels().show(what, on); },
                         {},
                         nullptr,
                         [this, what] { return pane().labels().shows(what); }});
  };
  addLabel(tr("HLO &names under nodes"), NodeLabels::Names);
  addLabel(tr("&Layouts under nodes"), NodeLabels::Layouts);
  addLabel(tr("&Metadata under nodes"), NodeLabels::Metadata);
  actions_->add(menu, {tr("&Constants in the nodes that read them"),
                       {},
                       [this](bool on) { document().view().showFields(on); },
                       {},
                       nullptr,
                       [this] { return document().view().showsFields(); }});
  actions_->add(menu, {tr("&Dark theme"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
                       [this](bool on) { preferences_->chooseTheme(on ? ThemeChoice::Dark : ThemeChoice::Light); },
                       {},
                       nullptr,
                       [this] { return theme() == Theme::Dark; }});
}

// What the legend's menu has, too, for the keyboard and the list of commands.
void MainWindow::addMeasures(QMenu& menu) {
  for (const MeasureInfo& info : allMeasures()) {
    QString text = QString::fromUtf8(info.name.data(), static_cast<qsizetype>(info.name.size()));
    text[0] = text[0].toUpper();
    const Measure measure = info.measure;
    actions_->add(menu, {text,
                         {},
                         [this, measure](bool) { document().measures().choose(measure); },
                         {},
                         [this, measure] { return document().measures().isAvailable(measure); },
                         [this, measure] { return document().measures().measure() == measure; }});
  }
  menu.addSeparator();
  actions_->add(menu, {tr("&Linear scale"),
                       {},
                       [this](bool on) { document().measures().setLinear(on); },
                       {},
                       [this] { return document().isOpen(); },
                       [this] { return document().measures().isLinear(); }});
  actions_->add(menu, {tr("Critical &path"),
                       {},
                       [this](bool on) { document().measures().showCriticalPath(on); },
                       QStringLiteral("critical path"),
                       [this] { return document().measures().selfTimes() != nullptr; },
                       [this] { return document().measures().showsCriticalPath(); }});
  actions_->add(menu, {tr("&Keep these times to compare with"),
                       {},
                       [this](bool) { document().measures().keepTimes(document().run().origin()); },
                       {},
                       [this] { return document().measures().selfTimes() != nullptr; }});
}

// Along what the colours say, over all computations.
void MainWindow::addHottestItems(QMenu& menu) {
  const auto go = [this](int by) {
    const InstructionId id = document().measures().nextHottest(by);
    if (id.valid()) pane().binding().reveal(id);
  };
  const auto any = [this] { return document().isOpen() && document().measures().overlay() != nullptr; };
  actions_->addOverCanvas(
      menu,
      {tr("&Next hottest"), {QKeySequence(Qt::Key_N)}, [go](bool) { go(1); }, QStringLiteral("next hottest"), any});
  actions_->addOverCanvas(
      menu, {tr("Pre&vious hottest"), {QKeySequence(Qt::SHIFT | Qt::Key_N)}, [go](bool) { go(-1); }, {}, any});
}

void MainWindow::makeGoMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Go"));
  const auto add = [&](const char* id, const QString& text, const QKeySequence& key, auto go) {
    actions_->add(menu, {text, {key}, [this, go](bool) { go(*navigation_); }, QLatin1String(id)});
  };
  add("go", tr("&Go to anything …"), QKeySequence(Qt::CTRL | Qt::Key_K), [](Navigation& n) { n.goToAnything(); });
  add("commands", tr("&Commands …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
      [](Navigation& n) { n.chooseCommand(); });
  actions_->add(menu, {tr("Co&mputations …"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
                       [this](bool) {
                         panels().raise(QStringLiteral("computations"));
                         panels().computations->begin();
                       },
                       {},
                       [this] { return document().isOpen(); }});
  menu.addSeparator();
  addFlowItems(menu);
  menu.addSeparator();
  addHottestItems(menu);
  menu.addSeparator();
  add("back", tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), [](Navigation& n) { n.history().back(); });
  add("forward", tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), [](Navigation& n) { n.history().forward(); });
  menu.addSeparator();
  actions_->add(menu, {tr("Copy a &link to it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)},
                       [this](bool) {
                         const std::string name = placeText(document().module(), document().selected());
                         const QString link =
                             document().file().path() + QLatin1Char('#') + QString::fromStdString(name);
                         QGuiApplication::clipboard()->setText(link);
                         statusBar()->showMessage(tr("Copied %1").arg(link), 4000);
                       },
                       QStringLiteral("link"),
                       [this] { return current_->hasSelection() && !document().file().path().isEmpty(); }});
  add("bookmark", tr("Toggle boo&kmark"), QKeySequence(Qt::CTRL | Qt::Key_B),
      [](Navigation& n) { n.history().toggleBookmark(); });
  add("", tr("Next book&mark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
      [](Navigation& n) { n.history().nextBookmark(); });
  menu.addSeparator();
  const auto addDocuments = [&](const QString& text, int step, const QList<QKeySequence>& keys) {
    actions_->add(
        menu, {text, keys, [this, step](bool) { area_->goToTab(step); }, {}, [this] { return tabs_->count() > 1; }});
  };
  addDocuments(tr("Next &document"), 1,
               {QKeySequence(Qt::CTRL | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::Key_PageDown)});
  addDocuments(tr("Previous d&ocument"), -1,
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backtab),
                QKeySequence(Qt::CTRL | Qt::Key_PageUp)});
  menu.addSeparator();
  actions_->add(menu, {tr("Next &panel"), {QKeySequence(Qt::Key_F6)}, [this](bool) { panelActions_->goToPart(1); }});
  actions_->add(menu, {tr("P&revious panel"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)}, [this](bool) {
                         panelActions_->goToPart(-1);
                       }});
}

// Where values go, as queries of the search bar: they can be read, changed and walked.
void MainWindow::addFlowItems(QMenu& menu) {
  const auto search = [this](const QString& query) {
    pane().searchBar().open();
    pane().searchBar().field()->setText(query);
  };
  const auto named = [this](const char* field, InstructionId id) {
    const std::string text = placeText(document().module(), id);
    return QLatin1String(field) + QString::fromStdString(quotedForQuery(text, nullptr));
  };
  const auto one = [this] { return current_->hasSelection() && document().selection().size() == 1; };
  actions_->add(menu, {tr("What it is computed &from"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Up)},
                       [=, this](bool) { search(named("feeds:", document().selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What is computed from &it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Down)},
                       [=, this](bool) { search(named("from:", document().selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What is &near it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period)},
                       [=, this](bool) { search(named("near:", document().selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What lies be&tween the two"),
                       {},
                       [=, this](bool) {
                         const auto& two = document().selection();
                         search(QStringLiteral("(%1 %2) | (%3 %4)")
                                    .arg(named("from:", two[0]), named("feeds:", two[1]), named("from:", two[1]),
                                         named("feeds:", two[0])));
                       },
                       {},
                       [this] { return document().isOpen() && document().selection().size() == 2; }});
}

}  // namespace tessera
