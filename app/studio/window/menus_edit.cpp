// The Edit and Arrange menus: what is done to the selection and on the canvas. Their keys act only while the
// canvas has the focus, but for undo, redo and finding.
#include <QCursor>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <tuple>

#include "app/studio/actions/actions.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/part_taker.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "backends/backend.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/argument_sources.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/document.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/value_panel.h"

namespace tessera {

// Where the pointer is over the canvas, else its middle.
QPoint MainWindow::pointerOnCanvas() const {
  const QPoint at = canvas().mapFromGlobal(QCursor::pos());
  return canvas().rect().contains(at) ? at : canvas().rect().center();
}

void MainWindow::makeEditMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Edit"));
  const auto named = [](const QString& with, const QString& without, const QString& title) {
    return title.isEmpty() ? without : with.arg(title);
  };
  actions_->add(menu, {tr("&Undo"),
                       {QKeySequence::Undo},
                       [this](bool) { document().undo(); },
                       QStringLiteral("undo"),
                       [this] { return document().canUndo(); },
                       nullptr,
                       [this, named] {
                         return named(tr("&Undo: %1"), tr("&Undo"),
                                      document().canUndo() ? document().undoTitle() : QString());
                       }});
  actions_->add(menu, {tr("&Redo"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                       [this](bool) { document().redo(); },
                       QStringLiteral("redo"),
                       [this] { return document().canRedo(); },
                       nullptr,
                       [this, named] {
                         return named(tr("&Redo: %1"), tr("&Redo"),
                                      document().canRedo() ? document().redoTitle() : QString());
                       }});
  menu.addSeparator();
  addBuildItems(menu);
  addFindItems(menu);
  menu.addSeparator();
  actions_->add(menu, {tr("Pre&ferences …"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
                       [this](bool) { (new PreferencesDialog(*preferences_, defaultKernelCache(), this))->open(); },
                       QStringLiteral("preferences")});
}

// In the text where the text has the keys, else in the graph.
void MainWindow::addFindItems(QMenu& menu) {
  const auto open = [this] { return document().isOpen(); };
  const auto inText = [this] {
    const QWidget* focus = focusWidget();
    return focus && panels().text->isAncestorOf(focus);
  };
  const auto findInText = [this](bool) {
    panels().raise(QStringLiteral("text"));
    panels().text->findField()->setFocus();
    panels().text->findField()->selectAll();
  };
  const auto find = [this, inText, findInText](bool) { inText() ? findInText(true) : pane().searchBar().open(); };
  const auto step = [this, inText](bool backwards) {
    pane().searchBar().isVisible() && !inText() ? pane().searchBar().step(backwards)
                                                : panels().text->findNext(backwards);
  };
  actions_->add(menu, {tr("&Find instructions …"), {QKeySequence::Find}, find, QStringLiteral("find"), open});
  actions_->add(menu,
                {tr("Find in the &text …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_F)}, findInText, {}, open});
  actions_->add(menu, {tr("Find &next"), {QKeySequence(Qt::Key_F3)}, [step](bool) { step(false); }});
  actions_->add(menu, {tr("Find &previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [step](bool) { step(true); }});
}

void MainWindow::addBuildItems(QMenu& menu) {
  using Can = std::function<bool()>;
  const Can open = [this] { return document().isOpen(); }, selected = [this] { return current_->hasSelection(); };
  const auto add = [&](const char* id, const QString& text, const QList<QKeySequence>& keys, const Can& can, auto run) {
    actions_->addOverCanvas(menu, {text, keys, [run](bool) { run(); }, QLatin1String(id), can});
  };
  const QList<QKeySequence> addKeys{QKeySequence(Qt::Key_Tab), QKeySequence(Qt::SHIFT | Qt::Key_A)};
  add("add", tr("&Add an operation …"), addKeys, open, [this] {
    if (document().isOpen()) pane().graphEdit().openSearchByKey();
  });
  menu.addSeparator();
  add("cut", tr("Cu&t"), {QKeySequence::Cut}, selected, [this] { pane().graphEdit().cutSelection(); });
  add("copy", tr("&Copy as HLO text"), {QKeySequence::Copy}, selected, [this] { pane().graphEdit().copySelection(); });
  add("paste", tr("&Paste"), {QKeySequence::Paste}, open, [this] {
    pane().graphEdit().clipboardHoldsDocument() ? opener_->openClipboard() : pane().graphEdit().paste(false);
  });
  add("paste-keep", tr("Paste &keeping inputs"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)}, open,
      [this] { pane().graphEdit().paste(true); });
  add("duplicate", tr("D&uplicate"), {QKeySequence(Qt::CTRL | Qt::Key_D)}, selected,
      [this] { pane().graphEdit().duplicateSelection(); });
  add("delete", tr("&Delete and reconnect"), {QKeySequence(Qt::Key_Delete)}, selected, [this] {
    if (!pane().arrangement().removePageItems()) pane().graphEdit().removeSelection();
  });
  add("delete-open", tr("Delete, leaving inputs &open"), {QKeySequence(Qt::SHIFT | Qt::Key_Delete)}, selected,
      [this] { pane().graphEdit().removeSelection(GraphEditController::Gap::Open); });
  add("replace", tr("R&eplace by another operation …"), {QKeySequence(Qt::CTRL | Qt::Key_H)}, selected,
      [this] { pane().graphEdit().replaceSelected(); });
  add("pick-source", tr("C&hoose what feeds it …"), {QKeySequence(Qt::Key_I)}, selected,
      [this] { pane().graphEdit().pickSource(document().selected(), -1); });
  add("argument-source", tr("Where its &values come from …"), {QKeySequence(Qt::SHIFT | Qt::Key_V)}, selected,
      [this] { pane().runController().arguments().openForSelection(); });
  add("select-all", tr("Select a&ll"), {QKeySequence::SelectAll}, open, [this] { pane().graphEdit().selectAll(); });
  add("invert", tr("I&nvert the selection"), {QKeySequence(Qt::CTRL | Qt::Key_I)}, open,
      [this] { pane().graphEdit().invertSelection(); });
  add("select-same", tr("Select all of the same &kind"), {QKeySequence(Qt::SHIFT | Qt::Key_G)}, selected,
      [this] { pane().graphEdit().selectSameType(); });
  add("make-result", tr("Make it the &result"), {QKeySequence(Qt::Key_R)}, selected,
      [this] { pane().graphEdit().makeResult(); });
  add("fields", tr("Show a &value as a node or in its reader"), {QKeySequence(Qt::Key_V)}, nullptr,
      [this] { pane().graphEdit().toggleFields(); });
  add(
      "leave", tr("&Leave the computation"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      [this] { return document().isOpen() && document().view().computation() != document().module().entry(); },
      [this] { pane().graphEdit().leaveComputation(); });
  add("group", tr("&Group into a computation or fusion"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)}, selected,
      [this] { pane().groups().group(); });
  add("inline", tr("&Inline calls and fusions"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_U)}, selected,
      [this] { pane().groups().inlineSelection(); });
  add("promote", tr("Constant to para&meter"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_P)}, selected,
      [this] { pane().groups().promote(); });
  add("gradient", tr("Gra&dient of the selection"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_G)}, selected,
      [this] { pane().groups().gradient(); });
  add("extract", tr("E&xtract as a module …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_X)}, selected,
      [this] { pane().groups().askWhereToExtract(); });
  add("take-out", tr("Take out to edit, measure and put bac&k"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_T)},
      selected, [this] { parts_->takeOut(); });
  add("save-block", tr("Save as a &block …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_B)}, selected,
      [this] { pane().blocks().askForName(); });
  add(
      "update-blocks", tr("Update blocks to the librar&y"), {}, [this] { return pane().blocks().offersUpdate(); },
      [this] { pane().blocks().update(); });
  menu.addSeparator();
}

void MainWindow::makeArrangeMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Arrange"));
  const auto add = [&](QMenu& to, const char* id, const QString& text, const QKeySequence& key, auto run) {
    actions_->addOverCanvas(to, {text, {key}, [this, run](bool) { run(pane().arrangement()); }, QLatin1String(id)});
  };
  using Controller = ArrangeController;
  add(menu, "tidy", tr("&Tidy all, or the selection"), QKeySequence(Qt::CTRL | Qt::Key_L),
      [](Controller& c) { c.tidy(); });
  QMenu& flow = *menu.addMenu(tr("Wires &run"));
  const std::tuple<const char*, QString, PageFlow> kFlows[] = {
      {"flow-right", tr("To the &right"), PageFlow::Right},
      {"flow-down", tr("&Downwards"), PageFlow::Down},
      {"flow-form", tr("As the &form of the graph asks for"), PageFlow::ByForm}};
  for (const auto& [id, text, way] : kFlows)
    actions_->addOverCanvas(flow, {text,
                                   {},
                                   [this, way](bool) { document().setFlow(way); },
                                   QLatin1String(id),
                                   [this] { return document().isOpen() && !document().isPlainGraph(); },
                                   [this, way] { return document().isOpen() && document().project().flow == way; }});
  add(menu, "turn-flow", tr("T&urn the flow"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_L),
      [](Controller& c) { c.turnFlow(); });
  QMenu& align = *menu.addMenu(tr("&Align and distribute"));
  const std::pair<QString, Alignment> kAlignments[] = {{tr("Align &left"), Alignment::Left},
                                                       {tr("Align &centres"), Alignment::Centre},
                                                       {tr("Align &right"), Alignment::Right},
                                                       {tr("Align &top"), Alignment::Top},
                                                       {tr("Align &middles"), Alignment::Middle},
                                                       {tr("Align &bottom"), Alignment::Bottom},
                                                       {tr("Distribute &across"), Alignment::SpreadAcross},
                                                       {tr("Distribute &down"), Alignment::SpreadDown}};
  for (const auto& [text, alignment] : kAlignments)
    add(align, "", text, {}, [alignment](Controller& c) { c.align(alignment); });
  menu.addSeparator();
  add(menu, "frame", tr("&Frame the selection"), QKeySequence(Qt::CTRL | Qt::Key_G),
      [](Controller& c) { c.frameSelection(); });
  add(menu, "note", tr("&Note at the pointer"), QKeySequence(Qt::Key_T),
      [this](Controller& c) { c.addNote(pointerOnCanvas()); });
  add(menu, "color", tr("Next &colour of a frame or note"), QKeySequence(Qt::SHIFT | Qt::Key_C),
      [](Controller& c) { c.nextColor(); });
  menu.addSeparator();
  add(menu, "mute", tr("&Mute (bypassed when run)"), QKeySequence(Qt::Key_M), [](Controller& c) { c.toggleMute(); });
  add(menu, "enlarge", tr("Show the value &large on the node"), QKeySequence(Qt::Key_E),
      [](Controller& c) { c.toggleLarge(); });
  actions_->addOverCanvas(menu, {tr("See the &value in its panel"),
                                 {QKeySequence(Qt::SHIFT | Qt::Key_E)},
                                 [this](bool) {
                                   panels().raise(QStringLiteral("value"));
                                   panels().value->want(document().selected());
                                 },
                                 QStringLiteral("value"),
                                 [this] { return current_->hasSelection(); }});
  add(menu, "swap", tr("&Swap two inputs"), QKeySequence(Qt::Key_X), [](Controller& c) { c.swapInputs(); });
  add(menu, "pull-out", tr("&Pull out of its wires"), QKeySequence(Qt::Key_P), [](Controller& c) { c.pullOut(); });
  const auto resize = [](Controller& c) { c.changeSize(); };
  add(menu, "size", tr("Change a size &everywhere …"), QKeySequence(Qt::Key_S), resize);
  menu.addSeparator();
  add(menu, "select-needed", tr("Select all it &depends on"), QKeySequence(Qt::Key_L),
      [](Controller& c) { c.selectAlong(true); });
  add(menu, "select-users", tr("Select all that &use it"), QKeySequence(Qt::SHIFT | Qt::Key_L),
      [](Controller& c) { c.selectAlong(false); });
}

}  // namespace tessera
