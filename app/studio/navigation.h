// Navigation: ways to get somewhere without the mouse: go to anything, commands by name, the key sheet, bookmarks, the
// history of places, the next panel. Before: the Go menu; after: Document, Canvas, KeyMap.
#pragma once

#include <QObject>
#include <QPointF>
#include <memory>
#include <optional>
#include <vector>

#include "app/studio/key_map.h"
#include "core/base/ids.h"
#include "editor/panels/quick_list.h"

namespace tessera {

class MainWindow;

class Navigation : public QObject {
  Q_OBJECT

 public:
  // Call when all menus stand. remembers: chosen keys are kept between sessions.
  Navigation(MainWindow& window, bool remembers);

  QuickList& list() { return *list_; }
  const KeyMap& keys() const { return keys_; }

  void goToAnything();
  void chooseCommand();
  void showKeys();
  void toggleBookmark();
  void nextBookmark();
  void back();
  void forward();
  void nextPanel(bool backwards);

 private:
  struct Place {
    ComputationId computation;
    QPointF centre;
    double zoom = 1;
  };
  std::optional<Place> here() const;
  void remember();  // the place that is being left
  void show(const Place& place);
  void arrived();
  std::vector<QuickEntry> places(const QString& words);
  std::vector<QuickEntry> commands(const QString& words);
  std::vector<QuickEntry> keyLines(const QString& words);
  void goTo(InstructionId id);

  MainWindow& window_;
  const bool remembers_;
  KeyMap keys_;
  QuickList* list_;
  std::vector<Place> behind_, ahead_;
  std::optional<Place> left_, wanted_;
  QString capturing_;  // the action whose new key is awaited
};

}  // namespace tessera
