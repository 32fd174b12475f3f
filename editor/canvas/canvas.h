// Canvas: shows a Picture. What stands still is painted by workers into tiles; selection and hover are a layer above
// them. The canvas decides nothing about the graph: it says what was clicked and is given the next Picture.
#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVariantAnimation>
#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/picture/picture.h"
#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/wire_hints.h"

class QPainterPath;

namespace tessera {

class SpatialIndex;
class TileStore;

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

  // Makes wires drawable by hand: from an output to an input or onto a node, from an open input, off an input.
  void setWireHints(WireHints hints);
  bool carriesWire() const { return wire_.has_value(); }
  QString shownVerdict();  // what stands beside the pointer; empty: nothing
  // After wireDropped the wire stays until one of these: it is done with, or it is in the hand again.
  void endWire();
  void takeWireBack();
  void setForesight(std::vector<Foreseen> foreseen);  // gone with the wire
  const std::vector<Foreseen>& foresight() const { return foreseen_; }
  void setGhosts(QStringList titles);    // nodes that would be put into the wire
  QPointF outputAt(int32_t node) const;  // sockets of a view node, in widget pixels
  QPointF inputAt(int32_t node, int32_t operand, size_t count) const;

  // Boxes, frames and notes can be moved by hand. After boxesMoved they stay where they were dropped until the next
  // picture.
  void setMovable(bool movable) { movable_ = movable; }
  void endMove();
  bool isMoving() const { return move_.has_value(); }
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
  // Box of an instruction (or of the group that hides it) in scene units; empty when it is not in this view.
  QRectF boxOf(InstructionId id) const;

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
  enum class Drag { None, Pan, Pending, Box, Wire, Scrub, Move, Stroke, Reroute, Resize };
  struct Socket {
    InstructionId node;
    int32_t operand = -1;  // -1: the output
    bool open = false;
    InstructionId value;  // of a connected input
  };
  // From a value, or from an open input.
  struct Wire {
    InstructionId value, openUser, pulledUser;
    int32_t openOperand = -1, pulledOperand = -1;
    QPointF at;
    Socket target;  // what it snapped to
    bool moved = false, held = false, sticky = false, reasonShown = false;
    std::map<std::pair<InstructionId, int32_t>, WireVerdict> verdicts;
  };

  // Boxes in the hand, or dropped and not drawn there yet.
  struct Move {
    MovedBoxes moved;
    std::vector<bool> nodes;      // by view node, with all that goes along
    std::vector<uint32_t> items;  // of the picture
    std::vector<size_t> wires;    // items: their ends follow
    int turns = 0;                // of a shaking hand
    double turnedAt = 0, lastX = 0;
    bool dropped = false, leftwards = false;
  };
  struct Grab {  // what a press may become a move of
    int32_t node = -1;
    int pageItem = -1;
    bool pulls = false;
  };

  // --- moving (canvas_moves.cpp)
  Grab grabAt(QPointF at, Qt::KeyboardModifiers modifiers) const;
  bool pressHandle(QPointF at);  // a reroute point or the corner of a frame
  void startMove();
  void moveTo(QPointF at);
  void lookForShake(double x);
  int32_t wireUnder(int32_t node) const;
  void releaseMove();
  void releaseStroke();
  void clickPageItem(Qt::KeyboardModifiers modifiers);
  int pageItemAt(QPointF at) const;
  bool activateHandle(QPointF at);
  const ReroutePoint* rerouteAt(QPointF at) const;
  QPointF movedBy(int32_t viewNode) const;
  void paintForesight(QPainter& painter);
  void paintMove(QPainter& painter);
  void paintMovedWires(QPainter& painter);
  void paintStroke(QPainter& painter);
  void paintReroutes(QPainter& painter);
  void paintPageSelection(QPainter& painter);

