// See key_map.h. An action acts everywhere in the window, or only while the canvas has the focus; the latter meets the
// former.
#include "app/studio/actions/key_map.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>

#include "editor/preferences/settings.h"

namespace tessera {
namespace {

QString plain(QString text) { return text.remove(QLatin1Char('&')); }
QString settingOf(const KeyMap::Entry& entry) {
  return QStringLiteral("keys/%1").arg(QString(entry.name).replace(QLatin1Char('/'), QLatin1Char('|')));
}

// Names of files come and go: they are no actions of the program.
bool isList(const QMenu& menu) { return menu.property("isList").toBool(); }

void collect(const QMenu& menu, const QString& bar, const QString& path, std::vector<KeyMap::Entry>& out) {
  for (QAction* action : menu.actions()) {
    if (action->isSeparator()) continue;
    const QString own =
        QStringLiteral(" › ") +
        plain(action->property("name").isValid() ? action->property("name").toString() : action->text());
    if (const QMenu* inner = action->menu()) {
      if (!isList(*inner)) collect(*inner, bar, path + own, out);
      continue;
    }
    out.push_back({action, bar + own, path + own, action->shortcuts()});
  }
}

}  // namespace

KeyMap::KeyMap(QMainWindow& window, bool remembers) : remembers_(remembers) {
  for (QAction* action : window.menuBar()->actions())
    if (action->menu()) collect(*action->menu(), plain(action->text()), plain(action->text()), entries_);
  if (!remembers_) return;
  const QSettings settings = keptSettings();
  for (const Entry& entry : entries_)
    if (const QVariant kept = settings.value(settingOf(entry)); kept.isValid())
      entry.action->setShortcut(QKeySequence(kept.toString(), QKeySequence::PortableText));
}

const KeyMap::Entry* KeyMap::takenBy(const Entry& entry, const QKeySequence& key) const {
  if (key.isEmpty()) return nullptr;
  const auto found = std::ranges::find_if(entries_, [&](const Entry& other) {
    return other.action != entry.action && other.action->shortcuts().contains(key);
  });
  return found == entries_.end() ? nullptr : &*found;
}

void KeyMap::keep(const Entry& entry, const QVariant& key) const {
  if (remembers_) keepSettings({{settingOf(entry), key}});
}

void KeyMap::rebind(const Entry& entry, const QKeySequence& key) {
  if (const Entry* other = takenBy(entry, key)) {
    QList<QKeySequence> left = other->action->shortcuts();
    left.removeAll(key);
    other->action->setShortcuts(left);
    keep(*other, left.isEmpty() ? QString() : left.first().toString(QKeySequence::PortableText));
  }
  entry.action->setShortcut(key);
  keep(entry, key.toString(QKeySequence::PortableText));
}

void KeyMap::reset(const Entry& entry) {
  entry.action->setShortcuts(entry.first);
  keep(entry, {});
}

}  // namespace tessera
