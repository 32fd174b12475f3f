// MainWindow: the studio's one window: canvas in the middle, panels as docks round it, menus above. It makes the parts
// and connects them, opens and saves files and keeps the session; it holds no state of the graph itself.
#pragma once

#include <QMainWindow>
#include <QMessageBox>
#include <QStringList>
#include <memory>

#include "core/base/ids.h"
#include "core/picture/picture.h"

class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;

namespace tessera {

class Actions;
class AddSearch;
class ArrangeController;
class GraphEditController;
class Banner;
class BlockActions;
class Canvas;
class CanvasBinding;
class Document;
class GroupActions;
class HeatLegend;
class LessonController;
class RunController;
class Navigation;
class Recovery;
class StartPage;
struct Panels;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // remembers: window, docks, theme and recent files are kept between sessions; scripts leave it off.
  explicit MainWindow(bool remembers, QWidget* parent = nullptr);
  ~MainWindow() override;

  void openFile(const QString& path);
  void newFile();
  // Whether what is open may be left: asks where changes would be lost, and forgets the first graph.
  bool mayLeave();
  void showFirstGraph();  // what stands there before anything is opened
  GraphEditController& graphEdit() { return *graphEdit_; }
  ArrangeController& arrangement() { return *arrangement_; }
  RunController& runController() { return *runController_; }
  BlockActions& blocks() { return *blocks_; }
  GroupActions& groups() { return *groups_; }
  LessonController& lessons() { return *lessons_; }
  Navigation& navigation() { return *navigation_; }
  // What a session that ended badly left behind, as an unsaved state of its file; false: there is nothing.
  bool restoreLeftBehind();
  AddSearch& addSearch();
  void setTheme(Theme theme);
  Theme theme() const { return theme_; }
  Document& document() { return *document_; }
  Canvas& canvas() { return *canvas_; }
  Panels& panels() { return *panels_; }
  Banner& banner() { return *banner_; }
  const QStringList& recentFiles() const { return recentFiles_; }
  void revealInstruction(InstructionId id);  // opens the groups that hide it and brings it into sight

 signals:
  void firstPictureShown();  // of the file that was opened last

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static constexpr int kDockState = 2;  // another number where docks come or go

  void makeCentre();
  void makeActions();
  void makeFileMenu();
  void makeEditMenu();
  void addBuildItems(QMenu& menu);
  void makeArrangeMenu();
  void makeViewMenu();
  void addShownItems(QMenu& menu);
  void makeGoMenu();
  void makeRunMenu();
  void makeHelpMenu();
  void makeToolBar();
  void makeStatusBar();
  void connectDocument();
  void connectCanvas();
  void connectBanner();
  void openExample(const QString& name, const std::string& hlo);
  void restoreSession();
  void showDocks();

  void arrived();  // another document is open
  void showScene();
  void showProgress(const QString& stage, double fraction);
  void showLegend();
  void updateActions();
  bool hasSelection() const;
  QPoint pointerOnCanvas() const;
  void updateComputations();
  void placeLegend();
  void addRecentFile(const QString& path);
  void showRecentFiles();
  void chooseFile();
  void save(bool ask);
  QMessageBox::StandardButton askToRewrite(const QString& name);  // SaveAll: under another name
  bool mayLoseChanges();
  void exportPicture();
  void showAbout();

  Document* document_;
  Canvas* canvas_ = nullptr;
  Actions* actions_ = nullptr;
  CanvasBinding* binding_ = nullptr;
  GraphEditController* graphEdit_ = nullptr;
  ArrangeController* arrangement_ = nullptr;
  RunController* runController_ = nullptr;
  BlockActions* blocks_ = nullptr;
  GroupActions* groups_ = nullptr;
  LessonController* lessons_ = nullptr;
  Navigation* navigation_ = nullptr;
  Recovery* recovery_ = nullptr;  // null in sessions that a script drives
  std::unique_ptr<Panels> panels_;
  Banner* banner_ = nullptr;
  HeatLegend* legend_ = nullptr;
  StartPage* startPage_ = nullptr;
  QWidget* firstHint_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QComboBox* computations_ = nullptr;
  QLabel *factsLabel_ = nullptr, *zoomLabel_ = nullptr, *busyLabel_ = nullptr;
  QProgressBar* busyBar_ = nullptr;
  QMenu* recentMenu_ = nullptr;
  QStringList recentFiles_;
  QByteArray docksWhenOpen_;  // the docks' state while they are hidden: nothing is open yet
  Theme theme_ = Theme::Light;
  bool remembers_ = false, firstGraph_ = false;
  bool pictureNews_ = false;  // the first picture of the file that was opened last is not painted yet
};

}  // namespace tessera
