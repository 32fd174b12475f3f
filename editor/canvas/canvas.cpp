// What the canvas shows: picture, selection, tiles and the layer above them. What a hand does is in canvas_input.cpp.
#include "editor/canvas/canvas.h"

#include <QPaintEvent>
#include <QPainter>
#include <QThreadPool>
#include <algorithm>

#include "editor/canvas/accessible_canvas.h"
#include "editor/canvas/graph_walk.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tile_layer.h"
#include "editor/canvas/tools/canvas_tools.h"
#include "editor/canvas/value_strips.h"

namespace tessera {
namespace {

constexpr double kSelectionMargin = 40;  // scene units
constexpr size_t kMaxSelectedWires = 400, kMaxComparedNodes = 4000;

double middleOf(std::vector<double>& all) {
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, at);
  return *at;
}

// How far boxes have moved from one view to the next, the middle of all; none: nothing stayed.
std::optional<QPointF> shiftBetween(const GraphView& before, const SpatialIndex& indexBefore, const GraphView& now,
                                    const SpatialIndex& index) {
  std::vector<double> x, y;
  if (before.computation != now.computation) return std::nullopt;
  for (size_t v = 0; v < before.nodes.size() && x.size() < kMaxComparedNodes; ++v) {
    const ViewNode& node = before.nodes[v];
    const int32_t same = node.kind == ViewNode::Kind::Instruction ? now.boxOf(node.instruction) : -1;
    if (same < 0 || now.nodes[static_cast<size_t>(same)].kind != node.kind) continue;
    const RectF from = indexBefore.frameBounds(static_cast<int32_t>(v)), to = index.frameBounds(same);
    if (from.width <= 0 || to.width <= 0) continue;
    x.push_back((to.x + to.width / 2) - (from.x + from.width / 2));
    y.push_back(to.y - from.y);
  }
  if (x.empty()) return std::nullopt;
  return QPointF(middleOf(x), middleOf(y));
}

}  // namespace

Canvas::Canvas(QWidget* parent)
    : QWidget(parent),
      tiles_(std::make_unique<TileLayer>(viewport_)),
      highlights_(std::make_unique<Highlights>(*this)),
      values_(std::make_unique<ValueStrips>(*this)),
      pageItems_(std::make_unique<PageItems>(*this)),
      walk_(std::make_unique<GraphWalk>(*this)),
      tools_(std::make_unique<CanvasTools>(*this)) {
  makeCanvasAccessible();
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(160, 120);
  connect(&tiles_->store(), &TileStore::filled, this,
          [this](const QRectF& scene) { update(viewport_.toWidget(scene).toAlignedRect()); });
  connect(&viewport_, &Viewport::changed, this, [this] {
    requestTiles();
    update();
  });
}
Canvas::~Canvas() = default;

WireTool& Canvas::wires() { return tools_->wire; }

std::shared_ptr<const SpatialIndex> Canvas::makeIndex(const Picture& picture) {
  return std::make_shared<const SpatialIndex>(picture);
}

void Canvas::setPicture(std::shared_ptr<const Picture> picture, std::shared_ptr<const GraphView> view, KeepView keep,
                        std::shared_ptr<const SpatialIndex> index) {
  viewport_.stop();
  const auto pictureBefore = picture_;
  const auto viewBefore = view_;
  const auto indexBefore = index_;
  picture_ = std::move(picture);
  view_ = std::move(view);
  index_ = index || !picture_ ? std::move(index) : makeIndex(*picture_);
  viewport_.setBounds(picture_ ? std::optional(toQRectF(picture_->bounds)) : std::nullopt);
  hover_ = -1;
  tools_->wire.pictureChanged();
  if (active_ && !active_->goesOn()) active_ = nullptr;
  endMove();
  pageItems_->pictureChanged();
  highlights_->pictureChanged();
  tiles_->reset(picture_, index_, theme_);
  refreshSelectedNodes();
  keepPlace(pictureBefore ? keep : KeepView::No, viewBefore.get(), indexBefore.get());
  requestTiles();
  update();
  tellPictureChanged(*this);
  // A picture of 100,000 boxes is freed for longer than a frame.
  if (pictureBefore) QThreadPool::globalInstance()->start([pictureBefore, viewBefore, indexBefore] {}, -1);
}

// The group that was double-clicked stays where it was; else most of the boxes that stay keep their place.
void Canvas::keepPlace(KeepView keep, const GraphView* before, const SpatialIndex* index) {
  const QString group = std::exchange(anchorGroup_, QString());
  if (keep == KeepView::No) return viewport_.fitAll();
  if (!group.isEmpty()) {
    const QRectF frame = view_ ? frameOf(view_->findGroup(group.toStdString())) : QRectF();
    return frame.isEmpty() ? void() : viewport_.place(frame.topLeft(), anchorAt_);
  }
  if (keep == KeepView::Place) return viewport_.stay();
  const bool both = before && index && view_ && index_;
  const auto shift = both ? shiftBetween(*before, *index, *view_, *index_) : std::nullopt;
  if (shift)
    viewport_.follow(*shift);
  else if (viewport_.showsAll())
    viewport_.fitAll();
}

void Canvas::setTheme(Theme theme) {
  if (theme == theme_) return;
  theme_ = theme;
  tiles_->reset(picture_, index_, theme_);
  requestTiles();
  update();
}

QRectF Canvas::frameOf(int32_t viewNode) const {
  return index_ ? toQRectF(index_->frameBounds(viewNode)).translated(tools_->move.movedBy(viewNode)) : QRectF();
}

