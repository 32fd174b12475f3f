// MenuKeys: while a menu is open, keys are the menu's. Without it a letter is first a shortcut of what still has the
// focus behind the menu. Behind a dialog that has to be answered first they do nothing, whichever window the desktop
// gives them to. Used by the main window, for every menu and dialog of the program.
#pragma once

#include <QObject>

namespace tessera {

class MenuKeys : public QObject {
  Q_OBJECT

 public:
  explicit MenuKeys(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace tessera
