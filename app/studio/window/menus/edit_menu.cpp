// See edit_menu.h.
#include "app/studio/window/menus/edit_menu.h"

#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

#include "app/studio/actions/actions.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/part_taker.h"
#include "app/studio/window/panels.h"
#include "backends/backend.h"
#include "editor/controllers/argument_sources.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/document.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/text/text_panel.h"

namespace tessera {

EditMenu::EditMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, PartTaker& parts,
                   PreferenceControl& preferences, QObject* parent)
    : QObject(parent),
      bar_(bar),
      actions_(actions),
      current_(current),
      opener_(opener),
      parts_(parts),
      preferences_(preferences) {
  QMenu& menu = *bar.addMenu(tr("&Edit"));
  addSteps(menu);
  menu.addSeparator();
  addBuildItems(menu);
  menu.addSeparator();
  addSelecting(*menu.addMenu(tr("Se&lect")));
  addPartItems(*menu.addMenu(tr("&Build from the selection")));
  menu.addSeparator();
  addFindItems(menu);
  menu.addSeparator();
  actions_.add(menu,
               {tr("Pre&ferences …"),
                {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
                [this](bool) { (new PreferencesDialog(preferences_, defaultKernelCache(), bar_.window()))->open(); },
                QStringLiteral("preferences")});
}

void EditMenu::addSteps(QMenu& menu) {
  const auto named = [](const QString& with, const QString& without, const QString& title) {
    return title.isEmpty() ? without : with.arg(title);
  };
  actions_.add(menu, {tr("&Undo"),
                      {QKeySequence::Undo},
                      [this](bool) { current_.document().undo(); },
                      QStringLiteral("undo"),
                      [this] { return current_.document().canUndo(); },
                      nullptr,
                      [this, named] {
                        return named(tr("&Undo: %1"), tr("&Undo"),
                                     current_.document().canUndo() ? current_.document().undoTitle() : QString());
                      }});
  actions_.add(menu, {tr("&Redo"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                      [this](bool) { current_.document().redo(); },
                      QStringLiteral("redo"),
                      [this] { return current_.document().canRedo(); },
                      nullptr,
                      [this, named] {
                        return named(tr("&Redo: %1"), tr("&Redo"),
                                     current_.document().canRedo() ? current_.document().redoTitle() : QString());
                      }});
}

void EditMenu::add(QMenu& menu, const char* id, const QString& text, const QList<QKeySequence>& keys, const Can& can,
                   const std::function<void()>& run) {
  actions_.addOverCanvas(menu, {text, keys, [run](bool) { run(); }, QLatin1String(id), can});
}

void EditMenu::addBuildItems(QMenu& menu) {
  const Can open = [this] { return current_.isOpen(); }, selected = [this] { return current_.hasSelection(); };
  const QList<QKeySequence> addKeys{QKeySequence(Qt::Key_Tab), QKeySequence(Qt::SHIFT | Qt::Key_A)};
  add(menu, "add", tr("&Add an operation …"), addKeys, open, [this] {
    if (current_.isOpen()) current_.pane().graphEdit().openSearchByKey();
  });
  menu.addSeparator();
  add(menu, "cut", tr("Cu&t"), {QKeySequence::Cut}, selected, [this] { current_.pane().graphEdit().cutSelection(); });
  add(menu, "copy", tr("&Copy as HLO text"), {QKeySequence::Copy}, selected,
      [this] { current_.pane().graphEdit().copySelection(); });
  add(menu, "paste", tr("&Paste"), {QKeySequence::Paste}, open, [this] {
    current_.pane().graphEdit().clipboardHoldsDocument() ? opener_.openClipboard()
                                                         : current_.pane().graphEdit().paste(false);
  });
  add(menu, "paste-keep", tr("Paste &keeping inputs"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)}, open,
      [this] { current_.pane().graphEdit().paste(true); });
  add(menu, "duplicate", tr("Duplicat&e"), {QKeySequence(Qt::CTRL | Qt::Key_D)}, selected,
      [this] { current_.pane().graphEdit().duplicateSelection(); });
  add(menu, "delete", tr("&Delete and reconnect"), {QKeySequence(Qt::Key_Delete)}, selected, [this] {
    if (!current_.pane().arrangement().removePageItems()) current_.pane().graphEdit().removeSelection();
  });
  add(menu, "delete-open", tr("Delete, leavin&g inputs open"), {QKeySequence(Qt::SHIFT | Qt::Key_Delete)}, selected,
      [this] { current_.pane().graphEdit().removeSelection(GraphEditController::Gap::Open); });
  menu.addSeparator();
  add(menu, "replace", tr("Replace b&y another operation …"), {QKeySequence(Qt::CTRL | Qt::Key_H)}, selected,
      [this] { current_.pane().graphEdit().replaceSelected(); });
  add(menu, "pick-source", tr("Choose &what feeds it …"), {QKeySequence(Qt::Key_I)}, selected,
      [this] { current_.pane().graphEdit().pickSource(current_.document().selected(), -1); });
  add(menu, "argument-source", tr("Where its &values come from …"), {QKeySequence(Qt::SHIFT | Qt::Key_V)}, selected,
      [this] { current_.pane().runController().arguments().openForSelection(); });
  menu.addSeparator();
  add(menu, "make-result", tr("Make it t&he result"), {QKeySequence(Qt::Key_R)}, selected,
      [this] { current_.pane().graphEdit().makeResult(); });
  add(menu, "fields", tr("&Show a value as a node or in its reader"), {QKeySequence(Qt::Key_V)}, nullptr,
      [this] { current_.pane().graphEdit().toggleFields(); });
  add(
      menu, "leave", tr("Leave the co&mputation"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      [this] {
        return current_.isOpen() && current_.document().view().computation() != current_.document().module().entry();
      },
      [this] { current_.pane().graphEdit().leaveComputation(); });
}

void EditMenu::addSelecting(QMenu& menu) {
  const Can open = [this] { return current_.isOpen(); }, selected = [this] { return current_.hasSelection(); };
  add(menu, "select-all", tr("Select a&ll"), {QKeySequence::SelectAll}, open,
      [this] { current_.pane().graphEdit().selectAll(); });
  add(menu, "invert", tr("&Invert the selection"), {QKeySequence(Qt::CTRL | Qt::Key_I)}, open,
      [this] { current_.pane().graphEdit().invertSelection(); });
  add(menu, "select-same", tr("Select all of the same &kind"), {QKeySequence(Qt::SHIFT | Qt::Key_G)}, selected,
      [this] { current_.pane().graphEdit().selectSameType(); });
}

void EditMenu::addPartItems(QMenu& menu) {
  const Can selected = [this] { return current_.hasSelection(); };
  add(menu, "group", tr("&Group into a computation or fusion"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)},
      selected, [this] { current_.pane().groups().group(); });
  add(menu, "inline", tr("&Inline calls and fusions"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_U)}, selected,
      [this] { current_.pane().groups().inlineSelection(); });
  add(menu, "promote", tr("Const&ant to parameter"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_P)}, selected,
      [this] { current_.pane().groups().promote(); });
  add(menu, "gradient", tr("Gra&dient of the selection"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_G)}, selected,
      [this] { current_.pane().groups().gradient(); });
  add(menu, "extract", tr("E&xtract as a module …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_X)}, selected,
      [this] { current_.pane().groups().askWhereToExtract(); });
  add(menu, "take-out", tr("Take out to edit, measure and put bac&k"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_T)},
      selected, [this] { parts_.takeOut(); });
  add(menu, "save-block", tr("Save as a &block …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_B)}, selected,
      [this] { current_.pane().blocks().askForName(); });
  add(
      menu, "update-blocks", tr("Update blocks to the librar&y"), {},
      [this] { return current_.pane().blocks().offersUpdate(); }, [this] { current_.pane().blocks().update(); });
}

