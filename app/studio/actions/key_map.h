// KeyMap: every action of the menus with its shortcuts. A user can change them; changes are kept between sessions. No
// two actions that are enabled at the same time share a shortcut. Used by Navigation.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <vector>

class QAction;
class QMainWindow;

namespace tessera {

class KeyMap {
 public:
  // Takes the menus as they are; one that remembers knows which keys differ, and keeps changes.
  KeyMap(QMainWindow& window, bool remembers);

  struct Entry {
    QAction* action;
    QString name;               // "View › Source": under which its keys are kept
    QString place;              // "View › Panels › Source": the menus that it is in
    QList<QKeySequence> first;  // without anybody's choice
  };
  const std::vector<Entry>& entries() const { return entries_; }

  // Another action that the key already means where this one acts; null: none.
  const Entry* takenBy(const Entry& entry, const QKeySequence& key) const;
  // Gives an action one key (empty: none); what had it before loses it.
  void rebind(const Entry& entry, const QKeySequence& key);
  void reset(const Entry& entry);

 private:
  void keep(const Entry& entry, const QVariant& key) const;

  std::vector<Entry> entries_;
  bool remembers_;
};

}  // namespace tessera
