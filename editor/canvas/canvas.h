// Canvas: shows a Picture. What stands still is painted by workers into tiles; selection and hover are a layer above
// them. What a pressed button does is a tool's (editor/canvas/tools). The canvas decides nothing about the graph: it
// says what was clicked and is given the next Picture.
#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVariantAnimation>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/picture/picture.h"
#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/tools/tool.h"
#include "editor/canvas/wire_hints.h"

namespace tessera {

class SpatialIndex;
class TileStore;
class WireTool;
struct CanvasTools;

class Canvas : public QWidget {
  Q_OBJECT

 public:
  explicit Canvas(QWidget* parent = nullptr);
  ~Canvas() override;

  enum class KeepView { No, Yes };
  // Shows another picture with the view that it was drawn from. KeepView::No fits it; Yes keeps zoom and place, and a
  // group that was just toggled by double click stays under the pointer. `index` may be built beforehand on a worker
  // (makeIndex); without it it is built here (about 30 ms at 100,000 nodes).
  void setPicture(std::shared_ptr<const Picture> picture, std::shared_ptr<const GraphView> view,
                  KeepView keep = KeepView::No, std::shared_ptr<const SpatialIndex> index = nullptr);
  static std::shared_ptr<const SpatialIndex> makeIndex(const Picture& picture);
  const std::shared_ptr<const Picture>& picture() const { return picture_; }
  const std::shared_ptr<const GraphView>& view() const { return view_; }

  void setTheme(Theme theme);
  Theme theme() const { return theme_; }

  // Selects without a signal. Instructions inside collapsed groups mark the group. reveal: scrolls there when no box
  // of the selection is visible.
  void setSelection(const std::vector<InstructionId>& selection, bool reveal = false);
  const std::vector<InstructionId>& selection() const { return selection_; }

  // Instructions where something is wrong, with the reason; outlined and labelled above the tiles.
  void setMarks(std::vector<std::pair<InstructionId, QString>> marks);
  const std::vector<std::pair<InstructionId, QString>>& marks() const { return marks_; }

  // Text of the tooltip for an instruction; without it there is none.
  void setTooltipProvider(std::function<QString(InstructionId)> provider) { tooltip_ = std::move(provider); }

  WireTool& wires();  // wires drawn by hand

  // What nodes would become, or became just now: they glow, with the new shape or the reason.
  void setPreview(std::vector<NodePreview> preview);
  const std::vector<NodePreview>& preview() const { return preview_; }

  // Boxes, frames and notes can be moved by hand. After boxesMoved they stay where they were dropped until the next
  // picture or endMove.
  void setMovable(bool movable) { movable_ = movable; }
  bool isMovable() const { return movable_; }
  void endMove();
  void setReroutes(std::vector<ReroutePoint> points);
  const std::vector<int>& selectedPageItems() const { return selectedPageItems_; }
  void selectPageItems(std::vector<int> items);
  QRectF pageItemBox(int item) const;  // scene; empty: there is none

  // Values painted on nodes whose view keeps a strip for them.
  void setValues(std::unordered_map<InstructionId, NodeValue> values);

  void fitAll();
  void bringIntoView();  // the selection: what was just made
  // Smoothly to boxes of the scene (to the first where they are far apart), where none of them is in sight.
  void glideTo(const std::vector<QRectF>& boxes);
  bool isGliding() const { return glide_.state() == QAbstractAnimation::Running; }
  void fitSelection();                     // all when nothing is selected
  void zoomBy(double factor, QPointF at);  // at: in widget pixels
  void centerOn(QPointF scene);
  double zoom() const { return zoom_; }  // pixels a scene unit
  QPointF toScene(QPointF widget) const;
  QPointF toWidget(QPointF scene) const;
  QRectF toWidget(const QRectF& scene) const { return {toWidget(scene.topLeft()), toWidget(scene.bottomRight())}; }
  // Box of an instruction (or of the group that hides it) in scene units; empty when it is not in this view.
  QRectF boxOf(InstructionId id) const;

  // --- for the tools
  const std::shared_ptr<const SpatialIndex>& index() const { return index_; }
  QRectF visibleScene() const;
  QRectF frameOf(int32_t viewNode) const;  // scene, where it is in the hand as well
  int32_t nodeOf(InstructionId id) const;
  int32_t itemAt(QPointF widget) const;          // index into picture items; -1: nothing
  int pageItemAt(QPointF widget) const;          // a frame is held by its title and border
  InstructionId numberAt(QPointF widget) const;  // that a drag changes; invalid: none
  int32_t hoveredNode() const;                   // of the view; -1: none
  const std::vector<int32_t>& selectedNodes() const { return selectedNodes_; }
  void panBy(QPointF pixels);
  void handOver(CanvasTool& tool) { active_ = &tool; }  // what is pressed goes on as this
  void changeSelection(std::vector<InstructionId> selection);
  void click(QPointF widget, Qt::KeyboardModifiers modifiers);
  void clickPageItem(int item, Qt::KeyboardModifiers modifiers);
  void selectBox(QRectF widget, Qt::KeyboardModifiers modifiers);
  void toSceneUnits(QPainter& painter) const;
  void paintWire(QPainter& painter, const PictureItem& wire, const QColor& color) const;

