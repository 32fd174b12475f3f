// See run_menu.h.
#include "app/studio/window/menus/run_menu.h"

#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>

#include "app/studio/actions/actions.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/panels.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/document.h"
#include "editor/document/player.h"
#include "editor/panels/banner.h"
#include "editor/panels/run/permission_list.h"
#include "editor/panels/run/watch_panel.h"

namespace tessera {

RunMenu::RunMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, QStatusBar& status,
                 QObject* parent)
    : QObject(parent), bar_(bar), actions_(actions), current_(current), opener_(opener), status_(status) {
  QMenu& menu = *bar.addMenu(tr("&Run"));
  const auto run = [this](bool) {
    current_.banner().hide();
    current_.document().live().setOn(true);
    current_.document().watched().wake();
    current_.document().run().start();
  };
  actions_.add(menu,
               {tr("&Run and profile"),
                {QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::CTRL | Qt::Key_Return)},
                run,
                QStringLiteral("run"),
                [this] { return current_.isOpen() && !current_.document().run().isRunning(); }});
  actions_.add(menu, {tr("&Values on nodes, after every edit"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                      [this](bool on) { showValues(on); },
                      QStringLiteral("live values"),
                      [this] { return current_.isOpen(); },
                      [this] { return current_.isOpen() && current_.document().live().isOn(); }});
  actions_.addAlsoOnCanvas(
      menu, {tr("Feed the result bac&k"),
             {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_R)},
             [this](bool on) { current_.pane().runController().player().setFeedsBack(on); },
             QStringLiteral("feed back"),
             [this] { return current_.isOpen() && current_.pane().runController().player().canFeedBack(); },
             [this] { return current_.isOpen() && current_.pane().runController().player().feedsBack(); }});
  actions_.add(menu, {tr("&Cancel"),
                      {QKeySequence(Qt::Key_Escape)},
                      [this](bool) {
                        for (const BackgroundTask& task : current_.pane().original().tasks()) task.cancel();
                        opener_.cancelReading();
                      },
                      QStringLiteral("cancel"),
                      [this] { return opener_.isReading() || !current_.pane().original().tasks().empty(); }});
  actions_.add(menu, {tr("&Watch the selection over many steps"),
                      {},
                      [this](bool) {
                        current_.panels().raise(QStringLiteral("watch"));
                        current_.panels().watch->watch(current_.document().selection());
                      },
                      QStringLiteral("watch"),
                      [this] { return current_.hasSelection(); }});
  menu.addSeparator();
  actions_.add(menu, {tr("Run &settings …"),
                      {QKeySequence(Qt::CTRL | Qt::Key_F5)},
                      [this](bool) { current_.panels().raise(QStringLiteral("run")); },
                      QStringLiteral("run settings"),
                      [this] { return current_.isModule(); }});
  actions_.add(menu, {tr("&Allowed files …"),
                      {},
                      [this](bool) { (new PermissionList(current_.document(), bar_.window()))->show(); },
                      QStringLiteral("allowed files"),
                      [this] { return current_.isOpen(); }});
}

// What cannot be computed after every edit is said, and what can be done instead.
void RunMenu::showValues(bool on) {
  constexpr int kToldMs = 8000;
  LiveValues& live = current_.document().live();
  live.setOn(on);
  if (on && !live.showsValuesOf(current_.document().module()))
    status_.showMessage(tr("This graph is too large to compute after every edit: Ctrl+Shift+click watches one value"),
                        kToldMs);
}

}  // namespace tessera
