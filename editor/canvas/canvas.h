// Canvas: shows a Picture. What stands still is painted by workers into tiles; selection and hover are a layer above
// them. What a pressed button does is a tool's (editor/canvas/tools). The canvas decides nothing about the graph: it
// says what was clicked and is given the next Picture.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/picture/picture.h"
#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/tools/tool.h"
#include "editor/canvas/viewport.h"

class QHelpEvent;

namespace tessera {

class GraphWalk;
class Highlights;
class PageItems;
class SpatialIndex;
class TileLayer;
class ValueStrips;
class WireTool;
struct CanvasTools;

class Canvas : public QWidget {
  Q_OBJECT

 public:
  explicit Canvas(QWidget* parent = nullptr);
  ~Canvas() override;

  enum class KeepView { No, Boxes, Place };
  // Shows another picture with the view that it was drawn from. KeepView::No fits it; Boxes keeps the zoom and most
  // boxes where they are on the screen, Place zoom and place, whatever comes, moves or grows there. A group that was
  // just toggled by double click stays under the pointer. `index` may be built beforehand on a worker (makeIndex);
  // without it it is built here (about 30 ms at 100,000 nodes).
  void setPicture(std::shared_ptr<const Picture> picture, std::shared_ptr<const GraphView> view,
                  KeepView keep = KeepView::No, std::shared_ptr<const SpatialIndex> index = nullptr);
  static std::shared_ptr<const SpatialIndex> makeIndex(const Picture& picture);
  const std::shared_ptr<const Picture>& picture() const { return picture_; }
  const std::shared_ptr<const GraphView>& view() const { return view_; }
  const std::shared_ptr<const SpatialIndex>& index() const { return index_; }

  Viewport& viewport() { return viewport_; }
  const Viewport& viewport() const { return viewport_; }
  Highlights& highlights() { return *highlights_; }  // errors and previews on nodes
  ValueStrips& values() { return *values_; }         // values on nodes whose view keeps a strip for them
  PageItems& pageItems() { return *pageItems_; }     // frames and notes
  WireTool& wires();                                 // drawing wires

  void setTheme(Theme theme);
  Theme theme() const { return theme_; }

  void forgetToggled() { anchorGroup_.clear(); }  // the group that was toggled stays as it is

  // Selects without a signal. Instructions inside collapsed groups mark the group. reveal: scrolls there when no box
  // of the selection is visible.
  void setSelection(const std::vector<InstructionId>& selection, bool reveal = false);
  const std::vector<InstructionId>& selection() const { return selection_; }
  // The group that is looked at, by its path: where the view has it, it is marked in the place of the selection.
  void setSelectedGroup(const QString& group);
  bool showsSelection() const;                // all of it, and it can be read
  void bringIntoView();                       // the selection: what was just made
  void bringGroupIntoView(int32_t viewNode);  // that was opened in place: all of it, else its beginning
  void fitAll();
  void fitSelection();  // all when nothing is selected

  // The tooltip of an instruction, as rich text; without it there is none.
  void setTooltipProvider(std::function<QString(InstructionId)> provider) { tooltip_ = std::move(provider); }

  // Boxes, frames and notes can be dragged. After boxesMoved they stay where they were dropped until the next
  // picture or endMove.
  void setMovable(bool movable) { movable_ = movable; }
  bool isMovable() const { return movable_; }
  void endMove();
  void setReroutes(std::vector<ReroutePoint> points);

  // Box of an instruction (or of the group that hides it) in scene units; empty when it is not in this view.
  QRectF boxOf(InstructionId id) const { return frameOf(nodeOf(id)); }

  // Of nodes and closed groups, in widget pixels; none where there are so many that nobody reads them.
  std::vector<QRect> boxesInSight() const;

  // --- for what the canvas is made of, and its tools
  QRectF frameOf(int32_t viewNode) const;  // scene; while it is dragged, too
  int32_t nodeOf(InstructionId id) const { return view_ ? view_->boxOf(id) : -1; }
  int32_t itemAt(QPointF widget) const;    // index into picture items; -1: nothing
  const PictureItem* hoveredItem() const;  // null: none
  const std::vector<int32_t>& selectedNodes() const { return selectedNodes_; }
  const std::vector<int32_t>& selectedWires() const { return selectedWires_; }
  void changeSelection(std::vector<InstructionId> selection);
  void selectNode(int32_t viewNode);  // or the group that it is
  void click(QPointF widget, Qt::KeyboardModifiers modifiers);
  void selectBox(QRectF widget, Qt::KeyboardModifiers modifiers);
  void handOver(CanvasTool& tool) { active_ = &tool; }  // what is pressed goes on as this

