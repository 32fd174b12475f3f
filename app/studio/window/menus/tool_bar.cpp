// See tool_bar.h.
#include "app/studio/window/menus/tool_bar.h"

#include <QHBoxLayout>
#include <QTabBar>
#include <QToolButton>

#include "app/studio/actions/actions.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/workspaces.h"
#include "editor/look/icon.h"
#include "editor/panels/computation_chooser.h"

namespace tessera {
namespace {

// Null: a gap.
constexpr const char* kUsedMost[] = {
    "new", "open",   "save",        nullptr, "undo",  "redo",    nullptr,         "add",         "find",        nullptr,
    "run", "cancel", "live values", "heat",  nullptr, "fit all", "fit selection", "open groups", "close groups"};

}  // namespace

ToolBar::ToolBar(Actions& actions, CurrentDocument& current, PaneArea& area, Workspaces& workspaces, QWidget* parent)
    : QToolBar(tr("Tools"), parent), current_(current) {
  setObjectName(QStringLiteral("tools"));
  setMovable(false);
  setIconSize({kIconSize, kIconSize});
  setToolButtonStyle(Qt::ToolButtonIconOnly);
  addUsedMost(actions);
  addSeparator();
  computations_ = new ComputationChooser(this);
  addWidget(computations_);
  crumbs_ = new QWidget(this);
  crumbs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  (new QHBoxLayout(crumbs_))->setContentsMargins(0, 0, 0, 0);
  addWidget(crumbs_);
  addWorkspaces(workspaces);
  connect(&area, &PaneArea::added, this,
          [this](DocumentPane& pane) { crumbs_->layout()->addWidget(&pane.breadcrumbs()); });
}

void ToolBar::addUsedMost(Actions& actions) {
  for (const char* id : kUsedMost) id ? addAction(actions.find(QLatin1String(id))) : static_cast<void>(addSeparator());
  QAction* run = actions.find(QStringLiteral("run"));
  run->setIconText(tr("Run"));
  qobject_cast<QToolButton*>(widgetForAction(run))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
}

// At the right end.
void ToolBar::addWorkspaces(Workspaces& workspaces) {
  auto* tabs = new QTabBar(this);
  tabs->setObjectName(QStringLiteral("workspaces"));
  tabs->setAccessibleName(tr("Workspace"));
  tabs->setDrawBase(false);
  tabs->setFocusPolicy(Qt::NoFocus);
  for (int i = 0; i < Workspaces::kCount; ++i) {
    tabs->addTab(Workspaces::title(i));
    tabs->setTabToolTip(i, Workspaces::hint(i));
  }
  connect(tabs, &QTabBar::currentChanged, &workspaces, &Workspaces::choose);
  connect(&workspaces, &Workspaces::chosen, tabs, [tabs](int, int now) { tabs->setCurrentIndex(now); });
  addWidget(tabs);
}

void ToolBar::showDocument() { computations_->setDocument(current_.document()); }
void ToolBar::showComputation() { computations_->showCurrent(); }

}  // namespace tessera
