// Building by hand: the menu entries and keys that act on the canvas. What they do is in authoring.cpp.
#include <QAction>
#include <QCursor>
#include <QMenu>
#include <QStackedWidget>

#include "app/studio/main_window.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/document/document.h"

namespace tessera {

AddSearch& MainWindow::addSearch() { return authoring_->search(); }

// These keys act only while the canvas has the focus.
void MainWindow::makeBuildActions(QMenu* menu) {
  const auto add = [&](const QString& text, const QList<QKeySequence>& keys, auto slot) {
    QAction* action = menu->addAction(text);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    canvas_->addAction(action);
    connect(action, &QAction::triggered, this, slot);
    return action;
  };
  add_ = add(tr("&Add an operation …"), {QKeySequence(Qt::Key_Tab), QKeySequence(Qt::SHIFT | Qt::Key_A)}, [this] {
    if (!document_->isOpen() || stack_->currentWidget() != canvas_) return;
    const QPoint at = canvas_->mapFromGlobal(QCursor::pos());
    authoring_->openSearch(canvas_->rect().contains(at) ? at : canvas_->rect().center());
  });
  menu->addSeparator();
  cut_ = add(tr("Cu&t"), {QKeySequence::Cut}, [this] { authoring_->cutSelection(); });
  copy_ = add(tr("&Copy as HLO text"), {QKeySequence::Copy}, [this] { authoring_->copySelection(); });
  paste_ = add(tr("&Paste"), {QKeySequence::Paste}, [this] { authoring_->paste(false); });
  pasteKeeping_ = add(tr("Paste &keeping inputs"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)},
                      [this] { authoring_->paste(true); });
  duplicate_ =
      add(tr("D&uplicate"), {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { authoring_->duplicateSelection(); });
  delete_ = add(tr("&Delete and heal"), {QKeySequence(Qt::Key_Delete)}, [this] {
    if (!arranging_->removePageItems()) authoring_->removeSelection();
  });
  deleteOpen_ = add(tr("Delete, leaving inputs &open"), {QKeySequence(Qt::SHIFT | Qt::Key_Delete)},
                    [this] { authoring_->removeSelection(GraphEditController::Gap::Open); });
  result_ = add(tr("Make it the &result"), {QKeySequence(Qt::Key_R)}, [this] { authoring_->makeResult(); });
  add(tr("&Value as a node, or back in its field"), {QKeySequence(Qt::Key_V)}, [this] { authoring_->toggleFields(); });
  leave_ = add(tr("&Leave the computation"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
               [this] { authoring_->leaveComputation(); });
  group_ = add(tr("&Group into a computation or fusion"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)},
               [this] { groups_->group(); });
  inline_ = add(tr("&Inline calls and fusions"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_U)},
                [this] { groups_->inlineSelection(); });
  promote_ =
      add(tr("Constant to para&meter"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_P)}, [this] { groups_->promote(); });
  extract_ = add(tr("E&xtract as a module …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_X)},
                 [this] { groups_->askWhereToExtract(); });
  saveBlock_ =
      add(tr("Save as a &block …"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_B)}, [this] { blocks_->askForName(); });
  updateBlocks_ = add(tr("Update blocks to the librar&y"), {}, [this] { blocks_->update(); });
  menu->addSeparator();
}

void MainWindow::newFile() {
  if (!mayLoseChanges()) return;
  firstGraph_ = false;
  document_->create();
}

}  // namespace tessera