  // True when every visible tile is filled; waitForTiles blocks until then (screenshots, tests).
  bool tilesReady() const;
  bool tilesCover() const;  // none is missing where no other one, of another zoom, is shown meanwhile
  void waitForTiles();

 signals:
  void selectionChanged(std::vector<tessera::InstructionId> selection);
  void allFitted();                                      // as the user asked for
  void groupSelected(QString group);                     // a click on a group; empty: on something else
  void groupToggled(QString group);                      // path of the group that was double-clicked
  void instructionActivated(tessera::InstructionId id);  // double click on a node that is no group
  void emptyActivated(QPointF widget);                   // double click where nothing is
  void hovered(tessera::InstructionId id);               // invalid: nothing
  void wireHovered(tessera::InstructionId value, tessera::InstructionId user, int operand);  // the input it snapped to
  void wireDropped(tessera::InstructionId value, tessera::InstructionId user, int operand, QPointF widget);
  void wireDroppedOnEmpty(tessera::InstructionId value, QPointF widget);
  void inputDroppedOnEmpty(tessera::InstructionId user, int operand,
                           QPointF widget);                     // a wire drawn from an open input
  void inputOpened(tessera::InstructionId user, int operand);   // its wire was pulled off
  void inputClicked(tessera::InstructionId user, int operand);  // an open one
  void valueWanted(tessera::InstructionId id);                  // Ctrl + Shift + click
  // By key: Enter means the first open input, a digit its number.
  void sourceWanted(tessera::InstructionId user, int operand);
  void argumentClicked(tessera::InstructionId parameter, QPointF widget);  // the field of where its value comes from
  void menuWanted(tessera::CanvasSpot spot);                               // what it is for is selected
  // A drag along a number: how far from where it began, in pixels; first: it begins.
  void valueScrubbed(tessera::InstructionId id, double pixels, bool first);
  void boxesMoved(tessera::MovedBoxes moved);
  void wiresCut(std::vector<int> edges);        // by a stroke: Ctrl + right drag
  void wireActivated(int edge, QPointF scene);  // double click on a wire
  void rerouteMoved(tessera::ReroutePoint point);
  void rerouteActivated(tessera::ReroutePoint point);  // double click on one
  void pageItemActivated(int item);                    // double click on a frame or note
  void pageItemResized(int item, QRectF scene);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void refreshSelectedNodes();
  int32_t markedGroup() const;              // the selected one, where the view has it; else -1
  QString groupAt(int32_t viewNode) const;  // its path; empty: the box is an instruction
  QRectF selectedBox() const;               // all of it; scene
  void reveal();
  void keepPlace(KeepView keep, const GraphView* before, const SpatialIndex* index);
  void requestTiles();
  void paintAboveTiles(QPainter& painter, const QRectF& exposed);
  Pointer pointerOf(const QMouseEvent& event) const;
  Qt::CursorShape cursorAt(QPointF at, int32_t item) const;
  void setHover(int32_t item);
  bool activateHandle(QPointF at);
  void activate(int32_t viewNode);
  void showTip(const QHelpEvent& help);
  bool fitKey(const QKeyEvent& event);
  bool moveKey(const QKeyEvent& event);
  bool sourceKey(const QKeyEvent& event);
  bool numberKey(const QKeyEvent& event);
  CanvasSpot spotAt(QPointF widget) const;
  CanvasSpot spotOfSelection() const;
  bool cancel();
  void navigate(int key, bool extend);
  void releaseSpace();

  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const GraphView> view_;
  std::shared_ptr<const SpatialIndex> index_;
  Viewport viewport_{*this};
  std::unique_ptr<TileLayer> tiles_;
  std::unique_ptr<Highlights> highlights_;
  std::unique_ptr<ValueStrips> values_;
  std::unique_ptr<PageItems> pageItems_;
  std::unique_ptr<GraphWalk> walk_;
  std::unique_ptr<CanvasTools> tools_;
  CanvasTool* active_ = nullptr;  // what is being done with the pressed button; null: nothing
  std::function<QString(InstructionId)> tooltip_;
  Theme theme_ = Theme::Light;
  std::vector<InstructionId> selection_;
  QString selectedGroup_;
  std::vector<int32_t> selectedNodes_;
  std::vector<int32_t> selectedWires_;  // items: wires that begin or end at a selected box, or lead over its edge
  bool movable_ = false;
  int32_t hover_ = -1;
  QPointF pressed_, last_;
  QString anchorGroup_;
  QPointF anchorAt_;           // widget position of the toggled group's top left
  bool focusedByKey_ = false;  // it says then that it has the focus
};

}  // namespace tessera
