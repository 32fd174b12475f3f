// The Go menu, and the list over the canvas that it opens: what each does is in navigation.cpp. What an earlier session
// left.
#include <QAction>
#include <QMenu>
#include <QMenuBar>

#include "app/studio/main_window.h"
#include "app/studio/navigation.h"
#include "editor/document/document.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"

namespace tessera {

void MainWindow::makeGoMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Go"));
  const auto add = [&](const QString& text, const QKeySequence& key, auto slot) {
    QAction* action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, slot);
  };
  add(tr("&Go to anything …"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { navigation_->goToAnything(); });
  add(tr("&Commands …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), [this] { navigation_->chooseCommand(); });
  menu->addSeparator();
  add(tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), [this] { navigation_->back(); });
  add(tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), [this] { navigation_->forward(); });
  menu->addSeparator();
  add(tr("Boo&kmark the selection, or no longer"), QKeySequence(Qt::CTRL | Qt::Key_B),
      [this] { navigation_->toggleBookmark(); });
  add(tr("Next book&mark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B), [this] { navigation_->nextBookmark(); });
  menu->addSeparator();
  add(tr("Next &panel"), QKeySequence(Qt::Key_F6), [this] { navigation_->nextPanel(false); });
  add(tr("P&revious panel"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { navigation_->nextPanel(true); });
}

void MainWindow::showShortcuts() { navigation_->showKeys(); }

bool MainWindow::restoreLeftBehind() {
  if (!recovery_) return false;
  const auto left = Recovery::leftBehind(Recovery::usualFolder());
  if (left.empty()) return false;
  recovery_->adopt(left.front());
  const QString name = left.front().path.isEmpty() ? tr("a new graph") : left.front().path;
  connect(
      document_, &Document::opened, this,
      [this, name] {
        banner_->showMessage(
            tr("Tessera ended unexpectedly. This is %1 with the changes that were not saved; Save keeps them.")
                .arg(name));
      },
      Qt::SingleShotConnection);
  return true;
}

}  // namespace tessera
