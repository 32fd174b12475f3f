// PreferencesDialog: what the user prefers, changed as it is chosen: there is nothing to confirm. Opened by Edit ›
// Preferences.
#pragma once

#include <QDialog>
#include <string>

class QFormLayout;
class QLabel;
class QListWidget;

namespace tessera {

class PreferenceControl;

class PreferencesDialog : public QDialog {
  Q_OBJECT

 public:
  // cacheFolder: of compiled kernels; "": none are kept.
  PreferencesDialog(PreferenceControl& control, std::string cacheFolder, QWidget* parent);

 private:
  void addTheme(QFormLayout& form);
  void addFont(QFormLayout& form);
  void addAnimations(QFormLayout& form);
  void addThreads(QFormLayout& form);
  void addTileCache(QFormLayout& form);
  void addSourceFolders(QFormLayout& form);
  void addFolder();
  void addCache(QFormLayout& form);
  void showCache();
  void emptyCache();

  PreferenceControl& control_;
  std::string cacheFolder_;
  QLabel* cache_ = nullptr;
  QListWidget* folders_ = nullptr;
};

}  // namespace tessera
