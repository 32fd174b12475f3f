// A key is asked for as an override before it is tried as a shortcut: what an open menu accepts, it gets.
#include "app/studio/actions/menu_keys.h"

#include <QApplication>
#include <QEvent>
#include <QMenu>

namespace tessera {

MenuKeys::MenuKeys(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

namespace {

bool isBehindDialog() {
  const QWidget *dialog = QApplication::activeModalWidget(), *window = QApplication::activeWindow();
  return dialog && window && window != dialog && !dialog->isAncestorOf(window);
}

}  // namespace

bool MenuKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride ||
      (!qobject_cast<QMenu*>(QApplication::activePopupWidget()) && !isBehindDialog()))
    return QObject::eventFilter(watched, event);
  event->accept();
  return true;
}

}  // namespace tessera
