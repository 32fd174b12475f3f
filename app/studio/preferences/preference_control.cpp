// See preference_control.h. A setting that is no number or out of range is the usual one.
#include "app/studio/preferences/preference_control.h"

#include <QApplication>
#include <QFont>
#include <algorithm>
#include <iterator>

#include "app/studio/preferences/system_theme.h"
#include "editor/preferences/preferences.h"
#include "editor/preferences/settings.h"

namespace tessera {
namespace {

constexpr int kMostThreads = 1024;
constexpr const char* kThemeNames[] = {"system", "light", "dark"};  // by ThemeChoice

ThemeChoice choiceNamed(const QString& name) {
  const auto found = std::ranges::find(kThemeNames, name.toStdString());
  return found == std::end(kThemeNames) ? ThemeChoice::System
                                        : static_cast<ThemeChoice>(found - std::begin(kThemeNames));
}

}  // namespace

PreferenceControl::PreferenceControl(bool remembers, QObject* parent)
    : QObject(parent),
      remembers_(remembers),
      system_(new SystemTheme(this)),
      usualFontSize_(QApplication::font().pointSizeF()),
      fontSize_(usualFontSize_) {
  connect(system_, &SystemTheme::changed, this, [this](Theme theme) {
    if (choice_ == ThemeChoice::System) emit themeChanged(theme);
  });
  if (remembers_) read();
}

void PreferenceControl::read() {
  const QSettings settings = keptSettings();
  choice_ = choiceNamed(settings.value(QStringLiteral("theme")).toString());
  preferences().animations = settings.value(QStringLiteral("animations"), true).toBool();
  preferences().threads = std::clamp(settings.value(QStringLiteral("threads")).toInt(), 0, kMostThreads);
  const int tiles = settings.value(QStringLiteral("tileCacheMb")).toInt();
  if (tiles >= kSmallestTileCache && tiles <= kLargestTileCache) preferences().tileCacheMb = tiles;
  sourceFolders_ = settings.value(QStringLiteral("sourceFolders")).toStringList();
  for (const QString& each : settings.value(QStringLiteral("lessonsDone")).toStringList())
    preferences().lessonsDone.insert(each.toStdString());
  preferences().lesson = settings.value(QStringLiteral("lesson")).toString().toStdString();
  const double points = settings.value(QStringLiteral("fontSize")).toDouble();
  if (points >= kSmallestFont && points <= kLargestFont) setFontSize(points);
}

void PreferenceControl::keep(const QString& key, const QVariant& value) const {
  if (remembers_) keepSettings({{key, value}});
}

Theme PreferenceControl::theme() const {
  if (choice_ == ThemeChoice::System) return system_->theme();
  return choice_ == ThemeChoice::Dark ? Theme::Dark : Theme::Light;
}

void PreferenceControl::chooseTheme(ThemeChoice choice) {
  choice_ = choice;
  keep(QStringLiteral("theme"), QLatin1String(kThemeNames[static_cast<size_t>(choice)]));
  emit themeChanged(theme());
}

void PreferenceControl::setFontSize(double points) {
  fontSize_ = std::clamp(points, kSmallestFont, kLargestFont);
  QFont font = QApplication::font();
  font.setPointSizeF(fontSize_);
  QApplication::setFont(font);
  emit fontChanged();
  keep(QStringLiteral("fontSize"), fontSize_);
}

void PreferenceControl::setAnimations(bool on) {
  preferences().animations = on;
  keep(QStringLiteral("animations"), on);
}

void PreferenceControl::setThreads(int threads) {
  preferences().threads = std::clamp(threads, 0, kMostThreads);
  keep(QStringLiteral("threads"), preferences().threads);
}

void PreferenceControl::setTileCache(int mb) {
  preferences().tileCacheMb = std::clamp(mb, kSmallestTileCache, kLargestTileCache);
  keep(QStringLiteral("tileCacheMb"), preferences().tileCacheMb);
}

void PreferenceControl::keepLessons() {
  QStringList all;
  for (const std::string& each : preferences().lessonsDone) all << QString::fromStdString(each);
  keep(QStringLiteral("lessonsDone"), all);
  keep(QStringLiteral("lesson"), QString::fromStdString(preferences().lesson));
}

void PreferenceControl::setSourceFolders(const QStringList& folders) {
  if (folders == sourceFolders_) return;
  sourceFolders_ = folders;
  keep(QStringLiteral("sourceFolders"), folders);
  emit sourceFoldersChanged(folders);
}

}  // namespace tessera
