// See help_menu.h.
#include "app/studio/window/menus/help_menu.h"

#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

#include "app/studio/actions/actions.h"
#include "app/studio/start/tour_guide.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/panels_on_demand.h"
#include "editor/panels/help_panel.h"

namespace tessera {

HelpMenu::HelpMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, Navigation& navigation,
                   DocumentOpener& opener, PanelsOnDemand& panels, QObject* parent)
    : QObject(parent),
      bar_(bar),
      actions_(actions),
      current_(current),
      navigation_(navigation),
      opener_(opener),
      panels_(panels) {
  QMenu& menu = *bar.addMenu(tr("&Help"));
  const auto help = [this](bool) {
    current_.panels().raise(QStringLiteral("help"));
    current_.panels().help->showSelection();
  };
  actions_.add(menu, {tr("Help on the &operation"), {QKeySequence(Qt::Key_F1)}, help, QStringLiteral("help")});
  actions_.add(
      menu,
      {tr("&Manual"), {}, [this](bool) { panels_.showChapter(QStringLiteral("index")); }, QStringLiteral("manual")});
  actions_.add(menu, {tr("Mouse and &keys"),
                      {QKeySequence(Qt::Key_Question)},
                      [this](bool) { navigation_.showKeys(); },
                      QStringLiteral("keys")});
  actions_.add(menu, {tr("&Lessons"), {}, [this](bool) { opener_.goOnWithLessons(); }, QStringLiteral("lessons")});
  QMenu* tours = menu.addMenu(tr("&Guided tours"));
  tours->setProperty("isList", true);
  for (const Tour& tour : toursIn(TourGuide::folder()))
    connect(tours->addAction(tour.title), &QAction::triggered, this, [this, tour] { emit tourWanted(tour); });
  actions_.add(menu, {tr("&About Tessera"), {}, [this](bool) { showAbout(); }});
}

void HelpMenu::showAbout() {
  QMessageBox::about(bar_.window(), tr("About Tessera"),
                     tr("<p><b>Tessera</b><br>An editor and compiler for XLA HLO graphs. Apache-2.0.</p>"));
}

}  // namespace tessera