  // --- wires (canvas_wires.cpp) and values (canvas_values.cpp)
  static bool takesWires(const ViewNode& node);
  static size_t countOf(const std::vector<CanvasInput>& inputs);
  std::vector<int32_t> wirableNodes() const;
  Socket socketAt(QPointF at) const;
  bool isAttached(InstructionId value, int32_t user) const;
  bool pressSocket(QPointF at);
  void moveWire(QPointF at);
  void releaseWire(QPointF at);
  void followWire();  // into another picture
  void snapWire(QPointF at);
  void snapToBody(int32_t node);
  const WireVerdict& verdictOf(InstructionId user, int32_t operand);
  QRectF plateOf(int32_t node, int32_t operand, size_t count) const;
  void paintPlate(QPainter& painter, QPointF topLeft, const QString& text, ColorRole border, bool dashed);
  void paintSockets(QPainter& painter);
  void paintInputs(QPainter& painter, int32_t node, const std::vector<CanvasInput>& inputs);
  void paintTargets(QPainter& painter, int32_t node, InstructionId id, const std::vector<CanvasInput>& inputs);
  void paintWire(QPainter& painter);
  void paintGhosts(QPainter& painter, const QPainterPath& wire);
  void paintVerdict(QPainter& painter);
  void paintValues(QPainter& painter, const QRectF& visible);
  void paintValue(QPainter& painter, const NodeValue& value, QRectF strip);
  InstructionId scrubAt(QPointF widget) const;  // the number there that a drag changes
  bool isFieldMark(int32_t item) const;         // what pulls a field out of its node, or folds it back

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
  QRectF visibleScene() const;
  QRectF frameOf(int32_t viewNode) const;
  int32_t nodeOf(InstructionId id) const;
  QPoint besideBox(InstructionId id,
                   QPoint pointer) const;  // where help covers neither the value nor the output; widget pixels
  int32_t itemAt(QPointF widget) const;    // index into picture items; -1: nothing
  void click(QPointF widget, Qt::KeyboardModifiers modifiers);
  void selectBox(QRectF widget, Qt::KeyboardModifiers modifiers);
  void changeSelection(std::vector<InstructionId> selection);
  void refreshSelectedNodes();
  void setHover(int32_t item);
  void paintTiles(QPainter& painter);
  QRectF freeScene() const;  // where nothing stands over the canvas
  double zoomToFit(QRectF scene) const;
  void staySteady(const GraphView* before, const SpatialIndex* index);
  std::optional<QPointF> shiftSince(const GraphView& before, const SpatialIndex& index) const;
  void paintMoving(QPainter& painter);
  void paintHoveredWire(QPainter& painter, const PictureItem& wire, const QColor& color);
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
  WireHints hints_;
  std::optional<Wire> wire_;
  QStringList ghosts_;
  std::vector<Foreseen> foreseen_;
  std::optional<Move> move_;
  Grab grab_;
  std::vector<QPointF> stroke_;  // widget
  std::vector<ReroutePoint> reroutes_;
  std::optional<ReroutePoint> reroute_;  // in the hand
  std::vector<uint32_t> pageItemBoxes_;  // picture items that are frames and notes
  uint32_t firstDrawn_ = 0;              // items before it are frames and their titles
  std::vector<int> selectedPageItems_;
  QRectF resized_;
  bool movable_ = false;
  std::unordered_map<InstructionId, NodeValue> values_;
  InstructionId scrubbed_;  // the number under the pressed pointer
  int32_t hover_ = -1;
  QVariantAnimation glide_;  // of origin_; a hand ends it
  bool fitted_ = true;       // all is in sight and stays so while the graph grows or the widget is resized
  Drag drag_ = Drag::None;
  bool space_ = false;
  QPointF pressed_, last_;
  int32_t walkedFrom_ = -1, walkedTo_ = -1;  // the last step along a wire, so that the opposite key goes back
  QString anchorGroup_;
  QPointF anchorAt_;  // widget position of the toggled group's top left
};

}  // namespace tessera
