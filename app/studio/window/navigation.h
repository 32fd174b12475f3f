// Navigation: ways to get somewhere without the mouse: go to anything, commands by name, the list of keys, the next
// panel. Used by the Go menu; the history of places and bookmarks is PlaceHistory.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "app/studio/actions/key_map.h"
#include "editor/panels/popups/quick_list.h"

class QMainWindow;

namespace tessera {

class CurrentDocument;
class PlaceHistory;

class Navigation : public QObject {
  Q_OBJECT

 public:
  // remembers: chosen keys are kept between sessions.
  Navigation(QMainWindow& window, CurrentDocument& current, bool remembers);
  void takeKeys();  // of the menus, when all of them exist

  QuickList& list() { return *list_; }
  const KeyMap& keys() const { return *keys_; }
  PlaceHistory& history();  // of the current document

  void goToAnything();
  void chooseCommand();
  void showKeys();

 signals:
  void linkChosen(const QString& link);  // FILE#NAME, of another file

 private:
  std::vector<QuickEntry> places(const QString& words);
  std::optional<QuickEntry> linked(const QString& words);  // none: it is no link to a file that is there
  std::vector<QuickEntry> commands(const QString& words);
  std::vector<QuickEntry> keyLines(const QString& words);

  QMainWindow& window_;
  CurrentDocument& current_;
  const bool remembers_;
  std::optional<KeyMap> keys_;
  QuickList* list_;
  QString capturing_;  // the action whose new key is awaited
};

}  // namespace tessera