  // True when every visible tile is filled; waitForTiles blocks until then (screenshots, tests).
  bool tilesReady() const;
  void waitForTiles();

 signals:
  void selectionChanged(std::vector<tessera::InstructionId> selection);
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
  // A drag along a number: how far from where it began, in pixels; first: it begins.
  void valueScrubbed(tessera::InstructionId id, double pixels, bool first);
  void boxesMoved(tessera::MovedBoxes moved);
  void wiresCut(std::vector<int> edges);        // by a stroke: Ctrl + right drag
  void wireActivated(int edge, QPointF scene);  // double click on a wire
  void rerouteMoved(tessera::ReroutePoint point);
  void rerouteActivated(tessera::ReroutePoint point);  // double click on one
  void pageItemActivated(int item);                    // double click on a frame or note
  void pageItemResized(int item, QRectF scene);
  void zoomChanged(double zoom);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  Pointer pointerOf(const QMouseEvent& event) const;
  bool activateHandle(QPointF at);
  void paintPreview(QPainter& painter);
  void paintPageSelection(QPainter& painter);
  void paintValues(QPainter& painter, const QRectF& visible);
  void paintValue(QPainter& painter, const NodeValue& value, QRectF strip);
  // What pulls a field out of its node, or folds it back; null: the item is none.
  const PictureItem* fieldMark(int32_t item) const;

  // --- keys (canvas_keys.cpp)
  bool fitKey(const QKeyEvent& event);
  bool moveKey(const QKeyEvent& event);
  void navigate(int key, bool extend);
  int32_t alongWire(int32_t node, bool down) const;
  int32_t beside(int32_t node, bool right) const;
  int32_t nearestTo(QPointF scene) const;
  void activate(int32_t viewNode);
  void scrollTo(QRectF scene);

  void setTransform(double zoom, QPointF origin);
  void fit(QRectF scene);
  void reveal();
  void keepAnchor();
  QPoint besideBox(InstructionId id,
                   QPoint pointer) const;  // where help covers neither the value nor the output; widget pixels
  void refreshSelectedNodes();
  void setHover(int32_t item);
  void paintTiles(QPainter& painter);
  QRectF freeScene() const;  // where nothing stands over the canvas
  double zoomToFit(QRectF scene) const;
  void staySteady(const GraphView* before, const SpatialIndex* index);
  std::optional<QPointF> shiftSince(const GraphView& before, const SpatialIndex& index) const;
  void paintMoving(QPainter& painter);
  void paintOutline(QPainter& painter, const QRectF& scene, const QColor& color, double width) const;
  void paintSelection(QPainter& painter, const QRectF& visible);
  void paintHover(QPainter& painter);
  void paintSelectedWires(QPainter& painter, const QRectF& visible);
  void paintMarks(QPainter& painter, const QRectF& visible);
  void requestVisibleTiles();

  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const GraphView> view_;
  std::shared_ptr<const SpatialIndex> index_;
  std::unique_ptr<TileStore> tiles_;
  std::function<QString(InstructionId)> tooltip_;
  Theme theme_ = Theme::Light;
  double zoom_ = 1;
  QPointF origin_;  // scene point at the widget's top left
  std::vector<InstructionId> selection_;
  std::vector<int32_t> selectedNodes_;
  std::vector<int32_t> selectedWires_;  // items: wires that begin or end at a selected box
  std::vector<std::pair<InstructionId, QString>> marks_;
  std::vector<NodePreview> preview_;
  std::vector<uint32_t> pageItems_;  // picture items that are frames and notes
  std::vector<int> selectedPageItems_;
  bool movable_ = false;
  std::unordered_map<InstructionId, NodeValue> values_;
  int32_t hover_ = -1;
  QVariantAnimation glide_;  // of origin_; a hand ends it
  bool fitted_ = true;       // all is in sight and stays so while the graph grows or the widget is resized
  std::unique_ptr<CanvasTools> tools_;
  CanvasTool* active_ = nullptr;  // what is being done with the pressed button; null: nothing
  QPointF pressed_, last_;
  int32_t walkedFrom_ = -1, walkedTo_ = -1;  // the last step along a wire, so that the opposite key goes back
  QString anchorGroup_;
  QPointF anchorAt_;  // widget position of the toggled group's top left
};

}  // namespace tessera
