// See system_theme.h. The portal is asked once, without waiting for it; its answer comes as a change.
#include "app/studio/preferences/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QPalette>

namespace tessera {
namespace {

constexpr auto kPortal = "org.freedesktop.portal.Desktop", kPath = "/org/freedesktop/portal/desktop",
               kSettings = "org.freedesktop.portal.Settings";
constexpr auto kSpace = "org.freedesktop.appearance", kKey = "color-scheme";
constexpr uint kPrefersDark = 1;

Theme themeOfPalette() {
  const QPalette palette = QGuiApplication::palette();
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness() ? Theme::Dark
                                                                                                       : Theme::Light;
}

// Read wraps the value in variants, how deep depends on the portal's version.
QVariant unwrapped(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value;
}

}  // namespace

SystemTheme::SystemTheme(QObject* parent) : QObject(parent), theme_(themeOfPalette()) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(QLatin1String(kPortal), QLatin1String(kPath), QLatin1String(kSettings), QStringLiteral("SettingChanged"),
              this, SLOT(settingChanged(QString, QString, QDBusVariant)));
  QDBusMessage ask = QDBusMessage::createMethodCall(QLatin1String(kPortal), QLatin1String(kPath),
                                                    QLatin1String(kSettings), QStringLiteral("Read"));
  ask << QString::fromLatin1(kSpace) << QString::fromLatin1(kKey);
  auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
    const QDBusPendingReply<QDBusVariant> reply = *done;
    if (reply.isValid()) take(QVariant::fromValue(reply.value()));
    done->deleteLater();
  });
}

void SystemTheme::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
  if (space == QLatin1String(kSpace) && key == QLatin1String(kKey)) take(QVariant::fromValue(value));
}

void SystemTheme::take(const QVariant& colorScheme) {
  const Theme next = unwrapped(colorScheme).toUInt() == kPrefersDark ? Theme::Dark : Theme::Light;
  if (next == theme_) return;
  theme_ = next;
  emit changed(next);
}

}  // namespace tessera
