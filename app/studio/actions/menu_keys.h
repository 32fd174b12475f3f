// MenuKeys: while a menu is open, keys are the menu's. Without it a letter is first a shortcut of what still has the
// focus behind the menu. Used by the main window, for every menu of the program.
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