std::vector<QRect> Canvas::boxesInSight() const {
  std::vector<QRect> out;
  const QRectF seen = viewport_.visible();
  for (size_t v = 0; view_ && v < view_->nodes.size(); ++v) {
    const ViewNode& node = view_->nodes[v];
    if (node.kind == ViewNode::Kind::OpenGroup || node.owner >= 0) continue;
    const QRectF frame = frameOf(static_cast<int32_t>(v));
    if (frame.isEmpty() || !frame.intersects(seen)) continue;
    out.push_back(viewport_.toWidget(frame).toAlignedRect());
  }
  return out;
}

// --- selection

void Canvas::setSelection(const std::vector<InstructionId>& selection, bool revealIt) {
  selection_ = selection;
  refreshSelectedNodes();
  tellSelectionChanged(*this, selectedNodes_.empty() ? -1 : selectedNodes_.back());
  if (revealIt) reveal();
  update();
}

void Canvas::setSelectedGroup(const QString& group) {
  if (group == selectedGroup_) return;
  selectedGroup_ = group;
  refreshSelectedNodes();
  tellSelectionChanged(*this, selectedNodes_.empty() ? -1 : selectedNodes_.back());
  update();
}

int32_t Canvas::markedGroup() const {
  return view_ && !selectedGroup_.isEmpty() ? view_->findGroup(selectedGroup_.toStdString()) : -1;
}

// Linear in nodes and wires with small constants: everything may be selected.
void Canvas::refreshSelectedNodes() {
  selectedNodes_.clear();
  selectedWires_.clear();
  if (!index_ || !view_) return;
  std::vector<bool> selected(view_->nodes.size());
  if (const int32_t group = markedGroup(); group >= 0)
    selected[static_cast<size_t>(group)] = true;
  else
    for (InstructionId id : selection_)
      if (const int32_t node = nodeOf(id); node >= 0) selected[static_cast<size_t>(node)] = true;
  for (size_t v = 0; v < selected.size(); ++v)
    if (selected[v]) selectedNodes_.push_back(static_cast<int32_t>(v));
  if (selectedNodes_.empty()) return;
  std::vector<bool> inside = selected;
  for (size_t v = 0; v < inside.size(); ++v)  // parents stand before what is in them
    if (const int32_t parent = view_->nodes[v].parent; parent >= 0 && inside[static_cast<size_t>(parent)])
      inside[v] = true;
  for (size_t e = 0; e < view_->edges.size() && selectedWires_.size() < kMaxSelectedWires; ++e) {
    const auto from = static_cast<size_t>(view_->edges[e].from), to = static_cast<size_t>(view_->edges[e].to);
    if (selected[from] || selected[to] || inside[from] != inside[to])
      if (const int32_t item = index_->wireItem(e); item >= 0) selectedWires_.push_back(item);
  }
}

QRectF Canvas::selectedBox() const {
  QRectF all;
  for (int32_t node : selectedNodes_) all |= frameOf(node);
  return all;
}

void Canvas::reveal() {
  const QRectF visible = viewport_.visible(), all = selectedBox();
  const bool seen = std::ranges::any_of(selectedNodes_, [&](int32_t v) { return visible.intersects(frameOf(v)); });
  if (!seen && !all.isEmpty()) viewport_.centerOn(all.center());
}

bool Canvas::showsSelection() const {
  const QRectF all = selectedBox();
  return viewport_.zoom() >= kReadableZoom && !all.isEmpty() && viewport_.free().contains(all);
}

void Canvas::bringIntoView() {
  if (!viewport_.bringIntoView(selectedBox())) reveal();
}

void Canvas::bringGroupIntoView(int32_t viewNode) {
  if (const QRectF frame = frameOf(viewNode); !frame.isEmpty()) viewport_.show(frame);
}

void Canvas::fitAll() {
  viewport_.fitAll();
  emit allFitted();
}

void Canvas::fitSelection() {
  const QRectF all = selectedBox();
  if (all.isEmpty()) return fitAll();
  viewport_.fit(all.adjusted(-kSelectionMargin, -kSelectionMargin, kSelectionMargin, kSelectionMargin));
}

void Canvas::setReroutes(std::vector<ReroutePoint> points) {
  tools_->reroute.setPoints(std::move(points));
  update();
}

void Canvas::endMove() {
  tools_->move.end();
  tools_->reroute.end();
  tools_->resize.end();
  tools_->cut.end();
  update();
}

// --- painting

void Canvas::resizeEvent(QResizeEvent*) { viewport_.resized(); }

void Canvas::requestTiles() { tiles_->request(devicePixelRatioF()); }
bool Canvas::tilesReady() const { return tiles_->isReady(); }
bool Canvas::tilesCover() const { return tiles_->isCovered(devicePixelRatioF()); }
void Canvas::waitForTiles() { tiles_->wait(); }

void Canvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.fillRect(event->rect(), toQColor(ColorRole::Background, theme_));
  if (!picture_) return;
  update(tiles_->paint(painter, devicePixelRatioF(), event->region()));
  paintAboveTiles(painter, event->rect());
}

// Few things, painted directly.
void Canvas::paintAboveTiles(QPainter& painter, const QRectF& exposed) {
  painter.setRenderHint(QPainter::Antialiasing);
  tools_->move.paint(painter);
  values_->paint(painter);
  highlights_->paint(painter, exposed, !tools_->move.isMoving());
  tools_->reroute.paint(painter);
  pageItems_->paint(painter, *tools_);
  highlights_->paintPreview(painter);
  tools_->wire.paintSockets(painter);
  tools_->wire.paint(painter);
  tools_->cut.paint(painter);
  if (active_ == &tools_->box) tools_->box.paint(painter);
  if (!focusedByKey_) return;
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace tessera
