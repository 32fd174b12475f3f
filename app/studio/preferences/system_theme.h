// Whether the desktop is dark, and the news of it: org.freedesktop.appearance of the desktop portal, as GNOME, KDE and
// others report it (https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html).
// Without a portal the palette that Qt began with. Used by PreferenceControl.
#pragma once

#include <QDBusVariant>
#include <QObject>

#include "core/picture/picture.h"

namespace tessera {

class SystemTheme : public QObject {
  Q_OBJECT

 public:
  explicit SystemTheme(QObject* parent = nullptr);
  Theme theme() const { return theme_; }

 signals:
  void changed(tessera::Theme theme);

 private slots:
  void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  void take(const QVariant& colorScheme);

  Theme theme_;
};

}  // namespace tessera