void EditMenu::addFindItems(QMenu& menu) {
  const auto open = [this] { return current_.isOpen(); };
  const auto inText = [this] {
    const QWidget* focus = bar_.window()->focusWidget();
    return focus && current_.panels().text->isAncestorOf(focus);
  };
  const auto findInText = [this](bool) {
    current_.panels().raise(QStringLiteral("text"));
    current_.panels().text->findField()->setFocus();
    current_.panels().text->findField()->selectAll();
  };
  const auto find = [this, inText, findInText](bool) {
    inText() ? findInText(true) : current_.pane().searchBar().open();
  };
  const auto step = [this, inText](bool backwards) {
    current_.pane().searchBar().isVisible() && !inText() ? current_.pane().searchBar().step(backwards)
                                                         : current_.panels().text->findNext(backwards);
  };
  actions_.add(menu, {tr("Find &instructions …"), {QKeySequence::Find}, find, QStringLiteral("find"), open});
  const QKeySequence inTextKey(Qt::CTRL | Qt::ALT | Qt::Key_F);
  actions_.add(menu, {tr("Find in the te&xt …"), {inTextKey}, findInText, {}, open});
  actions_.add(menu, {tr("Find &next"), {QKeySequence(Qt::Key_F3)}, [step](bool) { step(false); }});
  actions_.add(menu, {tr("Find previ&ous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [step](bool) { step(true); }});
}

}  // namespace tessera
