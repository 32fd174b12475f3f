// The tool bar: what people use most, the computation that is shown and the workspaces.
#include <QHBoxLayout>
#include <QToolBar>
#include <QToolButton>

#include "app/studio/actions/actions.h"
#include "app/studio/window/main_window.h"
#include "editor/look/icon.h"
#include "editor/panels/computation_chooser.h"

namespace tessera {
namespace {

// Null: a gap.
constexpr const char* kUsedMost[] = {
    "new", "open",   "save",        nullptr, "undo",  "redo",    nullptr,         "add",         "find",        nullptr,
    "run", "cancel", "live values", "heat",  nullptr, "fit all", "fit selection", "open groups", "close groups"};

}  // namespace

void MainWindow::makeToolBar() {
  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setIconSize({kIconSize, kIconSize});
  bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
  for (const char* id : kUsedMost)
    id ? bar->addAction(actions_->find(QLatin1String(id))) : static_cast<void>(bar->addSeparator());
  QAction* run = actions_->find(QStringLiteral("run"));
  run->setIconText(tr("Run"));
  qobject_cast<QToolButton*>(bar->widgetForAction(run))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->addSeparator();
  computations_ = new ComputationChooser(bar);
  bar->addWidget(computations_);
  crumbs_ = new QWidget(bar);  // takes what room there is
  crumbs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  (new QHBoxLayout(crumbs_))->setContentsMargins(0, 0, 0, 0);
  bar->addWidget(crumbs_);
  addWorkspaces(*bar);
}

}  // namespace tessera
