// The Arrange menu: what stands where, frames and notes, and the wires of single nodes. What each does is in
// arranging.cpp.
#include <QAction>
#include <QCursor>
#include <QMenu>
#include <QMenuBar>

#include "app/studio/main_window.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/arrange_controller.h"

namespace tessera {

// These keys act only while the canvas has the focus.
void MainWindow::makeArrangeMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Arrange"));
  const auto add = [&](QMenu* to, const QString& text, const QKeySequence& key, auto slot) {
    QAction* action = to->addAction(text);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    canvas_->addAction(action);
    connect(action, &QAction::triggered, this, slot);
  };
  add(menu, tr("&Tidy all, or the selection"), QKeySequence(Qt::CTRL | Qt::Key_L), [this] { arranging_->tidy(); });
  QMenu* align = menu->addMenu(tr("&Align and distribute"));
  const std::pair<QString, Alignment> kAlignments[] = {{tr("Align &left"), Alignment::Left},
                                                       {tr("Align &centres"), Alignment::Centre},
                                                       {tr("Align &right"), Alignment::Right},
                                                       {tr("Align &top"), Alignment::Top},
                                                       {tr("Align &middles"), Alignment::Middle},
                                                       {tr("Align &bottom"), Alignment::Bottom},
                                                       {tr("Distribute &across"), Alignment::SpreadAcross},
                                                       {tr("Distribute &down"), Alignment::SpreadDown}};
  for (const auto& [text, alignment] : kAlignments)
    add(align, text, {}, [this, alignment] { arranging_->align(alignment); });
  menu->addSeparator();
  add(menu, tr("&Frame the selection"), QKeySequence(Qt::CTRL | Qt::Key_G), [this] { arranging_->frameSelection(); });
  add(menu, tr("&Note at the pointer"), QKeySequence(Qt::Key_N), [this] {
    const QPoint at = canvas_->mapFromGlobal(QCursor::pos());
    arranging_->addNote(canvas_->rect().contains(at) ? at : canvas_->rect().center());
  });
  add(menu, tr("Next &colour of a frame or note"), QKeySequence(Qt::SHIFT | Qt::Key_C),
      [this] { arranging_->nextColor(); });
  menu->addSeparator();
  add(menu, tr("&Mute: a run passes it by"), QKeySequence(Qt::Key_M), [this] { arranging_->toggleMute(); });
  add(menu, tr("&Swap two inputs"), QKeySequence(Qt::Key_X), [this] { arranging_->swapInputs(); });
  add(menu, tr("&Pull out of its wires"), QKeySequence(Qt::Key_P), [this] { arranging_->pullOut(); });
  add(menu, tr("Change a size &everywhere it flows …"), QKeySequence(Qt::Key_S), [this] { arranging_->changeSize(); });
  menu->addSeparator();
  add(menu, tr("Select what it &needs"), QKeySequence(Qt::Key_L), [this] { arranging_->selectAlong(true); });
  add(menu, tr("Select what &uses it"), QKeySequence(Qt::SHIFT | Qt::Key_L),
      [this] { arranging_->selectAlong(false); });
}

}  // namespace tessera
