// PreferenceControl: what the user prefers (theme, size of the font, transitions, threads, the cache of tiles, folders
// of sources), applied to the program and kept between sessions. The dialog changes it (preferences_dialog.h). Owned by
// the main window.
#pragma once

#include <QObject>
#include <QStringList>

#include "core/picture/picture.h"

namespace tessera {

class SystemTheme;

enum class ThemeChoice : uint8_t { System, Light, Dark };

class PreferenceControl : public QObject {
  Q_OBJECT

 public:
  // remembers: read from and written to the user's settings; scripts and tests leave these alone.
  PreferenceControl(bool remembers, QObject* parent);

  ThemeChoice themeChoice() const { return choice_; }
  Theme theme() const;
  void chooseTheme(ThemeChoice choice);

  double fontSize() const { return fontSize_; }  // points
  double usualFontSize() const { return usualFontSize_; }
  void setFontSize(double points);  // from kSmallestFont to kLargestFont
  static constexpr double kSmallestFont = 7, kLargestFont = 24;

  void setAnimations(bool on);
  void setThreads(int threads);  // 0: all cores
  void setTileCache(int mb);     // from kSmallestTileCache to kLargestTileCache
  static constexpr int kSmallestTileCache = 16, kLargestTileCache = 4096;

  void keepLessons();  // which are done now, and which was begun last

  const QStringList& sourceFolders() const { return sourceFolders_; }  // below them programs' sources are looked for
  void setSourceFolders(const QStringList& folders);

 signals:
  void themeChanged(tessera::Theme theme);
  void fontChanged();
  void sourceFoldersChanged(QStringList folders);
  void keysWanted();  // the list in which keys are changed, once the dialog has given the focus back

 private:
  void read();
  void keep(const QString& key, const QVariant& value) const;

  bool remembers_;
  SystemTheme* system_;
  ThemeChoice choice_ = ThemeChoice::Light;
  double usualFontSize_, fontSize_;
  QStringList sourceFolders_;
};

}  // namespace tessera
