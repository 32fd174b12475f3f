// MainWindow: the studio's one window. Canvas in the middle, panels as docks round it, menus above. It connects the
// Document's signals to the panels and the panels' wishes to the Document; it holds no state of the graph itself.
#pragma once

#include <QMainWindow>
#include <QMessageBox>
#include <QStringList>
#include <initializer_list>
#include <memory>
#include <utility>

#include "core/base/ids.h"
#include "core/hlo/shape.h"
#include "core/picture/picture.h"

class QAction;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;

namespace tessera {

class AddSearch;
class ArrangeController;
class GraphEditController;
class Banner;
class BlockActions;
class Canvas;
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
  GraphEditController& authoring() { return *authoring_; }
  RunController& running() { return *values_; }
  BlockActions& blocks() { return *blocks_; }
  LessonController& learning() { return *learning_; }
  GroupActions& groups() { return *groups_; }
  // What a session that ended badly left behind, as an unsaved state of its file; false: there is nothing.
  bool restoreLeftBehind();
  ArrangeController& arranging() { return *arranging_; }
  Navigation& navigation() { return *navigation_; }
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
  void makeCentre();
  void makeActions();
  void makeFileMenu();
  void makeEditMenu();
  void makeBuildActions(QMenu* menu);
  void makeArrangeMenu();
  void makeGoMenu();
  void makeViewMenu();
  void overCanvas(std::initializer_list<QAction*> actions);
  void makeRunMenu();
  void makeHelpMenu();
  void makeToolBar();
  void makeStatusBar();
  void connectDocument();
  void connectCanvas();
  void restoreSession();
  void showDocks();

  void showScene(bool keepView);
  void showProgress(const QString& stage, double fraction);
  void showMarks();
  void showLegend();
  void showLayout();
  void takeLayout(const Shape& shape);
  void updateActions();
  void updateComputations();
  void placeLegend();
  void addRecentFile(const QString& path);
  void showRecentFiles();
  void chooseFile();
  void save(bool ask);
  QMessageBox::StandardButton askToRewrite(const QString& name);  // SaveAll: under another name
  bool mayLoseChanges();
  void exportPicture();
  void showShortcuts();
  void showAbout();

  Document* document_;
  Canvas* canvas_ = nullptr;
  GraphEditController* authoring_ = nullptr;
  RunController* values_ = nullptr;
  BlockActions* blocks_ = nullptr;
  GroupActions* groups_ = nullptr;
  LessonController* learning_ = nullptr;
  ArrangeController* arranging_ = nullptr;
  Navigation* navigation_ = nullptr;
  Recovery* recovery_ = nullptr;  // of a person's sessions
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
  QAction *open_, *save_, *saveAs_, *export_, *undo_, *redo_, *find_, *reveal_, *fitAll_, *fitSelection_, *openAll_,
      *closeAll_, *add_, *duplicate_, *delete_, *result_, *cut_, *copy_, *paste_, *pasteKeeping_, *deleteOpen_, *leave_,
      *saveBlock_, *updateBlocks_, *group_, *inline_, *promote_, *extract_, *live_, *overlay_, *dark_, *run_, *cancel_;
  std::pair<InstructionId, const Shape*> shownLayout_;
  QStringList recentFiles_;
  QByteArray docksWhenOpen_;  // the docks' state while they are hidden: nothing is open yet
  Theme theme_ = Theme::Light;
  bool remembers_ = false, firstGraph_ = false, revealPending_ = false, followPlaced_ = false, pictureNews_ = false;
};

}  // namespace tessera
