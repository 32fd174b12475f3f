// Workspaces: the layout of panels for an activity: Build, Learn, Inspect, Profile, Compare. Each keeps its
// panels and their sizes, apart for each scale of the screen, and can be reset. Used by MainWindow.
#pragma once

#include <QHash>
#include <QObject>

class QMainWindow;
class QSettings;

namespace tessera {

class PanelDocks;

class Workspaces : public QObject {
  Q_OBJECT

 public:
  static constexpr int kCount = 5;
  static constexpr int kBuild = 0, kLearn = 1, kInspect = 2, kProfile = 3, kCompare = 4;
  static QString title(int workspace);
  static QString hint(int workspace);  // what it is for

  Workspaces(QMainWindow& window, PanelDocks& docks);

  int current() const { return current_; }
  void choose(int workspace);
  void reset();  // every panel of the current one at its first place and size

  // While nothing is open there are no panels.
  void hidePanels();
  void showPanels();

  void read(const QSettings& settings);
  QVariantMap kept();  // for read of the next session

 signals:
  void chosen(int before, int now);

 private:
  QString key() const;
  void remember();
  void apply() const;
  bool restore(const QByteArray& state) const;

  QMainWindow& window_;
  PanelDocks& docks_;
  QHash<QString, QByteArray> states_;  // of the docks
  int current_ = kBuild;
  bool hidden_ = false;
};

}  // namespace tessera
