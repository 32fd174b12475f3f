// DocumentPane: one open document of the window: the document, its canvas with the controllers round it, and its
// panels, which are in the window's docks while it is the current one. It knows no other document and no menu. Made
// by MainWindow, one a tab.
#pragma once

#include <QPointF>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/base/ids.h"
#include "core/picture/picture.h"
#include "editor/document/background.h"

namespace tessera {

class ArrangeController;
class Banner;
class BlockActions;
class Breadcrumbs;
class Canvas;
class CanvasBinding;
class DiskBar;
class Document;
class GraphEditController;
class GroupActions;
class HeatLegend;
class LessonController;
class OverviewStrip;
class Minimap;
class NodeLabels;
class OverlayColumn;
class PaneHeader;
class PanelDocks;
class PlaceHistory;
class Recovery;
class RoundTrip;
class RunController;
class SearchBar;
struct Panels;

// What of a picture is seen.
struct PanePlace {
  double zoom = 1;
  QPointF centre;        // of the scene
  bool showsAll = true;  // and goes on doing so
};

class DocumentPane : public QWidget {
  Q_OBJECT

 public:
  // remembers: favourites, recent entries and blocks of the palette are the user's own.
  // twinOf: another pane of its document; that one has to live longer.
  DocumentPane(PanelDocks& docks, bool remembers, DocumentPane* twinOf, QWidget* parent);
  ~DocumentPane() override;

  Document& document() const { return *document_; }
  Canvas& canvas() const { return *canvas_; }
  Panels& panels() const { return *panels_; }
  Banner& banner() const { return *banner_; }
  OverviewStrip& strip() const { return *strip_; }
  SearchBar& searchBar() const { return *searchBar_; }
  DiskBar* diskBar() const { return diskBar_; }  // null: a twin, whose original shows it
  CanvasBinding& binding() const { return *binding_; }
  GraphEditController& graphEdit() const { return *graphEdit_; }
  ArrangeController& arrangement() const { return *arrangement_; }
  RunController& runController() const { return *runController_; }
  BlockActions& blocks() const { return *blocks_; }
  GroupActions& groups() const { return *groups_; }
  LessonController& lessons() const { return *lessons_; }
  PlaceHistory& places() const { return *places_; }
  Minimap& minimap() const { return *minimap_; }
  NodeLabels& labels() const { return *labels_; }
  QWidget& breadcrumbs() const;  // is in the tool bar

  bool isTwin() const { return twinOf_; }
  DocumentPane& original() { return twinOf_ ? *twinOf_ : *this; }
  PaneHeader& header() const { return *header_; }
  PanePlace place() const;
  void goTo(const PanePlace& place);  // when it is painted next
  void setCurrent(bool current);      // one of two that show a selection brings it into sight

  QString name() const;                                      // "mlp.hlo", "Lesson 2: transpose", "untitled"
  std::vector<BackgroundTask> tasks() const;                 // of its document and its panels
  const QString& blockOffer() const { return blockOffer_; }  // empty: no block is older than the library

  void showFirstGraph();  // the content before anything is opened
  bool isFirstGraph() const { return firstGraph_; }
  bool isUntouched() const;               // another document may take its place: nothing would be missed
  bool hasUnsavedWork() const;            // of the user's own
  void keepAside(const QString& folder);  // unsaved work, for the case of a crash
  void setTheme(Theme theme);
  void showLegend();
  // A part of another document's graph; null: it is none.
  RoundTrip* trip() const { return trip_.get(); }
  void setTrip(std::unique_ptr<RoundTrip> trip);

 signals:
  void dropWanted();    // the part is not wanted any more
  void putBackDone();   // it is in the graph that it came from again
  void arrived();       // another document is open
  void pictureShown();  // another scene, or the same one again
  void firstPainted();  // of the file that was opened last
  void changed();       // what menus and the title say of it
  void progressed();
  void outcomeCame();              // of a run
  void panelWanted(QString name);  // something of it is to be looked at

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeCanvas();
  void makeLessons();
  void layOut();
  void connectDocument();
  void connectCanvas();
  void connectBanner();
  void connectSearch();
  void connectOverview();
  void begin();
  void placeLegend();
  void leaveLegendRoom();

  const std::shared_ptr<Document> document_;
  std::unique_ptr<Panels> panels_;
  std::unique_ptr<Breadcrumbs> breadcrumbs_;
  std::unique_ptr<Recovery> recovery_;  // null in sessions that a script drives
  DocumentPane* const twinOf_;
  PaneHeader* header_ = nullptr;
  Canvas* canvas_ = nullptr;
  Minimap* minimap_ = nullptr;
  CanvasBinding* binding_ = nullptr;
  GraphEditController* graphEdit_ = nullptr;
  ArrangeController* arrangement_ = nullptr;
  RunController* runController_ = nullptr;
  BlockActions* blocks_ = nullptr;
  GroupActions* groups_ = nullptr;
  LessonController* lessons_ = nullptr;
  PlaceHistory* places_ = nullptr;
  NodeLabels* labels_ = nullptr;
  Banner* banner_ = nullptr;
  SearchBar* searchBar_ = nullptr;
  DiskBar* diskBar_ = nullptr;
  OverviewStrip* strip_ = nullptr;
  HeatLegend* legend_ = nullptr;
  OverlayColumn* bars_ = nullptr;
  QWidget* firstHint_ = nullptr;
  std::unique_ptr<RoundTrip> trip_;
  std::optional<PanePlace> wanted_;
  QString blockOffer_;
  bool firstGraph_ = false, firstGraphComes_ = false;
  bool pictureNews_ = false;  // the first picture of the file that was opened last is not painted yet
};

}  // namespace tessera
