// MainWindow: the studio's one window. Canvas in the middle, panels as docks round it, menus above. It connects the
// Document's signals to the panels and the panels' wishes to the Document; it holds no state of the graph itself.
#pragma once

#include <QMainWindow>
#include <QStringList>

#include "core/picture/picture.h"

class QAction;
class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace tessera {

class Canvas;
class Document;
class Panels;
class StartPage;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void openFile(const QString& path);
  void setTheme(Theme theme);
  Document& document() { return *document_; }
  Canvas& canvas() { return *canvas_; }
  Panels& panels() { return *panels_; }
  void showPanel(const QString& objectName);
  // Remembers and restores window, docks, theme and recent files; screenshots leave it off.
  void restoreSession();
  void fitAll();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void makeCentre();
  void makeFileMenu();
  void makeEditMenu();
  void makeViewMenu();
  void makeRunMenu();
  void makeHelpMenu();
  void makeStatusBar();
  void connectDocument();
  void connectCanvas();
  void showScene(bool keepView);
  void showProgress(const QString& stage, double fraction);
  void showFailure(const QString& message);
  void updateTitleAndActions();
  void updateComputations();
  void updateMarks();
  void updateRecentFiles();
  void addRecentFile(const QString& path);
  void chooseFile();
  void saveAs();
  bool mayLoseChanges();
  void exportPicture();
  QString tooltipOf(uint32_t instruction) const;

  Document* document_;
  Canvas* canvas_;
  Panels* panels_;
  StartPage* startPage_;
  QStackedWidget* stack_;
  QComboBox* computations_;
  QLabel* busyLabel_;
  QProgressBar* busyBar_;
  QToolButton* cancelButton_;
  QMenu *recentMenu_ = nullptr, *viewMenu_ = nullptr;
  QAction *saveAction_ = nullptr, *saveAsAction_ = nullptr, *exportAction_ = nullptr;
  QAction *undoAction_ = nullptr, *redoAction_ = nullptr, *findAction_ = nullptr;
  QAction *runAction_ = nullptr, *cancelAction_ = nullptr, *overlayAction_ = nullptr, *darkAction_ = nullptr;
  QList<QAction*> graphActions_;
  QStringList recentFiles_;
  Theme theme_ = Theme::Light;
  bool remembers_ = false;
};

}  // namespace tessera
